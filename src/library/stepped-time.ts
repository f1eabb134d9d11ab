import { parseDuration } from "../contract/duration.ts";
import type { EventType } from "../contract/events.ts";
import type { Execution } from "../contract/execution.ts";
import type { Instance } from "./instance.ts";
import type { SteppedClock } from "./stepped-clock.ts";

/** Of one advance: a year of seconds is a slip, and is told instead of waited for. */
const INSTANTS_MAX = 10_000;
/** A job that triggers itself would otherwise keep an instant busy for ever. Catching up one by one takes up to 1,000. */
const ROUNDS_MAX = 2_000;

const TELLING: EventType[] = [
  "execution.retrying",
  "execution.succeeded",
  "execution.failed",
  "execution.cancelled",
  "execution.skipped",
  "execution.unknown",
];

/**
 * Each move answers the executions that ended, were skipped or will be tried again, in the order in which that happened.
 */
export class SteppedTime {
  readonly #clock: SteppedClock;
  readonly #instance: Instance;
  readonly #touched = new Set<string>();

  constructor(clock: SteppedClock, instance: Instance) {
    this.#clock = clock;
    this.#instance = instance;
    instance.store.events.subscribe(
      ({ type, data }) => {
        if (!TELLING.includes(type) || data.executionId === undefined) return;
        // Told again, it moves to the end.
        this.#touched.delete(data.executionId);
        this.#touched.add(data.executionId);
      },
      () => {},
    );
  }

  get now(): Date {
    return this.#clock.now;
  }

  /** Runs what is due now: after a `trigger`, for example. */
  async run(): Promise<Execution[]> {
    return await this.advanceTo(this.now);
  }

  /** Moves the time on, from one instant at which something happens to the next. */
  async advance(duration: string): Promise<Execution[]> {
    return await this.advanceTo(this.#after(duration));
  }

  async advanceTo(moment: Date | string): Promise<Execution[]> {
    const end = this.#notBefore(momentOf(moment));
    await this.#runDue();
    for (let instants = 0; ; instants += 1) {
      const next = await this.#clock.next();
      if (next === null || next > end) break;
      if (instants >= INSTANTS_MAX)
        throw new RangeError(
          `more than ${INSTANTS_MAX} instants before ${end.toISOString()}: advance in smaller steps`,
        );
      await this.#clock.moveTo(next);
      await this.#runDue();
    }
    return await this.#arriveAt(end);
  }

  /** As if the program had been down: nothing runs on the way, and what was missed is dealt with on arrival. */
  async jump(duration: string): Promise<Execution[]> {
    return await this.jumpTo(this.#after(duration));
  }

  async jumpTo(moment: Date | string): Promise<Execution[]> {
    return await this.#arriveAt(this.#notBefore(momentOf(moment)));
  }

  async #arriveAt(end: Date): Promise<Execution[]> {
    await this.#clock.moveTo(end);
    await this.#runDue();
    await this.#instance.codeJobs.keepOnce();
    return await this.#ran();
  }

  async #runDue(): Promise<void> {
    for (let rounds = 0; (await this.#instance.engine.stepOnce()) > 0; rounds += 1)
      if (rounds >= ROUNDS_MAX)
        throw new Error(`at ${this.now.toISOString()} there is always more to do: does a job trigger itself?`);
  }

  async #ran(): Promise<Execution[]> {
    const { store, projectId } = this.#instance;
    const ids = [...this.#touched];
    this.#touched.clear();
    const executions = await Promise.all(ids.map((id) => store.executions.find(projectId, id)));
    return executions.filter((execution) => execution !== null);
  }

  #after(duration: string): Date {
    return new Date(this.now.getTime() + parseDuration(duration));
  }

  #notBefore(moment: Date): Date {
    if (moment < this.now)
      throw new RangeError(`${moment.toISOString()} is past: it is ${this.now.toISOString()}, and time goes one way`);
    return moment;
  }
}

export function momentOf(written: Date | string): Date {
  const moment = new Date(written);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new RangeError(`${JSON.stringify(written)} is not a moment: write it as 2026-03-29T00:00:00Z`);
}
