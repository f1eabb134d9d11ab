/*
 * The instants of an expression in a zone.
 *
 * Promised: `next`, `previous` and `count` speak of one and the same set of instants, decided by expression, zone and
 * policy alone. Where a search starts, how often it is repeated and what was asked before make no difference, so a
 * scheduler that stores an instant and asks for the next one after a restart loses and doubles nothing.
 *
 * Where clocks change there are wall times that do not exist (a gap) and wall times that exist twice (a fold):
 *
 * - An expression whose second, minute or hour begins with `*` means "every so often". It follows elapsed time: it
 *   fires whenever the clock shows a matching time, so not in the gap, and again in the fold.
 * - Any other names fixed times, each of which is meant to happen once on its day. In a fold they fire in the first
 *   pass, or in both. Those in a gap fire once, together, at the first instant after it, or are left out. If that
 *   instant is on another day than they are, they are left out: on a day that was skipped whole, nothing happens.
 *
 * Times are seconds since the epoch in here, milliseconds outside.
 */
import { firstDayOf, monthOf } from "./calendar.ts";
import type { CronExpression } from "./expression.ts";
import { ELAPSED } from "./sets.ts";
import { SETTLED_YEAR, type Stretch } from "./stretch.ts";
import { countWall, nextWall, previousWall, SECONDS_PER_DAY } from "./wall.ts";
import type { Zone } from "./zone.ts";

export interface DstPolicy {
  gap: "shift" | "skip";
  fold: "first" | "both";
}

/** The years in which there are instants: 1 to 9999. */
const FIRST_SECOND = firstDayOf(monthOf(1, 1)) * SECONDS_PER_DAY;
const LAST_SECOND = firstDayOf(monthOf(10_000, 1)) * SECONDS_PER_DAY - 1;

/**
 * An expression can name nothing but a time that its zone leaves out every year (`30 2 * 3 SUN#2` in New York), and a
 * policy can leave that out. From this time on there are only yearly rules, and within so many years every kind of year
 * has come: who has found nothing by then will never find anything.
 */
const SETTLED_SECOND = firstDayOf(monthOf(SETTLED_YEAR, 1)) * SECONDS_PER_DAY;
const SEARCH_SECONDS = 50 * 366 * SECONDS_PER_DAY;

export class Occurrences {
  readonly cron: CronExpression;
  readonly zone: Zone;
  /** Fixed times in a gap are made up for. */
  readonly shifts: boolean;
  /** Fixed times in a fold count in the first pass only. */
  readonly once: boolean;

  constructor(cron: CronExpression, zone: Zone, dst: DstPolicy) {
    const fixed = (cron.flags & ELAPSED) === 0;
    this.cron = cron;
    this.zone = zone;
    this.shifts = fixed && dst.gap === "shift";
    this.once = fixed && dst.fold === "first";
  }

  /** The first instant after this one. */
  next(afterMs: number): number | null {
    let second = Math.max(Math.floor(afterMs / 1_000) + 1, FIRST_SECOND);
    const limit = Math.min(Math.max(second, SETTLED_SECOND) + SEARCH_SECONDS, LAST_SECOND);
    let asked = Number.POSITIVE_INFINITY;
    let found = Number.NEGATIVE_INFINITY;
    while (second <= limit) {
      const stretch = this.zone.at(second);
      if (second === stretch.start && this.makesUp(stretch)) return second * 1_000;
      const from = this.#eligible(stretch, second);
      // What was found from an earlier wall time still holds unless the clock went back behind it or passed it.
      if (from < asked || from > found) {
        asked = from;
        found = nextWall(this.cron, from);
      }
      if (found < stretch.end + stretch.offset) {
        const instant = found - stretch.offset;
        return instant <= LAST_SECOND ? instant * 1_000 : null;
      }
      second = stretch.end;
    }
    return null;
  }

  /** The last instant before this one. */
  previous(beforeMs: number): number | null {
    let second = Math.min(Math.ceil(beforeMs / 1_000) - 1, LAST_SECOND);
    const searched = second - SEARCH_SECONDS;
    let asked = Number.NEGATIVE_INFINITY;
    let found = Number.POSITIVE_INFINITY;
    while (second >= FIRST_SECOND) {
      const stretch = this.zone.at(second);
      const from = second + stretch.offset;
      if (from > asked || from < found) {
        asked = from;
        found = previousWall(this.cron, from);
      }
      if (found >= this.#eligible(stretch, stretch.start)) {
        const instant = found - stretch.offset;
        return instant >= FIRST_SECOND ? instant * 1_000 : null;
      }
      if (this.makesUp(stretch)) return stretch.start * 1_000;
      second = stretch.start - 1;
      if (second < searched && second > SETTLED_SECOND) second = SETTLED_SECOND;
    }
    return null;
  }

  /** How many instants there are after one time, up to and including another. */
  count(afterMs: number, untilMs: number): number {
    let second = Math.max(Math.floor(afterMs / 1_000) + 1, FIRST_SECOND);
    const last = Math.min(Math.floor(untilMs / 1_000), LAST_SECOND);
    let count = 0;
    while (second <= last) {
      const stretch = this.zone.at(second);
      const until = Math.min(stretch.end, last + 1);
      const from = this.#eligible(stretch, second);
      count += countWall(this.cron, from, until + stretch.offset);
      if (second === stretch.start && this.makesUp(stretch) && nextWall(this.cron, from) !== from) count++;
      second = until;
    }
    return count;
  }

  /** Whether fixed times fell into the gap before a stretch, on the day on which it ends. */
  makesUp(stretch: Stretch): boolean {
    const wall = stretch.start + stretch.offset;
    if (!this.shifts || stretch.reached >= wall) return false;
    const midnight = Math.floor(wall / SECONDS_PER_DAY) * SECONDS_PER_DAY;
    return nextWall(this.cron, Math.max(stretch.reached, midnight)) < wall;
  }

  /** The first wall time of a stretch, at or after a second, that may fire. */
  #eligible(stretch: Stretch, second: number): number {
    const wall = second + stretch.offset;
    return this.once && stretch.fresh > wall ? stretch.fresh : wall;
  }
}
