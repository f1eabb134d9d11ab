// Where a dispatcher's claims begin.
//
// What was claimed keeps its place in the index until it has ended, and what has ended keeps it until somebody cleans up, which
// nobody can while a snapshot is held anywhere in the database. A claim that begins at the beginning walks over all of it. So it
// begins behind what the last one took, while there is plenty; or a moment ago, if nothing that is due was left by then.
//
// What is due and older than that comes by other ways than the clock: a pause that ends, a trigger for a time in the past, an
// execution that is given back. Who makes it due sends a wake-up, mostly; and once a second everything is looked at, whatever was heard.

import type { ClaimOptions, ClaimResult, Place } from "../store/port/queue.ts";

export type ClaimStart = Required<Pick<ClaimOptions, "order" | "from">> &
  Pick<ClaimOptions, "aheadMs"> & {
    /** How many claims are made at once, each for its share of what is free. */
    sharedBy?: number;
  };

/** One claim in so many goes by age alone, as long as something is left; where all is of one kind, once a second does. */
const OLDEST_EVERY = 8;
/** Longer than any statement of ours takes to become visible that makes something due at its own time. */
const MOMENT_MS = 2_000;
const ALL_EVERY_MS = 1_000;
/** Before all ids. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";

export class ClaimStarts {
  #claims = 0;
  /** Behind the last that was taken, while there is plenty. */
  #place: Place | null = null;
  /** The database's time at which nothing was left that was due. */
  #cleanAt: Date | null = null;
  #lookedAtAllAt = Number.NEGATIVE_INFINITY;
  #heard = false;

  /** Something may be due that is not due by the clock. */
  heard(): void {
    this.#heard = true;
  }

  /** `at` is a time, in milliseconds, of a clock that never goes back. */
  next(at: number): ClaimStart {
    this.#claims += 1;
    if (this.#heard) this.#cleanAt = null;
    this.#heard = false;
    const wasLongAgo = at - this.#lookedAtAllAt >= ALL_EVERY_MS;
    const isTurnOfOldest = this.#place === null ? this.#claims % OLDEST_EVERY === 0 : wasLongAgo;
    if (this.#cleanAt === null && isTurnOfOldest) return { order: "oldest", from: null };
    if (this.#place !== null) return { order: "priority", from: this.#place };
    if (this.#cleanAt === null || wasLongAgo) return { order: "priority", from: null };
    return { order: "priority", from: { runAt: new Date(this.#cleanAt.getTime() - MOMENT_MS), id: NO_ID } };
  }

  /** What came of it, `at` the time when it was sent. Returns whether something may be due of which the answer knows nothing. */
  after({ from }: ClaimStart, at: number, { decidedAt, blocked, moreIsDue, onward }: ClaimResult): boolean {
    const fromPlace = from !== null && from === this.#place;
    if (from === null) this.#lookedAtAllAt = at;
    // What was blocked may be due again once that is dealt with.
    if (moreIsDue || fromPlace || blocked.length > 0) this.#cleanAt = null;
    else if (from === null || this.#cleanAt !== null) this.#cleanAt = decidedAt;
    this.#place = onward;
    return fromPlace && !moreIsDue;
  }
}
