// The worker's standing with the server. Nodes restart, are replaced and get overloaded, and a worker outlives all of it:
// what has to be said is said again until it is answered, each time a little later, and a server that does not know the
// worker (any more) is told again who it is.

import { backoffMs, pause } from "../backoff.ts";
import { PunctualApiError } from "../errors.ts";
import type { CallOptions } from "../transport.ts";
import type { Registration, WorkersApi } from "../workers.ts";
import type { Lease } from "./lease.ts";
import type { ErrorContext, Problems } from "./problem.ts";

/** Something is wrong with the request itself: the same again would be answered the same. */
const REFUSALS = [400, 405, 413, 415, 422];
const REGISTER_MS_MAX = 15_000;

type Request<Answer> = (id: string, options: CallOptions) => Promise<Answer>;

export interface RequestOptions {
  /** How long one try may take. */
  timeoutMs: number;
  /** Gives the matter up. Default: when the session ends. */
  signal?: AbortSignal;
  onFailure?: () => void;
}

export class Session {
  readonly api: WorkersApi;
  readonly #id: string;
  readonly #registration: Registration;
  readonly #lease: Lease;
  readonly #problems: Problems;
  readonly #end = new AbortController();
  #registering: Promise<void> | null = null;
  /** As the server asks for it. */
  heartbeatMs = 0;

  constructor(
    api: WorkersApi,
    lease: Lease,
    problems: Problems,
    { id, registration }: { id: string; registration: Registration },
  ) {
    this.api = api;
    this.#lease = lease;
    this.#problems = problems;
    this.#id = id;
    this.#registration = registration;
  }

  /** Makes the worker known. A server that is not there is waited for; one that refuses the key or the worker is not. */
  async begin(): Promise<void> {
    const { signal } = this.#end;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#register();
      } catch (error) {
        signal.throwIfAborted();
        if (isRefusal(error) || statusOf(error) === 401 || statusOf(error) === 403) throw error;
        this.#problems.report(error, { during: "register" });
        await pause(waitMs(failures, error), signal);
      }
    }
  }

  /** Nothing is said or repeated any more. */
  end(): void {
    this.#end.abort(new Error("the worker has stopped"));
  }

  get ended(): boolean {
    return this.#end.signal.aborted;
  }

  /** One try. Throws what went wrong, after having registered again if that was it. */
  async once<Answer>(
    during: ErrorContext["during"],
    request: Request<Answer>,
    { timeoutMs, signal = this.#end.signal }: RequestOptions,
  ): Promise<Answer> {
    try {
      const answer = await request(this.#id, { timeoutMs, signal, retries: 0 });
      this.#problems.healthy(during);
      return answer;
    } catch (error) {
      if (statusOf(error) === 404 && during !== "leave") await this.#registerAgain();
      throw error;
    }
  }

  /** Until it is answered. Throws if it is refused for good, or given up. */
  async insist<Answer>(
    during: ErrorContext["during"],
    request: Request<Answer>,
    options: RequestOptions,
  ): Promise<Answer> {
    const { signal = this.#end.signal } = options;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.once(during, request, options);
      } catch (error) {
        signal.throwIfAborted();
        if (isRefusal(error)) throw error;
        options.onFailure?.();
        this.#problems.report(error, { during });
        await pause(waitMs(failures, error), signal);
      }
    }
  }

  /** Several requests may find at once that the worker is not known; one registration is enough. */
  async #registerAgain(): Promise<void> {
    this.#registering ??= this.#register()
      .catch((error) => this.#problems.report(error, { during: "register" }))
      .finally(() => {
        this.#registering = null;
      });
    await this.#registering;
  }

  async #register(): Promise<void> {
    const options = { timeoutMs: REGISTER_MS_MAX, signal: this.#end.signal, retries: 0 };
    const sentAt = performance.now();
    const { leaseMs, heartbeatMs } = await this.api.register(this.#id, this.#registration, options);
    this.heartbeatMs = heartbeatMs;
    this.#lease.granted(leaseMs, sentAt);
    this.#problems.healthy("register");
  }
}

export function isRefusal(error: unknown): boolean {
  return REFUSALS.includes(statusOf(error));
}

/** 0: there was no answer. */
function statusOf(error: unknown): number {
  return error instanceof PunctualApiError ? error.status : 0;
}

function waitMs(failures: number, error: unknown): number {
  return backoffMs(failures, error instanceof PunctualApiError ? error.retryAfterMs : null);
}
