// Opening a connection: resolve, ask the egress guard about every address, connect to those that passed and to no
// other, then TLS. The name is resolved once and the checked addresses are handed to the socket, so that there is no
// second resolution that could answer differently. Nothing of the request has been written when a dial fails, so no
// failure of one is doubtful.
//
// With a forward proxy the checked addresses are what it is asked for. Only if the operator lets the proxy resolve is it told
// the name, of which then no more than the name can be judged here.

import net from "node:net";
import tls from "node:tls";
import type { EgressGuard } from "./egress.ts";
import { ForwardProxy, type ForwardProxyOptions, NoTunnel } from "./forward-proxy.ts";
import { describeNetworkError } from "./network-error.ts";
import type { ResolvedAddress, Resolver } from "./resolver.ts";

export interface Place {
  hostname: string;
  port: number;
  secure: boolean;
}

export interface DialTimings {
  dnsMs: number;
  connectMs: number;
  tlsMs: number;
}

/** Why no connection came about. The message is for the job's owner and gives no address behind a name away. */
export class DialError extends Error {
  readonly kind: "egress_denied" | "timeout" | "network";

  constructor(kind: DialError["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DialError";
    this.kind = kind;
  }
}

/** Whoever wants the connection. */
export interface DialListener {
  /** Called once, unless the dial is cancelled first. */
  onDialled(error: DialError | null, socket: net.Socket | null, timings: DialTimings): void;
  /** What arrives on the connection, which is lent: the next bytes are read into the same place. */
  onBytes(bytes: Buffer): void;
}

// A place of its own for what arrives, used again and again, costs less than one that is made, cut and thrown away each time.
const READ_BYTES = 16_384;
// How long one of several addresses may take before the next is tried; the last has all the time that is left.
const NEXT_ADDRESS_AFTER_MS = 1_000;

export interface DiallerOptions {
  /** Certificates of authorities to trust beside the well-known ones (PEM). */
  ca?: readonly string[] | undefined;
  /** What all connections go through. */
  proxy?: ForwardProxyOptions | undefined;
}

export class Dialler {
  readonly #guard: EgressGuard;
  readonly #resolver: Resolver;
  readonly #proxy: ForwardProxy | null;
  // Made once: reading the root certificates for each connection would cost more than the handshake.
  readonly #secureContext: tls.SecureContext;

  constructor(guard: EgressGuard, resolver: Resolver, { ca, proxy }: DiallerOptions = {}) {
    this.#guard = guard;
    this.#resolver = resolver;
    this.#secureContext = tls.createSecureContext(ca === undefined ? {} : { ca: [...tls.rootCertificates, ...ca] });
    this.#proxy = proxy === undefined ? null : new ForwardProxy(proxy, this.#secureContext);
  }

