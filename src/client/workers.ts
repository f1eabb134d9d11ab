import type { z } from "zod";
import type { Page } from "../contract/page.ts";
import type {
  claimedSchema,
  claimSchema,
  HandedOut,
  HandlerView,
  heartbeatAnswerSchema,
  heartbeatSchema,
  logsAcceptedSchema,
  registeredSchema,
  registrationSchema,
  settledSchema,
  settleSchema,
  WorkerView,
  workerLogsSchema,
} from "../contract/worker.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** How much longer than the wait that was asked for the answer to a claim may take. */
const CLAIM_SLACK_MS = 10_000;

export type Registration = z.input<typeof registrationSchema>;
export type Registered = z.infer<typeof registeredSchema>;
export type ClaimInput = z.input<typeof claimSchema>;
export type HeartbeatInput = z.input<typeof heartbeatSchema>;
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswerSchema>;
export type SettlementInput = z.input<typeof settleSchema>["items"][number];
export type Settled = z.infer<typeof settledSchema>["items"][number];
export type WorkerLogsInput = z.input<typeof workerLogsSchema>["items"][number];
export type LogsAccepted = z.infer<typeof logsAcceptedSchema>;

/**
 * The workers of the project, and what a worker itself says to the server. The class Worker speaks that protocol; who
 * writes one of their own finds it here call by call. All of these calls may be made twice: a claim carries a request id,
 * a settlement its token, a log line its number.
 */
export class WorkersApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: CallOptions): Promise<Page<WorkerView>> {
    return this.#transport.json({ method: "GET", path: "/workers", options });
  }

  get(id: string, options?: CallOptions): Promise<WorkerView> {
    return this.#transport.json({ method: "GET", path: path(id), options });
  }

  /** Asks the worker to take nothing more, to finish and to leave. */
  drain(id: string, options?: CallOptions): Promise<WorkerView> {
    return this.#transport.json({ method: "POST", path: `${path(id)}/drain`, body: {}, options });
  }

  register(id: string, registration: Registration, options?: CallOptions): Promise<Registered> {
    return this.#transport.json({ method: "PUT", path: path(id), body: registration, options });
  }

  /** Waits up to `waitMs` for work. The same `requestId` again answers the same claim. */
  async claim(id: string, claim: ClaimInput, options: CallOptions = {}): Promise<HandedOut[]> {
    const timeoutMs = options.timeoutMs ?? (claim.waitMs ?? 0) + CLAIM_SLACK_MS;
    const { executions } = await this.#transport.json<z.infer<typeof claimedSchema>>({
      method: "POST",
      path: `${path(id)}/claim`,
      body: claim,
      repeatable: true,
      options: { ...options, timeoutMs },
    });
    return executions;
  }

  heartbeat(id: string, beat: HeartbeatInput, options?: CallOptions): Promise<HeartbeatAnswer> {
    return this.#transport.json({
      method: "POST",
      path: `${path(id)}/heartbeat`,
      body: beat,
      repeatable: true,
      options,
    });
  }

  async settle(id: string, items: readonly SettlementInput[], options?: CallOptions): Promise<Settled[]> {
    const settled = await this.#transport.json<z.infer<typeof settledSchema>>({
      method: "POST",
      path: `${path(id)}/settle`,
      body: { items },
      repeatable: true,
      options,
    });
    return settled.items;
  }

  log(id: string, items: readonly WorkerLogsInput[], options?: CallOptions): Promise<LogsAccepted> {
    return this.#transport.json({
      method: "POST",
      path: `${path(id)}/logs`,
      body: { items },
      repeatable: true,
      options,
    });
  }

  async leave(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: path(id), options });
  }
}

export class HandlersApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those that are offered, and those that jobs want. */
  list(options?: CallOptions): Promise<Page<HandlerView>> {
    return this.#transport.json({ method: "GET", path: "/handlers", options });
  }
}

function path(id: string): string {
  return `/workers/${encodeURIComponent(id)}`;
}
