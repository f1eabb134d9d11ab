import type { PunctualEvent } from "../../contract/events.ts";

export type RememberedEvent = PunctualEvent & { cursor: string };

const EVENTS_MAX = 20_000;
const KEPT_MS = 5 * 60_000;

/** The latest events of all nodes as they arrived here, so that a reader that was away for a moment can go on. */
export class EventMemory {
  #events: { event: RememberedEvent; at: number }[] = [];
  #sequence = 0;
  /** Nothing that came before this can be told. */
  #since = Date.now();

  add(from: string, event: PunctualEvent): RememberedEvent {
    this.#sequence += 1;
    const now = Date.now();
    const remembered = { ...event, cursor: `${now.toString(36)}-${this.#sequence.toString(36)}-${from.slice(-8)}` };
    this.#events.push({ event: remembered, at: now });
    if (this.#events.length > EVENTS_MAX * 1.1) this.#forget(this.#events.length - EVENTS_MAX);
    return remembered;
  }

  /**
   * What came after the cursor. Another node's cursor is placed by its time, a little generously: a reader may see an
   * event twice, which is harmless, but should not miss one.
   */
  since(cursor: string): RememberedEvent[] | null {
    const known = this.#events.findIndex(({ event }) => event.cursor === cursor);
    if (known >= 0) return this.#events.slice(known + 1).map(({ event }) => event);
    const at = Number.parseInt(cursor.split("-")[0] ?? "", 36);
    const now = Date.now();
    if (!Number.isFinite(at) || at < this.#since + 1_000 || at < now - KEPT_MS || at > now + KEPT_MS) return null;
    return this.#events.filter((entry) => entry.at >= at - 1_000).map(({ event }) => event);
  }

  clear(): void {
    this.#events = [];
    this.#since = Date.now();
  }

  #forget(count: number): void {
    this.#since = this.#events[count]!.at;
    this.#events = this.#events.slice(count);
  }
}
