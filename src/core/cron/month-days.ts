/*
 * The days of one month that the two day fields name between them, as a mask with bit 0 for the 1st.
 *
 * A whole month at once costs no more than a single day: a set of weekdays is turned to begin with the weekday of the
 * 1st and laid down five times. It makes "the next day", "the day before" and "how many days" the same bit operations.
 */
import { lowestBit } from "./bits.ts";
import { weekdayOf } from "./calendar.ts";
import { ANY_DAY, ANY_WEEKDAY, type CronSets, LAST_WORKDAY } from "./sets.ts";

const SUNDAY = 0;
const SATURDAY = 6;
const LONGEST_MONTH = 0x7fffffff;

/** For a month that begins on this day and has this many. */
export function monthDays(sets: CronSets, start: number, length: number): number {
  const { flags } = sets;
  const all = LONGEST_MONTH >>> (31 - length);
  if ((flags & ANY_DAY) !== 0) return (flags & ANY_WEEKDAY) !== 0 ? all : byWeekday(sets, start, length) & all;
  const byDay = byDayOfMonth(sets, start, length) & all;
  // Both fields say something: either may match, as cron has always had it.
  return (flags & ANY_WEEKDAY) !== 0 ? byDay : (byDay | byWeekday(sets, start, length)) & all;
}

function byDayOfMonth(sets: CronSets, start: number, length: number): number {
  let mask = sets.days;
  for (let rest = sets.daysBeforeLast; rest !== 0; rest &= rest - 1) {
    const before = lowestBit(rest);
    if (before < length) mask |= 1 << (length - 1 - before);
  }
  for (let rest = sets.nearestWeekdays; rest !== 0; rest &= rest - 1) {
    const index = lowestBit(rest);
    if (index < length) mask |= 1 << nearestWorkday(index, start, length);
  }
  if ((sets.flags & LAST_WORKDAY) !== 0) mask |= 1 << nearestWorkday(length - 1, start, length);
  return mask;
}

/** The Monday to Friday nearest to a day, within its month: Saturday the 1st becomes Monday the 3rd. */
function nearestWorkday(index: number, start: number, length: number): number {
  const weekday = weekdayOf(start + index);
  if (weekday === SATURDAY) return index === 0 ? 2 : index - 1;
  if (weekday === SUNDAY) return index === length - 1 ? index - 2 : index + 1;
  return index;
}

function byWeekday(sets: CronSets, start: number, length: number): number {
  const first = weekdayOf(start);
  const week = turned(sets.weekdays, first);
  let mask = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  if (sets.nthWeekdays !== 0) {
    // Each block of seven days has every weekday once: the n-th block holds all the n-th weekdays.
    for (let shift = 0; shift < 28; shift += 7) mask |= turned((sets.nthWeekdays >>> shift) & 127, first) << shift;
  }
  mask |= turned(sets.fifthWeekdays, first) << 28;
  const lastBlock = length - 7;
  return mask | (turned(sets.lastWeekdays, (first + lastBlock) % 7) << lastBlock);
}

/** A set of weekdays whose bit 0 is the given one instead of Sunday. */
function turned(weekdays: number, first: number): number {
  return ((weekdays >>> first) | (weekdays << (7 - first))) & 127;
}
