import { handlerOf } from "../core/lane.ts";
import { Load } from "../core/load.ts";
import type { LaneSlots } from "./slots.ts";

/**
 * How many executions of each handler a process runs at once, and how many of all together. A handler's catch-up work takes
 * the handler's own slots.
 */
export class HandlerSlots implements LaneSlots {
  readonly total: number;
  readonly #handlers: ReadonlyMap<string, Handler>;
  #running = 0;

  constructor(
    total: number,
    handlers: readonly { name: string; slots: number }[],
    monotonic: () => number = () => performance.now(),
  ) {
    this.total = total;
    this.#handlers = new Map(handlers.map(({ name, slots }) => [name, { most: slots, load: new Load(monotonic) }]));
  }

  /** How many could be started now if they were of the right handlers. */
  get free(): number {
    let each = 0;
    for (const handler of this.#handlers.values()) each += toRun(handler);
    return Math.min(each, Math.max(0, this.total - this.#running));
  }

  /** How many could be claimed now: to be run, or to wait for those of their handler. */
  get wanted(): number {
    let spare = 0;
    for (const handler of this.#handlers.values()) spare += Math.max(0, handler.load.spare - toRun(handler));
    return this.free + spare;
  }

  /** How many more of each handler may be claimed, to run or to wait as well. */
  handlers(what: "to run" | "to wait"): { name: string; free: number }[] {
    const free = what === "to run" ? toRun : room;
    return Array.from(this.#handlers, ([name, handler]) => ({ name, free: free(handler) }));
  }

  hasFree(lane: string): boolean {
    const { most, load } = this.#of(lane);
    return load.running < most && this.#running < this.total;
  }

  take(lane: string): void {
    this.#running += 1;
    this.#of(lane).load.running += 1;
  }

  give(lane: string): void {
    this.#running -= 1;
    const { load } = this.#of(lane);
    load.running -= 1;
    load.ended();
  }

  wait(lane: string): void {
    this.#of(lane).load.waiting += 1;
  }

  waitNoMore(lane: string): void {
    this.#of(lane).load.waiting -= 1;
  }

  roomFor(lane: string): number {
    return room(this.#of(lane));
  }

  #of(lane: string): Handler {
    const handler = this.#handlers.get(handlerOf(lane));
    if (handler === undefined) throw new Error(`there is no handler for ${lane}`);
    return handler;
  }
}

interface Handler {
  most: number;
  load: Load;
}

function toRun({ most, load }: Handler): number {
  return Math.max(0, most - load.running - load.waiting);
}

function room(handler: Handler): number {
  return Math.max(toRun(handler), handler.load.spare);
}
