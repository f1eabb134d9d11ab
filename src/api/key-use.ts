// When a key was last used, to the minute: enough to see which ones nobody needs any more, and far from the requests' path.

import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";

const AGAIN_AFTER_MS = 60_000;
const GATHER_MS = 1_000;
const NOTED_MAX = 10_000;

export class KeyUse {
  readonly #store: Pick<Store, "apiKeys">;
  readonly #monotonic: () => number;
  readonly #log: Log;
  /** Oldest first. */
  readonly #notedAt = new Map<string, number>();
  #pending: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(store: Pick<Store, "apiKeys">, { monotonic, log }: { monotonic: () => number; log: Log }) {
    this.#store = store;
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
      await this.#store.apiKeys.noteUse(ids);
    } catch (error) {
      this.#log.warn("api_key.use_not_noted", { keys: ids.length, error });
    }
  }
}
