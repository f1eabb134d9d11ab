/** Longer timers fire at once; it is looked again when this one has. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface Limited {
  /** On the clock of `performance.now()`. */
  readonly overAt: number;
  timeOver(): void;
}

/** Ends what has run for too long. One timer for all: nearly all of it ends long before, and each would have to be cleared. */
export class TimeLimits {
  readonly #running: ReadonlyMap<string, Limited>;
  #timer: NodeJS.Timeout | undefined;
  #lookAt = Number.POSITIVE_INFINITY;

  constructor(running: ReadonlyMap<string, Limited>) {
    this.#running = running;
  }

  /** Of something that is among what runs from now on. */
  watch({ overAt }: Limited): void {
    if (overAt >= this.#lookAt) return;
    this.#lookAt = overAt;
    clearTimeout(this.#timer);
    const ms = Math.ceil(overAt - performance.now());
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(0, ms), TIMER_MS_MAX));
  }

  /** Nothing runs any more: nothing keeps the process from ending. */
  idle(): void {
    clearTimeout(this.#timer);
    this.#lookAt = Number.POSITIVE_INFINITY;
  }

  #look(): void {
    this.#lookAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const one of this.#running.values())
      if (one.overAt <= now) one.timeOver();
      else this.watch(one);
  }
}
