// The server's side of the worker protocol, on a real port, as small as it can be: a list of work, what is held, and what
// was said about it. It can fail, lose answers, forget the worker and be away, which a healthy server does not on demand.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";
import type { HandedOut } from "../../../contract/worker.ts";
import type { HeartbeatInput, Registration, SettlementInput, WorkerLogsInput } from "../../workers.ts";

export const KEY = "a-key-that-the-desk-accepts";

type Action = "register" | "claim" | "heartbeat" | "settle" | "logs" | "leave";
type Body = Record<string, unknown>;
/** What happens to a request instead of its answer. `lose`: it has its effect, and the connection ends. */
type Fault = "lose" | "hang" | { status: number; code: string };

export interface Received {
  action: Action;
  body: Body;
}

export class Desk {
  leaseMs = 30_000;
  heartbeatMs = 10_000;
  draining = false;
  /** Answers polls at once, like a node that is about to stop. */
  closing = false;
  registered = false;
  url = "";
  /** In the order of their arrival, those that got no answer included. */
  readonly received: Received[] = [];
  readonly settlements: SettlementInput[] = [];
  readonly logs: WorkerLogsInput[] = [];
  readonly progress = new Map<string, unknown>();
  readonly statuses = new Map<string, "cancel" | "lost">();
  /** Asked before each request is worked on. */
  fault: (action: Action, body: Body) => Fault | undefined = () => undefined;
  readonly #waiting: HandedOut[] = [];
  readonly #held = new Set<string>();
  readonly #settled = new Map<string, boolean>();
  readonly #claims = new Map<string, HandedOut[]>();
  /** What waits, by request id: to be looked for. */
  readonly #polls = new Map<string, () => void>();
  #server: Server | null = null;

  async up(): Promise<void> {
    const port = this.url === "" ? 0 : Number(new URL(this.url).port);
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As by a power cut; `up` comes back on the same port. */
  async down(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Something to do; answered to whoever waits for it, or claimed for a poll in the moment in which it hangs up. */
  give(execution: Partial<HandedOut> = {}, options: { onHangUp?: boolean } = {}): HandedOut {
    const id = execution.id ?? randomUUID();
    const given: HandedOut = {
      id,
      attempt: 1,
      token: randomUUID(),
      handler: "test",
      payload: null,
      job: { id: randomUUID(), name: "job", version: 1 },
      trigger: "manual",
      scheduledAt: "2026-12-01T01:00:00.000Z",
      deadline: "2026-12-01T01:05:00.000Z",
      timeoutMs: 300_000,
      idempotencyKey: id,
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      ...execution,
    };
    this.#waiting.push(given);
    if (options.onHangUp !== true) for (const look of [...this.#polls.values()]) look();
    return given;
  }

  /** Waits for what the worker says of it in the end. */
  async settlementOf({ token }: HandedOut): Promise<SettlementInput> {
    return await vi.waitUntil(() => this.settlements.find((item) => item.token === token), {
      timeout: 20_000,
      interval: 5,
    });
  }

  count(action: Action): number {
    return this.received.filter((request) => request.action === action).length;
  }

  /** Polls that wait for work now. */
  get polls(): number {
    return this.#polls.size;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, , , , , last] = request.url!.split("/");
    const action = (last ?? (request.method === "DELETE" ? "leave" : "register")) as Action;
    const body = await bodyOf(request);
    this.received.push({ action, body });
    const fault = this.fault(action, body);
    if (fault === "hang") return;
    if (typeof fault === "object") return refuse(response, fault.status, fault.code);
    if (request.headers.authorization !== `Bearer ${KEY}`) return refuse(response, 401, "unauthenticated");
    if (!this.registered && action !== "register") return refuse(response, 404, "not_found");
    const answer = await this.#answer(action, body, response);
    if (fault === "lose") response.socket?.destroy();
    else if (answer === undefined) response.writeHead(204).end();
    else json(response, 200, answer);
  }

  #answer(action: Action, body: Body, response: ServerResponse): unknown {
    switch (action) {
      case "register":
        this.registered = true;
        return { leaseMs: this.leaseMs, heartbeatMs: this.heartbeatMs };
      case "claim":
        return this.#claim(body as unknown as ClaimBody, response);
      case "heartbeat":
        return this.#heartbeat(body as HeartbeatInput);
      case "settle":
        return { items: (body.items as SettlementInput[]).map((item) => this.#settle(item)) };
      case "logs":
        this.logs.push(...(body.items as WorkerLogsInput[]));
        return { accepted: 0, dropped: 0 };
      case "leave":
        this.registered = false;
        return undefined;
    }
  }

  async #claim({ requestId, handlers, waitMs }: ClaimBody, response: ServerResponse): Promise<unknown> {
    // The same request twice is one poll: what the first gets is the answer to both, also if it is about to hang up.
    this.#polls.get(requestId)?.();
    const before = this.#claims.get(requestId);
    if (before !== undefined) return { executions: before.filter(({ token }) => this.#held.has(token)) };
    const free = new Map(handlers.map(({ name, free }) => [name, free]));
    let executions = this.#take(free);
    if (executions.length === 0 && waitMs > 0 && !this.closing)
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          this.#polls.delete(requestId);
          resolve();
        };
        const look = () => {
          if (this.#polls.get(requestId) !== look) return;
          executions = this.#take(free);
          if (executions.length === 0) return;
          this.#claims.set(requestId, executions);
          end();
        };
        const timer = setTimeout(end, waitMs);
        response.on("close", () => {
          look();
          end();
        });
        this.#polls.set(requestId, look);
      });
    this.#claims.set(requestId, executions);
    return { executions };
  }

  #take(free: Map<string, number>): HandedOut[] {
    const taken = this.#waiting.filter(({ handler }) => {
      const left = free.get(handler) ?? 0;
      free.set(handler, left - 1);
      return left > 0;
    });
    for (const execution of taken) {
      this.#waiting.splice(this.#waiting.indexOf(execution), 1);
      this.#held.add(execution.token);
    }
    return taken;
  }

  #heartbeat({ executions = [] }: HeartbeatInput): unknown {
    for (const { id, progress } of executions) if (progress !== undefined) this.progress.set(id, progress);
    const items = executions.map(({ id }) => ({ id, status: this.statuses.get(id) ?? "ok" }));
    return { items, drain: this.draining };
  }

  #settle(item: SettlementInput): unknown {
    const accepted = this.#settled.get(item.token) ?? (this.#held.delete(item.token) && !this.statuses.has(item.id));
    if (!this.#settled.has(item.token)) this.settlements.push(item);
    this.#settled.set(item.token, accepted);
    return { id: item.id, accepted, reason: accepted ? null : "claim_lost" };
  }
}

interface ClaimBody {
  requestId: string;
  handlers: { name: string; free: number }[];
  waitMs: number;
}

export async function openDesk(): Promise<Desk> {
  const desk = new Desk();
  await desk.up();
  onTestFinished(() => desk.down());
  return desk;
}

export function registrationIn({ received }: Desk): Registration {
  return received.find(({ action }) => action === "register")!.body as unknown as Registration;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : (JSON.parse(text) as Body);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  json(response, status, { error: { code, message: `the desk says ${code}`, details: [], requestId: "r" } });
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
