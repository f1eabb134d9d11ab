// What was claimed and waits for a slot (load.ts says how much that may be), lane by lane, in the order of its priority and then of
// its claim. What has waited for too long, because what runs takes longer than what ran before, is handed over to be given back.

import { START_WITHIN_MS } from "../core/start-within.ts";
import type { ClaimedWork } from "./claimed-work.ts";
import type { LaneSlots } from "./slots.ts";

/** How often it is looked for what has waited for too long. */
const LOOK_MS = 50;
/** So many begin in a turn, so that others have theirs. */
const IN_A_TURN = 250;

export interface WaitingRoomDeps {
  slots: LaneSlots;
  /** The database's time, in milliseconds. */
  now: () => number;
  /** Its slot is taken. */
  begin: (work: ClaimedWork) => void;
  giveBack: (work: ClaimedWork[]) => void;
}

export class WaitingRoom {
  readonly #deps: WaitingRoomDeps;
  /** The next one of each is the last. */
  readonly #lanes = new Map<string, ClaimedWork[]>();
  #begunInTurn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: WaitingRoomDeps) {
    this.#deps = deps;
  }

  add(work: ClaimedWork[]): void {
    if (work.length === 0) return;
    for (const [name, added] of byLane(work)) {
      const waiting = [...(this.#lanes.get(name) ?? []).reverse(), ...added];
      waiting.sort((one, other) => other.claimed.priority - one.claimed.priority);
      this.#lanes.set(name, waiting.reverse());
    }
    // Slots may have become free since they were claimed.
    this.beginNext();
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS);
  }

  /** As many as there are slots for. */
  beginNext(): void {
    for (const [lane, waiting] of this.#lanes) this.#beginOf(lane, waiting);
  }

  #beginOf(lane: string, waiting: ClaimedWork[]): void {
    const { slots, begin } = this.#deps;
    while (
      waiting.length > 0 &&
      slots.hasFree(lane) &&
      this.#age(waiting.at(-1)!) < START_WITHIN_MS &&
      this.#hasTurn()
    ) {
      slots.waitNoMore(lane);
      slots.take(lane);
      begin(waiting.pop()!);
    }
    if (waiting.length === 0) this.#lanes.delete(lane);
  }

  /** Since its start as it was written with its claim. */
  #age({ claimed }: ClaimedWork): number {
    return this.#deps.now() - claimed.startedAt.getTime();
  }

  /** All that waits, which begins no more. */
  empty(): ClaimedWork[] {
    return this.#takeIf(() => true);
  }

  #hasTurn(): boolean {
    if (this.#begunInTurn === 0) setImmediate(() => this.#nextTurn());
    this.#begunInTurn += 1;
    return this.#begunInTurn <= IN_A_TURN;
  }

  #nextTurn(): void {
    this.#begunInTurn = 0;
    this.beginNext();
  }

  #look(): void {
    this.#timer = undefined;
    // By the next look they would be too late.
    const over = this.#takeIf((work) => this.#age(work) > START_WITHIN_MS - LOOK_MS);
    if (over.length > 0) this.#deps.giveBack(over);
    if (this.#lanes.size > 0) this.#timer = setTimeout(() => this.#look(), LOOK_MS);
  }

  /** Each is asked about once: time goes on meanwhile, and what is taken must not be left as well. */
  #takeIf(wanted: (work: ClaimedWork) => boolean): ClaimedWork[] {
    const taken: ClaimedWork[] = [];
    for (const [lane, waiting] of this.#lanes) {
      const left: ClaimedWork[] = [];
      for (const work of waiting) (wanted(work) ? taken : left).push(work);
      if (left.length === 0) this.#lanes.delete(lane);
      else this.#lanes.set(lane, left);
    }
    return taken;
  }
}

function byLane(work: ClaimedWork[]): Map<string, ClaimedWork[]> {
  const lanes = new Map<string, ClaimedWork[]>();
  for (const one of work) {
    const others = lanes.get(one.claimed.lane);
    if (others === undefined) lanes.set(one.claimed.lane, [one]);
    else others.push(one);
  }
  return lanes;
}
