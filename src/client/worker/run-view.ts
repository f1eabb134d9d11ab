import type { HandedOut } from "../../contract/worker.ts";
import type { Run, RunLog } from "./run.ts";

/** What stands behind a run. */
export interface RunSource {
  readonly execution: HandedOut;
  /** Both are made when they are asked for. */
  readonly signal: AbortSignal;
  readonly log: RunLog;
  progress(fraction: number, message?: string): Promise<void>;
}

/**
 * A run as its handler sees it. Signal and log are properties of the run itself and not of its class, so that a handler may
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

  constructor(source: RunSource, payload: unknown) {
    const { execution } = source;
    this.id = execution.id;
    this.attempt = execution.attempt;
    this.payload = payload as never;
    this.job = execution.job;
    this.handler = execution.handler;
    this.scheduledAt = new Date(schedules.msOf(execution.scheduledAt));
    this.deadline = new Date(deadlines.msOf(execution.deadline));
    this.idempotencyKey = execution.idempotencyKey;
    this.traceparent = execution.traceparent;
    this.trigger = execution.trigger;
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

/** What is handed out together has the same few times; reading one of them anew takes longer than all the rest. */
class Instants {
  #text = "";
  #ms = Number.NaN;

  msOf(text: string): number {
    if (text !== this.#text) {
      this.#text = text;
      this.#ms = Date.parse(text);
    }
    return this.#ms;
  }
}

const schedules = new Instants();
const deadlines = new Instants();
