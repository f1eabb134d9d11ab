// What the database said about somebody's credentials, remembered for a moment. Promised: what was revoked opens nothing on
// any node from the moment that call has returned.
//
// Asking the database for every request would cost a connection and a third of a millisecond each. So a node remembers what
// it was told, for a short and fixed time that is counted from before it asked; and whoever revokes something answers only
// when that time has passed since the commit (`untilForgotten`). Whatever another node was told before the commit is
// forgotten by then, whether or not any message reached it. The price is paid by the few who revoke, not by every
// request, and nothing depends on NOTIFY, which may be lost (docs/adr/0007-keys-are-remembered-briefly.md).

import { setTimeout as sleep } from "node:timers/promises";

/** The same on every node and in every version, or a revocation would be answered too soon: not a setting. */
const REMEMBERED_MS = 500;
/** Timers may fire a little early. */
const MARGIN_MS = 20;
const REMEMBERED_MAX = 10_000;

/** Over when no node remembers what it was told before this was called. */
export async function untilForgotten(): Promise<void> {
  await sleep(REMEMBERED_MS + MARGIN_MS);
}

interface Entry<T> {
  until: number;
  answer: Promise<T>;
}

export class BriefMemory<T> {
  readonly #monotonic: () => number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** `msLeft`: how long the answer is true at most; null: no such limit. */
  recall(key: string, ask: () => Promise<T>, msLeft: (answer: T) => number | null = () => null): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#monotonic() < known.until) return known.answer;
    const askedAt = this.#monotonic();
    const entry: Entry<T> = { until: askedAt + REMEMBERED_MS, answer: ask() };
    this.#remember(key, entry);
    entry.answer.then(
      (answer) => {
        const left = msLeft(answer);
        if (left !== null) entry.until = Math.min(entry.until, askedAt + left);
      },
      () => this.#forget(key, entry),
    );
    return entry.answer;
  }

  /** The newest stand last; what finds no room is asked for again. */
  #remember(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > REMEMBERED_MAX && oldest !== undefined) this.#entries.delete(oldest);
  }

  #forget(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
