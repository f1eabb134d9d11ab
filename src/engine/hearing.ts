/** The shortest lease of a worker: nobody can be heard in a silence as long as this. */
const SILENCE_MS = 5_000;

/**
 * For how long this node could have heard a worker without a break. Its own passes go through the same database as the
 * workers' heartbeats: while they failed or hung, or the process was frozen, heartbeats were not received either, and a
 * lease that ended meanwhile says nothing about its worker.
 */
export class Hearing {
  readonly #monotonic: () => number;
  /** When the last pass came to its end; null if it did not. */
  #passedAt: number | null = null;
  #since = Number.POSITIVE_INFINITY;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Makes a pass; what it throws is a break. `heardMs` may be asked at any time of it. */
  async during<T>(pass: (heardMs: () => number) => Promise<T>): Promise<T> {
    const passedAt = this.#passedAt ?? Number.NEGATIVE_INFINITY;
    this.#passedAt = null;
    const begunAt = this.#heardUpTo(passedAt);
    const result = await pass(() => this.#heardUpTo(begunAt) - this.#since);
    this.#passedAt = this.#heardUpTo(begunAt);
    return result;
  }

  /** Now; nothing was heard up to now if the last sign is too long ago. */
  #heardUpTo(lastSignAt: number): number {
    const now = this.#monotonic();
    if (now - lastSignAt > SILENCE_MS) this.#since = now;
    return now;
  }
}
