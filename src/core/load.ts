// What is in hand of a lane or a handler: what runs, and what was claimed and waits for a slot.
//
// Where work is short, a claim for every slot that becomes free costs more than the work. So as much may be in hand as ended in
// the last moment: it waits for about as long. Where work is long, nothing waits: less ends in a moment than there are slots.

/** What ended is counted in spans of so many milliseconds; of two spans, the one that goes on and the one before. */
const SPAN_MS = 64;

export class Load {
  running = 0;
  waiting = 0;
  readonly #monotonic: () => number;
  #span = Number.NEGATIVE_INFINITY;
  #ended = 0;
  #endedBefore = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  ended(): void {
    this.#look();
    this.#ended += 1;
  }

  /** How many more may be claimed than could run; nothing until half of what waited has begun, so that claims are few. */
  get spare(): number {
    this.#look();
    const most = this.#ended + this.#endedBefore - this.running;
    return most >= this.waiting * 2 ? Math.max(0, most - this.waiting) : 0;
  }

  /** Nothing is in hand, and nothing has ended lately. */
  get idle(): boolean {
    this.#look();
    return this.running + this.waiting + this.#ended + this.#endedBefore === 0;
  }

  #look(): void {
    const span = Math.floor(this.#monotonic() / SPAN_MS);
    if (span === this.#span) return;
    this.#endedBefore = span === this.#span + 1 ? this.#ended : 0;
    this.#ended = 0;
    this.#span = span;
  }
}
