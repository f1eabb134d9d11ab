/** `at` is on the monotonic clock. */
interface Waiting<T> {
  at: number;
  item: T;
}

/** Of those of one moment so many begin in a turn: others have their turns in between, such as the claim of what is due beside them. */
const IN_A_TURN = 250;

/** What waits for its moment: never before it. One timer for all. */
export class StartTimes<T> {
  readonly #monotonic: () => number;
  readonly #begin: (items: T[], more: boolean) => void;
  /** The next one is the last. */
  #waiting: Waiting<T>[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `more`: others are due as well, and begin in the next turn. */
  constructor(monotonic: () => number, begin: (items: T[], more: boolean) => void) {
    this.#monotonic = monotonic;
    this.#begin = begin;
  }

  add(waiting: Waiting<T>[]): void {
    if (waiting.length === 0) return;
    this.#waiting = [...this.#waiting, ...waiting].sort((one, other) => other.at - one.at);
    this.#look();
  }

  #look(): void {
    const now = this.#monotonic();
    const items: T[] = [];
    while (items.length < IN_A_TURN && this.#isDue(now)) items.push(this.#waiting.pop()!.item);
    if (items.length > 0) this.#begin(items, this.#isDue(now));
    this.#wait(now);
  }

  #isDue(now: number): boolean {
    const next = this.#waiting.at(-1);
    return next !== undefined && next.at <= now;
  }

  #wait(now: number): void {
    clearTimeout(this.#timer);
    if (this.#isDue(now)) setImmediate(() => this.#look());
    // A timer may fire almost a millisecond early: then it is looked again.
    else if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => this.#look(), Math.ceil(this.#waiting.at(-1)!.at - now));
  }
}
