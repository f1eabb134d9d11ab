/*
 * What a change of the clock does to a cron schedule, in words: for a single instant, and for the year ahead.
 *
 * The rules themselves are in `cron/occurrences.ts`. Here they are only told, so that nobody has to find out in the
 * night in question that 02:30 does not exist.
 */
import type { Occurrences } from "../cron/occurrences.ts";
import { ELAPSED } from "../cron/sets.ts";
import type { Stretch } from "../cron/stretch.ts";
import { countWall, nextWall, previousWall, SECONDS_PER_DAY } from "../cron/wall.ts";

const YEAR_SECONDS = 366 * SECONDS_PER_DAY;
/** More than any zone has changed its clock in a year. */
const NOTES_MAX = 12;

/** Why an instant of the schedule is special; null if it is not. */
export function noteOnInstant(occurrences: Occurrences, instantMs: number): string | null {
  const { cron, zone } = occurrences;
  const second = instantMs / 1_000;
  const stretch = zone.at(second);
  const wall = second + stretch.offset;
  if (second === stretch.start && occurrences.makesUp(stretch)) {
    const missing = timesBetween(occurrences, Math.max(stretch.reached, startOfDay(wall)), wall);
    const also = nextWall(cron, wall) === wall ? "Also stands for" : "Stands for";
    return `${also} ${missing}, which the clock skips on this day`;
  }
  if (wall < stretch.fresh) return `The clock shows ${clock(wall)} twice on this day: this is the second time`;
  const again = zone.changes(second, second + SECONDS_PER_DAY).some((later) => showsAgain(later, wall));
  return again ? `The clock shows ${clock(wall)} twice on this day: this is the first time` : null;
}

function showsAgain(later: Stretch, wall: number): boolean {
  return later.start + later.offset <= wall && wall < later.fresh;
}

/** The changes of the clock that touch the schedule within a year, or up to its end. */
export function notesOnYear(occurrences: Occurrences, afterMs: number, endMs: number): string[] {
  const after = Math.floor(afterMs / 1_000);
  return occurrences.zone
    .changes(after, Math.min(after + YEAR_SECONDS, endMs / 1_000))
    .map((change) => noteOnChange(occurrences, change))
    .filter((note) => note !== null)
    .slice(0, NOTES_MAX);
}

function noteOnChange(occurrences: Occurrences, change: Stretch): string | null {
  const wall = change.start + change.offset;
  const [from, until] = wall > change.reached ? [change.reached, wall] : [wall, change.reached];
  if (countWall(occurrences.cron, from, until) === 0) return null;
  const day = date(wall);
  const move = wall > change.reached ? "goes forward" : "goes back";
  const effect = wall > change.reached ? inGap(occurrences, change) : inFold(occurrences, from, until);
  const sameDay = startOfDay(wall) === startOfDay(change.reached);
  const [before, after] = [change.reached, wall].map((time) => (sameDay ? clock(time) : dateAndClock(time)));
  return `On ${day} the clock ${move} from ${before} to ${after}: ${effect}`;
}

function inGap(occurrences: Occurrences, change: Stretch): string {
  const wall = change.start + change.offset;
  if ((occurrences.cron.flags & ELAPSED) !== 0) return "the times in between do not exist, and do not fire";
  if (!occurrences.makesUp(change)) return `${timesBetween(occurrences, change.reached, wall)} is left out`;
  const moved = timesBetween(occurrences, Math.max(change.reached, startOfDay(wall)), wall);
  return `${moved} fires at ${clock(wall)} instead`;
}

function inFold(occurrences: Occurrences, from: number, until: number): string {
  if ((occurrences.cron.flags & ELAPSED) !== 0) return "fires in both passes, as elapsed time counts";
  const times = timesBetween(occurrences, from, until);
  return occurrences.once
    ? `${times} comes twice, and fires the first time only`
    : `${times} comes twice, and fires both times`;
}

/** The matching times of a wall clock in a span that has some. */
function timesBetween({ cron }: Occurrences, from: number, until: number): string {
  const first = nextWall(cron, from);
  const last = previousWall(cron, until - 1);
  return first === last ? clock(first) : `${clock(first)} to ${clock(last)}`;
}

function startOfDay(wall: number): number {
  return Math.floor(wall / SECONDS_PER_DAY) * SECONDS_PER_DAY;
}

function dateAndClock(wall: number): string {
  return `${date(wall)} ${clock(wall)}`;
}

function date(wall: number): string {
  return new Date(wall * 1_000).toISOString().slice(0, 10);
}

/** `02:30`, with seconds if there are any. */
function clock(wall: number): string {
  const text = new Date(wall * 1_000).toISOString();
  return text.slice(17, 19) === "00" ? text.slice(11, 16) : text.slice(11, 19);
}
