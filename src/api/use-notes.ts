// When a key or session was last used, to the minute: enough to see which ones nobody needs any more, and far from the
// requests' path.

import type { Log } from "../telemetry/log.ts";

const AGAIN_AFTER_MS = 60_000;
const GATHER_MS = 1_000;
const NOTED_MAX = 10_000;

export class UseNotes {
  readonly #keep: (ids: string[]) => Promise<void>;
  readonly #what: string;
  readonly #monotonic: () => number;
  readonly #log: Log;
  /** Oldest first. */
  readonly #notedAt = new Map<string, number>();
  #pending: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    keep: (ids: string[]) => Promise<void>,
    { monotonic, log, what }: { monotonic: () => number; log: Log; what: "api_key" | "session" },
  ) {
    this.#keep = keep;
    this.#what = what;
    this.#monotonic = monotonic;
    this.#log = log;
  }

  note(id: string): void {
    const now = this.#monotonic();
    this.#forgetOld(now);
    // With ten thousand keys in a minute some uses are noted later; none is forgotten for good.
    if (this.#notedAt.has(id) || this.#notedAt.size >= NOTED_MAX) return;
    this.#notedAt.set(id, now);
    this.#pending.push(id);
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS).unref();
  }

  async close(): Promise<void> {
    await this.#write();
  }

  #forgetOld(now: number): void {
    for (const [id, notedAt] of this.#notedAt) {
      if (now - notedAt < AGAIN_AFTER_MS) return;
      this.#notedAt.delete(id);
    }
  }

  async #write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const ids = this.#pending;
    this.#pending = [];
    if (ids.length === 0) return;
    try {
      await this.#keep(ids);
    } catch (error) {
      this.#log.warn(`${this.#what}.use_not_noted`, { count: ids.length, error });
    }
  }
}
