import type { ActiveRun } from "./active-run.ts";

/** Longer timers fire at once; it is looked again when this one has. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Ends runs whose time is over. One timer for all: nearly all of them end long before, and each would have to be cleared. */
export class TimeLimits {
  readonly #held: ReadonlyMap<string, ActiveRun>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lookAt = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(held: ReadonlyMap<string, ActiveRun>) {
    this.#held = held;
  }

  /** A run that is held from now on. */
  watch({ overAt }: ActiveRun): void {
    if (overAt >= this.#lookAt || this.#stopped) return;
    this.#lookAt = overAt;
    clearTimeout(this.#timer);
    const ms = Math.ceil(overAt - performance.now());
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(0, ms), TIMER_MS_MAX));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #look(): void {
    this.#lookAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const run of this.#held.values())
      if (run.overAt <= now) run.timeOver();
      else this.watch(run);
  }
}
