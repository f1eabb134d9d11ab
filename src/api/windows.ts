/** How often it happened since the window began, and how long that still goes on. */
export interface Counted {
  count: number;
  msLeft: number;
}

/**
 * Counts by key, in windows of one length: a key's window begins with its first count, and when it is over the key begins
 * anew. With more keys than it may keep the one that was quiet longest is forgotten.
 */
export class Windows {
  readonly #windowMs: number;
  readonly #keysMax: number;
  readonly #monotonic: () => number;
  /** Quiet longest first. */
  readonly #counts = new Map<string, { count: number; endsAt: number }>();

  constructor({ windowMs, keysMax, monotonic }: { windowMs: number; keysMax: number; monotonic: () => number }) {
    this.#windowMs = windowMs;
    this.#keysMax = keysMax;
    this.#monotonic = monotonic;
  }

  add(key: string): Counted {
    const { count, msLeft } = this.look(key);
    const counted = { count: count + 1, msLeft };
    this.#counts.delete(key);
    this.#counts.set(key, { count: counted.count, endsAt: this.#monotonic() + msLeft });
    const [quietest] = this.#counts.keys();
    if (this.#counts.size > this.#keysMax && quietest !== undefined) this.#counts.delete(quietest);
    return counted;
  }

  look(key: string): Counted {
    const now = this.#monotonic();
    const known = this.#counts.get(key);
    return known === undefined || known.endsAt <= now
      ? { count: 0, msLeft: this.#windowMs }
      : { count: known.count, msLeft: known.endsAt - now };
  }

  /** One that was counted in advance and turned out not to count. */
  takeBack(key: string): void {
    const known = this.#counts.get(key);
    if (known !== undefined && known.count > 0) known.count -= 1;
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }
}
