import type { Execution } from "../contract/execution.ts";
import { pause } from "./backoff.ts";
import { Deadline } from "./deadline.ts";
import { PunctualConnectionError } from "./errors.ts";
import type { EventsApi } from "./events.ts";
import type { ExecutionsApi } from "./executions.ts";
import { mayPass } from "./repetition.ts";

const FINAL: readonly string[] = ["succeeded", "failed", "cancelled", "skipped", "unknown"];
/** Events are hints and may be lost, so the execution is looked at this often in any case. */
const POLL_MS = 2_000;
/** The last look is worth a moment more: it may find that the execution ended just in time. */
const LOOK_MS_MIN = 1_000;

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Default: as long as it takes. */
  timeoutMs?: number | undefined;
}

/** The execution was not final in time. It goes on. */
export class WaitTimeoutError extends Error {
  /** As it was seen last. */
  readonly execution: Execution;

  constructor(execution: Execution, timeoutMs: number) {
    super(`the execution ${execution.id} of "${execution.jobName}" is still ${execution.state} after ${timeoutMs} ms`);
    this.name = "WaitTimeoutError";
    this.execution = execution;
  }
}

/** Looks whenever an event says that something happened to it, and every now and then without one. */
export async function waitForExecution(
  executions: Pick<ExecutionsApi, "get">,
  events: Pick<EventsApi, "stream">,
  id: string,
  { signal, timeoutMs }: WaitOptions,
): Promise<Execution> {
  const end = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  const hints = new Hints(events, id);
  const stop = () => hints.end();
  const look = async (): Promise<Execution> => {
    const deadline = new Deadline(Math.max(LOOK_MS_MIN, end - Date.now()), signal);
    try {
      return await executions.get(id, { signal: deadline.signal });
    } catch (error) {
      if (!deadline.passed) throw error;
      throw new PunctualConnectionError(`waiting for the execution ${id}`, `none came within ${timeoutMs} ms`);
    } finally {
      deadline.clear();
    }
  };
  /** A server that is away for a moment, as when a node is restarted, is no reason to give up. */
  const lookAgain = async (seen: Execution): Promise<Execution> => {
    try {
      return await look();
    } catch (error) {
      if (mayPass(error)) return seen;
      throw error;
    }
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for (let execution = await look(); ; execution = await lookAgain(execution)) {
      if (FINAL.includes(execution.state)) return execution;
      const leftMs = end - Date.now();
      if (leftMs <= 0) throw new WaitTimeoutError(execution, timeoutMs!);
      await hints.next(Math.min(POLL_MS, leftMs));
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    hints.end();
  }
}

/** Whether something happened since it was last asked. A stream that cannot be had is done without. */
class Hints {
  readonly #controller = new AbortController();
  #happened = false;
  #wake: () => void = () => {};

  constructor(events: Pick<EventsApi, "stream">, executionId: string) {
    void this.#listen(events.stream({ executionId, signal: this.#controller.signal }));
  }

  async #listen(stream: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _ of stream) {
        this.#happened = true;
        this.#wake();
      }
    } catch {
      // Looking every now and then will do.
    }
  }

  async next(msMax: number): Promise<void> {
    const waited = new AbortController();
    this.#wake = () => waited.abort();
    if (!this.#happened) await pause(msMax, waited.signal).catch(() => {});
    this.#happened = false;
    this.#wake = () => {};
  }

  end(): void {
    this.#controller.abort();
    this.#wake();
  }
}
