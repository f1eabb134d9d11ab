// How many executions a node runs at once, and how many of them for one lane (a target host). A lane may hold at most as
// many slots as are free: one busy lane gets half of all, two get a third each, and a host that hangs always leaves room
// for the others, without anybody having to say how many hosts there are.

/** What an attempt takes up while it runs. */
export interface LaneSlots {
  take(lane: string): void;
  give(lane: string): void;
}

export class Slots implements LaneSlots {
  readonly total: number;
  readonly #used = new Map<string, number>();
  #running = 0;

  constructor(total: number) {
    this.total = total;
  }

  get free(): number {
    return Math.max(0, this.total - this.#running);
  }

  get running(): number {
    return this.#running;
  }

  take(lane: string): void {
    this.#running += 1;
    this.#used.set(lane, (this.#used.get(lane) ?? 0) + 1);
  }

  give(lane: string): void {
    this.#running -= 1;
    const left = (this.#used.get(lane) ?? 1) - 1;
    if (left === 0) this.#used.delete(lane);
    else this.#used.set(lane, left);
  }

  /** How many more each lane in use may take now; `laneLimit` is for all others. */
  limits(): { lanes: { name: string; limit: number }[]; laneLimit: number } {
    const { free } = this;
    const lanes = [...this.#used].map(([name, used]) => ({ name, limit: Math.max(0, Math.ceil((free - used) / 2)) }));
    return { lanes, laneLimit: Math.max(1, Math.ceil(free / 2)) };
  }
}