  /** `sessions` lets TLS resume what it agreed on before. */
  dial(place: Place, sessions: TlsSession, timeoutMs: number, listener: DialListener): Dial {
    const way = this.#proxy === null ? "" : " through the egress proxy";
    const dial = new Dial(place, { timeoutMs, way }, listener);
    const secure = (socket: net.Socket) =>
      tls
        .connect({ ...secureOptions(place, sessions), socket, secureContext: this.#secureContext })
        .on("session", (session) => {
          sessions.session = session;
        });
    void dial.run({ resolve: () => this.#permitted(place), proxy: this.#proxy, secure });
    return dial;
  }

  async #permitted(place: Place): Promise<ResolvedAddress[]> {
    const { hostname, port } = place;
    const isResolvedElsewhere = this.#proxy?.resolves === true;
    const refusal =
      (isResolvedElsewhere ? this.#guard.nameRefusal(hostname) : this.#guard.hostRefusal(hostname)) ??
      this.#guard.portRefusal(hostname, port);
    if (refusal !== null) throw new DialError("egress_denied", refusal);
    const family = net.isIP(hostname);
    if (isResolvedElsewhere || family !== 0) return [{ address: hostname, family }];
    const addresses = await this.#resolver.resolve(hostname);
    const refusals = addresses.map(({ address }) => this.#guard.addressRefusal(hostname, address));
    const permitted = addresses.filter((_, index) => refusals[index] === null);
    if (permitted.length === 0)
      throw new DialError(
        refusals[0] ? "egress_denied" : "network",
        refusals[0] ?? `the name ${hostname} has no addresses`,
      );
    return permitted;
  }
}

/** The last session of an origin, to be resumed by its next connection. */
export interface TlsSession {
  session: Buffer | null;
}

interface DialSteps {
  resolve(): Promise<ResolvedAddress[]>;
  proxy: ForwardProxy | null;
  secure(socket: net.Socket): tls.TLSSocket;
}

/** One connection on its way. */
export class Dial {
  readonly #place: Place;
  readonly #listener: DialListener;
  readonly #timer: NodeJS.Timeout;
  readonly #timings: DialTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0 };
  /** What is under way, to be destroyed if nobody wants it any more. */
  #held: { destroy(): unknown } | null = null;
  #over = false;

  constructor(place: Place, { timeoutMs, way }: { timeoutMs: number; way: string }, listener: DialListener) {
    this.#place = place;
    this.#listener = listener;
    const error = `no connection to ${where(place)}${way} within the connect timeout of ${timeoutMs} ms`;
    this.#timer = setTimeout(() => this.#fail(new DialError("timeout", error)), timeoutMs);
  }

  async run({ resolve, proxy, secure }: DialSteps): Promise<void> {
    try {
      const start = performance.now();
      const addresses = await resolve();
      if (this.#over) return;
      const resolved = performance.now();
      this.#timings.dnsMs = resolved - start;
      const socket = proxy === null ? await this.#connect(addresses) : await this.#tunnel(proxy, addresses);
      const connected = performance.now();
      this.#timings.connectMs = connected - resolved;
      if (!this.#place.secure) {
        this.#succeed(socket);
        return;
      }
      const secured = this.#hold(secure(socket));
      await happened(secured, "secureConnect");
      this.#timings.tlsMs = performance.now() - connected;
      this.#succeed(this.#heard(secured));
    } catch (cause) {
      this.#fail(asDialError(this.#place, cause));
    }
  }

  cancel(): void {
    if (this.#over) return;
    this.#end();
    this.#held?.destroy();
  }

  async #connect(addresses: ResolvedAddress[]): Promise<net.Socket> {
    const { port, secure } = this.#place;
    const reading = secure ? {} : { onread: this.#reading() };
    const socket = this.#hold(net.connect({ ...pinned(addresses), port, noDelay: true, keepAlive: true, ...reading }));
    await happened(socket, "connect");
    return socket;
  }

  async #tunnel(proxy: ForwardProxy, addresses: ResolvedAddress[]): Promise<net.Socket> {
    const hosts = addresses.map(({ address }) => address);
    const socket = this.#hold(await proxy.tunnel(hosts, this.#place.port, (asking) => this.#hold(asking)));
    return this.#place.secure ? socket : this.#heard(socket);
  }

  #hold<T extends { destroy(): unknown }>(held: T): T {
    this.#held = held;
    if (this.#over) held.destroy();
    return held;
  }

  #heard(socket: net.Socket): net.Socket {
    // No encoding is set: what comes are bytes.
    return socket.on("data", (bytes: Buffer) => this.#listener.onBytes(bytes));
  }

  #succeed(socket: net.Socket): void {
    if (this.#over) return;
    this.#end();
    this.#listener.onDialled(null, socket, this.#timings);
  }

  #fail(error: DialError): void {
    if (this.#over) return;
    this.cancel();
    this.#listener.onDialled(error, null, this.#timings);
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #reading(): net.OnReadOpts {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (length: number) => {
      this.#listener.onBytes(buffer.subarray(0, length));
      return true;
    };
    return { buffer, callback };
  }
}

/** What makes a socket dial exactly these addresses, one after the other. */
function pinned(addresses: ResolvedAddress[]) {
  const first = addresses[0]!;
  if (addresses.length === 1) return { host: first.address };
  const lookup: net.LookupFunction = (_hostname, options, callback) =>
    options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  // The name only makes the socket ask `lookup`, which answers with what was checked.
  return {
    host: "checked.invalid",
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  };
}

function secureOptions({ hostname }: Place, sessions: TlsSession): tls.ConnectionOptions {
  return {
    // A certificate for an address is checked against the address; the SNI extension only knows names.
    ...(net.isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }),
    ...(sessions.session === null ? {} : { session: sessions.session }),
    ALPNProtocols: ["http/1.1"],
  };
}

/** Resolves with the event, rejects if the socket fails or is closed before. */
function happened(socket: net.Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      socket.off(event, onEvent).off("error", settle).off("close", onClose);
      // A socket that fails when nobody listens would end the process.
      socket.on("error", ignore);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onEvent = () => settle();
    const onClose = () => settle(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    socket.on(event, onEvent).on("error", settle).on("close", onClose);
  });
}

function ignore(): void {}

function asDialError(place: Place, cause: unknown): DialError {
  if (cause instanceof DialError) return cause;
  const what = cause instanceof NoTunnel ? cause.message : describeNetworkError(cause);
  return new DialError("network", `${where(place)}: ${what}`, cause);
}

function where({ hostname, port }: Place): string {
  return `${net.isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
}
