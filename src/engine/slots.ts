// How many executions a node runs at once, and how many of them for one lane (a target host). A lane may hold at most as
// many slots as are free: one busy lane gets half of all, two get a third each, and a host that hangs always leaves room
// for the others, without anybody having to say how many hosts there are.

import { Load } from "../core/load.ts";

/** What an attempt takes up while it runs, and before that if it waits. */
export interface LaneSlots {
  /** Whether another of the lane could run now. */
  hasFree(lane: string): boolean;
  take(lane: string): void;
  give(lane: string): void;
  /** One that was claimed waits for a slot, or does so no longer. */
  wait(lane: string): void;
  waitNoMore(lane: string): void;
  /** How many of the lane could be claimed now, to be run or to wait. */
  roomFor(lane: string): number;
}

export class Slots implements LaneSlots {
  readonly total: number;
  readonly #monotonic: () => number;
  readonly #lanes = new Map<string, Load>();
  #running = 0;

  constructor(total: number, monotonic: () => number = () => performance.now()) {
    this.total = total;
    this.#monotonic = monotonic;
  }

  get free(): number {
    return Math.max(0, this.total - this.#running);
  }

  /** How many could be claimed now: to be run, or to wait for those of their lane. */
  get wanted(): number {
    let spare = 0;
    for (const load of this.#lanes.values()) spare += load.spare;
    return this.free + spare;
  }

  get running(): number {
    return this.#running;
  }

  hasFree(lane: string): boolean {
    return this.free > (this.#lanes.get(lane)?.running ?? 0);
  }

  take(lane: string): void {
    this.#running += 1;
    this.#load(lane).running += 1;
  }

  give(lane: string): void {
    this.#running -= 1;
    const load = this.#load(lane);
    load.running -= 1;
    load.ended();
  }

  wait(lane: string): void {
    this.#load(lane).waiting += 1;
  }

  waitNoMore(lane: string): void {
    this.#load(lane).waiting -= 1;
  }

  roomFor(lane: string): number {
    const load = this.#lanes.get(lane);
    return load === undefined ? Math.ceil(this.free / 2) : this.#room(load);
  }

  /** How many more each lane in use may take, to run or to wait as well; `laneLimit` is for all others. */
  limits(what: "to run" | "to wait"): { lanes: { name: string; limit: number }[]; laneLimit: number } {
    for (const [name, load] of this.#lanes) if (load.idle) this.#lanes.delete(name);
    const limit = (load: Load) => (what === "to run" ? this.#toRun(load) : this.#room(load));
    const lanes = Array.from(this.#lanes, ([name, load]) => ({ name, limit: limit(load) }));
    return { lanes, laneLimit: Math.ceil(this.free / 2) };
  }

  #toRun(load: Load): number {
    return Math.max(0, Math.ceil((this.free - load.running) / 2) - load.waiting);
  }

  #room(load: Load): number {
    return Math.max(this.#toRun(load), load.spare);
  }

  #load(lane: string): Load {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const load = new Load(this.#monotonic);
    this.#lanes.set(lane, load);
    return load;
  }
}
