import type { Run, RunLog } from "../../client/worker/run.ts";
import { parseDuration } from "../../contract/duration.ts";
import type { WorkerTarget } from "../../contract/target.ts";
import type { Call } from "../port.ts";

/** What stands behind a run. Signal and log are made when they are asked for. */
export interface FunctionRunSource {
  readonly signal: AbortSignal;
  readonly log: RunLog;
  progress(fraction: number, message?: string): Promise<void>;
}

/**
 * A run as its function sees it. Signal and log are properties of the run itself and not of its class, so that a function may
 * copy it with all that belongs to it; but nothing is behind them before somebody looks.
 */
export class FunctionRun implements Run<never> {
  readonly id: string;
  readonly attempt: number;
  /** What its type is was checked where the function was declared. */
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
  readonly #source: FunctionRunSource;

  constructor(call: Call<WorkerTarget>, payload: unknown, source: FunctionRunSource) {
    this.id = call.executionId;
    this.attempt = call.attempt;
    this.payload = payload as never;
    this.job = { id: call.jobId, name: call.job.name, version: call.jobVersion };
    this.handler = call.job.target.handler;
    this.scheduledAt = call.scheduledAt;
    this.deadline = new Date(call.startedAt.getTime() + parseDuration(call.job.timeout));
    this.idempotencyKey = call.rootId;
    this.traceparent = call.traceparent;
    this.trigger = call.trigger;
    // A function, not a method: it may be passed on as a callback.
    this.progress = (fraction, message) => source.progress(fraction, message);
    this.#source = source;
    Object.defineProperty(this, "signal", FunctionRun.#SIGNAL);
    Object.defineProperty(this, "log", FunctionRun.#LOG);
  }

  // The same for all: a getter made anew for each run costs more than the rest of it.
  static readonly #SIGNAL: PropertyDescriptor & ThisType<FunctionRun> = {
    enumerable: true,
    get() {
      return this.#source.signal;
    },
  };
  static readonly #LOG: PropertyDescriptor & ThisType<FunctionRun> = {
    enumerable: true,
    get() {
      return this.#source.log;
    },
  };
}
