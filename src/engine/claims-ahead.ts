// When a dispatcher claims what is not due yet, and how much of it.
//
// What is claimed ahead starts at its very moment, and not when the database has answered; and of a thousand that are due within
// a second a few claims take all, where each moment would need its own. So when nothing is due any more, all that is due within
// AHEAD_MS is claimed, or as much of it as there is room for; and again when half of that time is over. What could not be had ahead
// (its job is running, its lane has no room) is claimed when it is due.
//
// Nobody can call back what is about to start: a pause or an edit of its job waits for it. So it is not claimed longer before than
// needed.

import type { ClaimResult, Place } from "../store/port/queue.ts";
import { type ClaimStart, NO_ID } from "./claim-start.ts";

/** How long before its time something may be claimed. */
export const AHEAD_MS = 250;
/** So many in a claim, and more behind them, are a crowd; what is not claimed of it by then is a load like any other. */
const CROWD_MIN = 500;
const CROWD_MS = 1_000;

export class ClaimsAhead {
  /** Database time, in milliseconds, up to which everything was claimed that could be. */
  #until = Number.NEGATIVE_INFINITY;
  #againAt = Number.NEGATIVE_INFINITY;
  #place: Place | null = null;
  /** When the last of a claim is due that took as much as it could, if that was much. */
  #crowdAt: Date | null = null;

  /** The last claim was of many that are due in a moment. */
  get crowded(): boolean {
    return this.#crowdAt !== null;
  }

  /** What it left of them became due a moment ago. */
  crowdIsDue(now: number): boolean {
    const since = this.#crowdAt === null ? -1 : now - this.#crowdAt.getTime();
    return since >= 0 && since < CROWD_MS;
  }

  /** Something may have been added before where the last claim left off. */
  heard(): void {
    this.#place = null;
  }

  /** The time, by the database's clock, for the next claim, of which `nextRunAt` is the first: never later than that. */
  momentFor(nextRunAt: Date): Date {
    const next = nextRunAt.getTime();
    return new Date(next <= this.#until ? next : Math.min(next, Math.max(next - AHEAD_MS, this.#againAt)));
  }

  /** After a claim at `decidedAt` that left nothing that was due. */
  start(decidedAt: Date): ClaimStart {
    return { order: "priority", from: this.#place ?? { runAt: decidedAt, id: NO_ID }, aheadMs: AHEAD_MS };
  }

  /** `room`: more than were wanted could have been taken. Returns whether there is more. */
  after({ claimed, decidedAt, onward }: ClaimResult, { wanted, room }: { wanted: number; room: boolean }): boolean {
    const decided = decidedAt.getTime();
    const all = onward === null && claimed.length < wanted;
    this.#crowdAt = wanted >= CROWD_MIN && claimed.length >= wanted ? claimed.at(-1)!.runAt : null;
    this.#place = onward;
    this.#until = all ? decided + AHEAD_MS : Number.NEGATIVE_INFINITY;
    if (all) this.#againAt = decided + AHEAD_MS / 2;
    else if (room || claimed.length === 0) this.#againAt = decided;
    else this.#againAt = decided + (Math.max(...claimed.map(({ runAt }) => runAt.getTime())) - decided) / 2;
    return !all;
  }
}

/** A quarter of all that can run at once, and of each lane and handler, is left to what is due at once. */
export function mostAhead({ slots, free }: { slots: number; free: number }): number {
  return Math.max(0, free - Math.ceil(slots / 4));
}
