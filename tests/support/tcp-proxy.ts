// A wire between a node and its database that can be cut in the places that hurt. It reads the client's side of the
// PostgreSQL protocol just far enough to know which statement is about to run, and asks what should happen to it:
//
//   pass             nothing
//   lose_answer      it runs, the answer is swallowed, then the connection is reset: committed, and nobody told
//   lose_request     it never arrives, and the connection is reset: not committed, and nobody told
//   delay_request    the connection is reset at once, and the request arrives only later: the client finds nothing when
//                    it looks, and then it is committed after all
//
// Besides, all of it can be stalled: nothing moves in either direction, no connection breaks, none is refused.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export type Interference = "pass" | "lose_answer" | "lose_request" | "delay_request";

/** Called with the name of a prepared statement, or the text of a simple query, and the one before it on the same wire. */
export type Interfere = (statement: string, previous: string) => Interference;

const DELAY_MS = 250;
const [BIND, QUERY, SYNC] = ["B", "Q", "S"];
const READY_FOR_QUERY = "Z";

export class TcpProxy {
  readonly #server: Server;
  readonly #database: string;
  readonly #wires = new Set<Wire>();
  /** How often each interference happened, by statement. */
  readonly interfered: { statement: string; interference: Interference }[] = [];
  interfere: Interfere = () => "pass";
  #stalled = false;

  constructor(upstream: { path: string; database: string }) {
    this.#database = upstream.database;
    this.#server = createServer({ pauseOnConnect: true }, (client) => {
      const wire = new Wire(client, connect(upstream.path), (...statements) => this.#decide(...statements));
      this.#wires.add(wire);
      wire.onClosed(() => this.#wires.delete(wire));
      if (this.#stalled) wire.stall();
      else wire.flow();
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** The same database, through this proxy. */
  url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `postgres://punctual@127.0.0.1:${port}/${this.#database}?sslmode=disable`;
  }

  stall(): void {
    this.#stalled = true;
    for (const wire of this.#wires) wire.stall();
  }

  flow(): void {
    this.#stalled = false;
    for (const wire of this.#wires) wire.flow();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const wire of this.#wires) wire.cut();
    await once(this.#server, "close");
  }

  #decide(statement: string, previous: string): Interference {
    const interference = this.interfere(statement, previous);
    if (interference !== "pass") this.interfered.push({ statement, interference });
    return interference;
  }
}

/** Closed when the test is over. */
export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const { pathname, searchParams } = new URL(databaseUrl.replace("@/", "@localhost/"));
  const path = `${searchParams.get("host")}/.s.PGSQL.${searchParams.get("port")}`;
  const proxy = new TcpProxy({ path, database: pathname.slice(1) });
  await proxy.listen();
  onTestFinished(() => proxy.close());
  return proxy;
}

/** One client, one server. */
class Wire {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #decide: Interfere;
  readonly #requests = new Messages({ startup: true });
  #verdict: Interference = "pass";
  #previous = "";
  /** What of the doomed request has arrived so far. */
  #held: Buffer[] = [];

  constructor(client: Socket, server: Socket, decide: Interfere) {
    this.#client = client;
    this.#server = server;
    this.#decide = decide;
    for (const socket of [client, server]) socket.on("error", () => {}).setNoDelay();
    client.on("data", (data) => {
      for (const message of this.#requests.read(data)) this.#forward(message);
    });
    server.on("data", (data) => {
      if (this.#verdict === "pass" && !client.destroyed) client.write(data);
    });
    server.on("close", () => client.destroy());
    // After a reset the server may still have to be sent what was delayed.
    client.on("close", () => {
      if (this.#verdict === "pass") server.end();
    });
  }

  onClosed(listener: () => void): void {
    this.#server.on("close", listener);
  }

  stall(): void {
    this.#client.pause();
    this.#server.pause();
  }

  flow(): void {
    this.#client.resume();
    this.#server.resume();
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #forward(message: Buffer): void {
    const statement = statementOf(message);
    if (statement !== "") {
      if (this.#verdict === "pass") this.#verdict = this.#decide(statement, this.#previous);
      this.#previous = statement;
    }
    if (this.#verdict === "pass") {
      this.#server.write(message);
      return;
    }
    this.#held.push(message);
    // The whole request, up to the point where the server would act on it.
    const type = String.fromCharCode(message[0]!);
    if (type === SYNC || type === QUERY) this.#doom(Buffer.concat(this.#held.splice(0)));
  }

  #doom(request: Buffer): void {
    const answers = new Messages({ startup: false });
    this.#server.on("data", (data) => {
      const done = [...answers.read(data)].some((message) => String.fromCharCode(message[0]!) === READY_FOR_QUERY);
      if (!done) return;
      this.#client.resetAndDestroy();
      this.#server.end();
    });
    if (this.#verdict === "lose_answer") this.#server.write(request);
    else this.#client.resetAndDestroy();
    if (this.#verdict === "lose_request") this.#server.destroy();
    if (this.#verdict === "delay_request") setTimeout(() => this.#server.write(request), DELAY_MS);
  }
}

/** Cuts a stream into the messages of the PostgreSQL protocol: a letter, a length, the rest. The first has no letter. */
class Messages {
  #startup: boolean;
  #rest: Buffer = Buffer.alloc(0);

  constructor(options: { startup: boolean }) {
    this.#startup = options.startup;
  }

  *read(data: Buffer): Generator<Buffer> {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    for (;;) {
      const head = this.#startup ? 0 : 1;
      if (this.#rest.length < head + 4) return;
      const length = head + this.#rest.readUInt32BE(head);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#startup = false;
      yield message;
    }
  }
}

/** Empty for messages that run nothing. */
function statementOf(message: Buffer): string {
  const type = String.fromCharCode(message[0]!);
  if (type === QUERY) return text(message, 5);
  // After the name of the portal, which is empty with our driver, comes that of the statement.
  return type === BIND ? text(message, message.indexOf(0, 5) + 1) : "";
}

function text(message: Buffer, from: number): string {
  return message.toString("utf8", from, message.indexOf(0, from));
}
