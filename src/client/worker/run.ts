import type { Json } from "../../contract/json.ts";

/** One attempt at an execution, as its handler sees it. */
export interface Run<Payload = Json> {
  /** Of the execution: the same for all attempts. */
  readonly id: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly payload: Payload;
  readonly job: { readonly id: string; readonly name: string; readonly version: number };
  readonly handler: string;
  /** The instant of the schedule; for triggers the moment it was to run at. */
  readonly scheduledAt: Date;
  /** When the time of this attempt is over, by the database's clock. `signal` goes by the time that has passed. */
  readonly deadline: Date;
  /** Stays the same over all attempts and retries: pass it on to whatever must not happen twice. */
  readonly idempotencyKey: string;
  /** W3C trace context of the attempt. */
  readonly traceparent: string;
  /** `schedule`, `manual`, `retry`… */
  readonly trigger: string;
  /**
   * Aborts when the execution is cancelled (`RunCancelled`), its time is over (`RunTimedOut`), it belongs or may
   * belong to somebody else by now (`RunLost`) or the worker stops (`WorkerStopped`); the class is that of `signal.reason`.
   */
  readonly signal: AbortSignal;
  readonly log: RunLog;
  /** How far it is, from 0 to 1, and what it is doing. Told with the heartbeats: of several in a second only the last. */
  progress(fraction: number, message?: string): Promise<void>;
}

/** Lines of the execution's log. They are sent in batches; when too many wait, further ones are counted and dropped. */
export interface RunLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
