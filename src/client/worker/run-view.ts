import type { Run, RunLog } from "./run.ts";

/** What is known of a run before it begins. */
export type RunFacts = Omit<Run, "payload" | "signal" | "log" | "progress">;

/** What stands behind a run. Signal and log are made when they are asked for. */
export interface RunSource {
  readonly signal: AbortSignal;
  readonly log: RunLog;
  progress(fraction: number, message?: string): Promise<void>;
}

/**
 * A run as its handler sees it, in a worker or in the program itself. Signal and log are properties of the run itself and not of its class, so that a handler may
 * copy it with all that belongs to it; but nothing is behind them before somebody looks.
 */
export class RunView implements Run<never> {
  readonly id: string;
  readonly attempt: number;
  /** What its type is was checked where the handler was declared. */
  readonly payload: never;
  readonly job: Run["job"];
  readonly handler: string;
  readonly scheduledAt: Date;
  readonly deadline: Date;
  readonly idempotencyKey: string;
  readonly traceparent: string;
  readonly trigger: string;
  declare readonly signal: AbortSignal;
  declare readonly log: RunLog;
  readonly progress: Run["progress"];
  readonly #source: RunSource;

  constructor(facts: RunFacts, payload: unknown, source: RunSource) {
    this.id = facts.id;
    this.attempt = facts.attempt;
    this.payload = payload as never;
    this.job = facts.job;
    this.handler = facts.handler;
    this.scheduledAt = facts.scheduledAt;
    this.deadline = facts.deadline;
    this.idempotencyKey = facts.idempotencyKey;
    this.traceparent = facts.traceparent;
    this.trigger = facts.trigger;
    // A function, not a method: handlers pass it on as a callback.
    this.progress = (fraction, message) => source.progress(fraction, message);
    this.#source = source;
    Object.defineProperty(this, "signal", RunView.#SIGNAL);
    Object.defineProperty(this, "log", RunView.#LOG);
  }

  // The same for all: a getter made anew for each run would cost more than the run.
  static readonly #SIGNAL: PropertyDescriptor & ThisType<RunView> = {
    enumerable: true,
    get() {
      return this.#source.signal;
    },
  };
  static readonly #LOG: PropertyDescriptor & ThisType<RunView> = {
    enumerable: true,
    get() {
      return this.#source.log;
    },
  };
}
