import { handlerOf } from "../core/lane.ts";
import type { LaneSlots } from "./slots.ts";

/**
 * How many executions of each handler a process runs at once, and how many of all together. A handler's catch-up work takes
 * the handler's own slots.
 */
export class HandlerSlots implements LaneSlots {
  readonly total: number;
  readonly #most: ReadonlyMap<string, number>;
  readonly #used = new Map<string, number>();
  #running = 0;

  constructor(total: number, handlers: readonly { name: string; slots: number }[]) {
    this.total = total;
    this.#most = new Map(handlers.map(({ name, slots }) => [name, slots]));
  }

  /** How many could be started now if they were of the right handlers. */
  get free(): number {
    const each = this.handlers().reduce((sum, { free }) => sum + free, 0);
    return Math.min(each, Math.max(0, this.total - this.#running));
  }

  handlers(): { name: string; free: number }[] {
    return [...this.#most].map(([name, most]) => ({ name, free: Math.max(0, most - (this.#used.get(name) ?? 0)) }));
  }

  take(lane: string): void {
    this.#add(lane, 1);
  }

  give(lane: string): void {
    this.#add(lane, -1);
  }

  #add(lane: string, n: 1 | -1): void {
    const handler = handlerOf(lane);
    this.#running += n;
    this.#used.set(handler, (this.#used.get(handler) ?? 0) + n);
  }
}
