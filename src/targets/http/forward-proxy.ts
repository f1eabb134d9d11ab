// Calls through a proxy of the operator's: each connection is a tunnel that the proxy was asked for with CONNECT, to an http:
// target as well as to an https: one. So the proxy passes bytes on, and everything above a connection stays as it is without
// one: TLS is agreed on with the target, not with the proxy.
//
// Where the proxy stands is the operator's choice and not for the egress guard to judge. Whether it hears the name or the
// address of a target decides who guards the network (dial.ts): an address was judged here and leads nowhere else; a name is
// resolved by the proxy, which is trusted to refuse what it leads to.
//
// The errors are read by owners of jobs. They say that the proxy is at fault and with which status it refused, never where
// it is, what it said, or the password.

import http, { type IncomingMessage, STATUS_CODES } from "node:http";
import https from "node:https";
import net from "node:net";
import type { SecureContext } from "node:tls";
import { describeNetworkError } from "./network-error.ts";

export interface ForwardProxyOptions {
  /** `http:` or `https:`, with the user and password it asks for. */
  url: string;
  /** It is told names, not addresses. */
  resolves: boolean;
}

/** Why there is no tunnel. The message is for people. */
export class NoTunnel extends Error {
  /** Another address of the same host may fare better. */
  readonly isOfAddress: boolean;

  constructor(message: string, { isOfAddress, cause }: { isOfAddress: boolean; cause?: unknown }) {
    super(message, { cause });
    this.name = "NoTunnel";
    this.isOfAddress = isOfAddress;
  }
}

/** Of a host's addresses as many are asked for; each but the last has so long. */
const ADDRESSES_MAX = 4;
const NEXT_ADDRESS_AFTER_MS = 2_000;
const PROXY_AUTHENTICATION_REQUIRED = 407;

export class ForwardProxy {
  readonly resolves: boolean;
  readonly #request: typeof http.request;
  readonly #options: https.RequestOptions;
  readonly #authorization: Readonly<Record<string, string>>;

  constructor({ url, resolves }: ForwardProxyOptions, secureContext: SecureContext) {
    const { protocol, hostname, port, username, password } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    this.resolves = resolves;
    this.#request = protocol === "https:" ? https.request : http.request;
    // The name must be given: otherwise the certificate would be asked for that of the target, which is the request's host.
    const secure = { secureContext, servername: net.isIP(host) === 0 ? host : "" };
    this.#options = { host, ...(port === "" ? {} : { port }), ...(protocol === "https:" ? secure : {}) };
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    this.#authorization =
      username === "" && password === "" ? {} : { "proxy-authorization": `Basic ${credentials.toString("base64")}` };
  }

  /** A connection to the first of these hosts that the proxy lets have; `hold` is given what can be destroyed meanwhile. */
  async tunnel(hosts: readonly string[], port: number, hold: (asking: Destroyable) => void): Promise<net.Socket> {
    const [host, ...others] = hosts.slice(0, ADDRESSES_MAX);
    const asking = this.#ask(`${net.isIPv6(host!) ? `[${host}]` : host}:${port}`);
    hold(asking);
    const isLast = others.length === 0;
    const timer = isLast ? undefined : setTimeout(() => asking.destroy(tooSlow()), NEXT_ADDRESS_AFTER_MS);
    try {
      return await opened(asking);
    } catch (error) {
      if (isLast || !(error instanceof NoTunnel && error.isOfAddress)) throw error;
    } finally {
      clearTimeout(timer);
    }
    return await this.tunnel(others, port, hold);
  }

  #ask(authority: string): http.ClientRequest {
    const headers = { host: authority, ...this.#authorization };
    return this.#request({ ...this.#options, method: "CONNECT", path: authority, headers, agent: false }).end();
  }
}

interface Destroyable {
  destroy(): unknown;
}

function opened(asking: http.ClientRequest): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    asking.on("connect", (answer: IncomingMessage, socket: net.Socket, more: Buffer) => {
      // A socket that fails when nobody listens would end the process.
      socket.on("error", () => {});
      const problem = refusal(answer.statusCode ?? 0, more);
      if (problem === null) resolve(socket.setNoDelay().setKeepAlive(true));
      else {
        socket.destroy();
        reject(problem);
      }
    });
    asking.on("error", (error) => reject(error instanceof NoTunnel ? error : unreachable(error)));
    asking.on("close", () => reject(unreachable(null)));
  });
}

function refusal(status: number, more: Buffer): NoTunnel | null {
  if (status < 200 || status > 299) {
    const words = STATUS_CODES[status];
    const message = `the egress proxy refused the connection: ${status}${words ? ` ${words}` : ""}`;
    return new NoTunnel(message, { isOfAddress: status !== PROXY_AUTHENTICATION_REQUIRED });
  }
  // Nothing was asked of the target yet, so these bytes are not its answer.
  if (more.length > 0) return new NoTunnel("the egress proxy sent more than its answer", { isOfAddress: false });
  return null;
}

function tooSlow(): NoTunnel {
  return new NoTunnel("the egress proxy did not answer in time", { isOfAddress: true });
}

function unreachable(cause: unknown): NoTunnel {
  const message = `the egress proxy could not be asked: ${describeNetworkError(cause)}`;
  return new NoTunnel(message, { isOfAddress: false, cause });
}
