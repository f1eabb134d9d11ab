/*
 * The clock changes of a time zone, asked from Intl.
 *
 * Intl answers one question only, "what is the offset at this instant?", and takes some microseconds for it. The engine
 * needs the reverse too, and millions of times a second. So a zone is cut into stretches of constant offset. They are
 * found a year at a time: the offset is sampled every three days and, where two samples differ, the change is found
 * to the second by halving.
 *
 * Three days are enough because no zone has changed its clock twice within less: the closest pair known is four days
 * apart, in 1939; the next seven, in Brazil in 2000 and in changes that Palestine has announced. The same fact keeps
 * the rest simple: a gap or a fold involves two neighbouring stretches and never three.
 *
 * The stretches of a year begin and end with it even if the clock does not change there. The years before the first
 * clock change anywhere, in 1844, are one stretch. Far in the future only yearly rules are left, which repeat with the
 * calendar: such a year is copied from a nearer one with the same weekdays.
 */
import { firstDayOf, isLeapYear, monthOf, weekdayOf } from "./calendar.ts";
import { SECONDS_PER_DAY } from "./wall.ts";

/** A time during which a zone's offset does not change. */
export interface Stretch {
  /** Its first second since the epoch. */
  readonly start: number;
  /** The first second after it. */
  readonly end: number;
  /** Seconds to add to get what the wall clock shows. */
  readonly offset: number;
  /**
   * Wall time the clock had reached when the stretch began. It shows another one only if it was changed then: a later
   * one after a gap, an earlier one in a fold.
   */
  readonly reached: number;
  /** Wall time from which on the clock shows what it has not shown before. Later than its first only in a fold. */
  readonly fresh: number;
}

/** All years before this one are the same. */
export const FIRST_YEAR = 1_840;
/** From here on clocks change by yearly rules only: what Morocco and Palestine have announced ends before. */
export const SETTLED_YEAR = 2_101;
/** Leap years and weekdays of New Year go through all their combinations in as many years. */
const KINDS_OF_YEAR = 28;

const SAMPLE_SECONDS = 3 * SECONDS_PER_DAY;
/** No clock was ever moved by more than a day: what happened longer before a year began does not matter in it. */
const LOOK_BACK_SECONDS = 2 * SECONDS_PER_DAY;

/** The stretches of a year, in order. Far years are made from those of their model. */
export function stretchesOf(zone: string, year: number): Stretch[] {
  if (year < FIRST_YEAR) return [beforeAllChanges(zone)];
  return stretchesBetween(offsetClock(zone), startOf(year), startOf(year + 1));
}

/** The year whose clock changes are those of a far year; itself for one that is not far. */
export function modelOf(year: number): number {
  if (year < SETTLED_YEAR + KINDS_OF_YEAR) return year;
  const newYear = weekdayOf(firstDayOf(monthOf(year, 1)));
  let model = SETTLED_YEAR;
  while (isLeapYear(model) !== isLeapYear(year) || weekdayOf(firstDayOf(monthOf(model, 1))) !== newYear) model++;
  return model;
}

/** The stretches of a far year, from those of its model. */
export function moved(stretches: readonly Stretch[], model: number, year: number): Stretch[] {
  const shift = startOf(year) - startOf(model);
  return stretches.map(({ start, end, offset, reached, fresh }) => ({
    start: start + shift,
    end: end + shift,
    offset,
    reached: reached + shift,
    fresh: fresh + shift,
  }));
}

/** A format that ends in the offset. Throws if there is no such zone. */
export function offsetClock(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", year: "numeric" });
}

function startOf(year: number): number {
  return firstDayOf(monthOf(year, 1)) * SECONDS_PER_DAY;
}

function beforeAllChanges(zone: string): Stretch {
  const end = startOf(FIRST_YEAR);
  const ever = Number.NEGATIVE_INFINITY;
  return { start: ever, end, offset: offsetAt(offsetClock(zone), end - 1), reached: ever, fresh: ever };
}

function stretchesBetween(clock: Intl.DateTimeFormat, from: number, until: number): Stretch[] {
  const stretches: Stretch[] = [];
  let start = from - LOOK_BACK_SECONDS;
  let offset = offsetAt(clock, start);
  let reached = start + offset;
  for (let sampled = start; sampled < until; sampled += SAMPLE_SECONDS) {
    const next = Math.min(sampled + SAMPLE_SECONDS, until - 1);
    const nextOffset = offsetAt(clock, next);
    if (nextOffset === offset) continue;
    const change = firstSecondWith(clock, nextOffset, sampled, next);
    if (change > from) stretches.push(stretchWithin(from, start, change, offset, reached));
    reached = change + offset;
    start = change;
    offset = nextOffset;
  }
  stretches.push(stretchWithin(from, start, until, offset, reached));
  return stretches;
}

/** A change before the year is not where its first stretch begins, but a fold may reach into it. */
function stretchWithin(from: number, start: number, end: number, offset: number, reached: number): Stretch {
  const first = Math.max(start, from);
  const wall = first + offset;
  return { start: first, end, offset, reached: start < from ? wall : reached, fresh: Math.max(reached, wall) };
}

/** Where the offset becomes what it is at the later of two times. */
function firstSecondWith(clock: Intl.DateTimeFormat, offset: number, before: number, after: number): number {
  let low = before;
  let high = after;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(clock, middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** Reads `GMT+05:45`, `GMT-00:44:30` (local mean times of the past go to the second), and `GMT` for none. */
function offsetAt(clock: Intl.DateTimeFormat, second: number): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(clock.format(second * 1_000));
  if (match === null) throw new Error("Intl.DateTimeFormat writes offsets in an unknown way");
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const offset = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -offset : offset;
}
