import { bitCount, highestBit, lowestBit } from "./bits.ts";
import { daysInMonth, firstDayOf, monthInYear, monthOf, monthOfDay } from "./calendar.ts";
import { monthDays } from "./month-days.ts";
import type { CronSets } from "./sets.ts";

/** Searches end here: a year beyond the last instants on both sides, so that no offset makes a difference. */
const FIRST_MONTH = monthOf(0, 1);
const LAST_MONTH = monthOf(10_000, 12);

/**
 * A parsed expression: small whole numbers only, 160 bytes in V8, so that a node can keep one for each of its jobs.
 *
 * The mask of the month asked about last is kept, as the next question is nearly always about the same one. It is the
 * only thing that changes, and no answer depends on it.
 */
export class CronExpression implements CronSets {
  readonly secondsLow: number;
  readonly secondsHigh: number;
  readonly minutesLow: number;
  readonly minutesHigh: number;
  readonly hours: number;
  readonly months: number;
  readonly days: number;
  readonly daysBeforeLast: number;
  readonly nearestWeekdays: number;
  readonly weekdays: number;
  readonly nthWeekdays: number;
  readonly fifthWeekdays: number;
  readonly lastWeekdays: number;
  readonly flags: number;
  /** The first day of the month that is kept, the first day after it, and its mask. */
  #start = 0;
  #end = 0;
  #mask = 0;

  constructor(sets: CronSets) {
    this.secondsLow = sets.secondsLow;
    this.secondsHigh = sets.secondsHigh;
    this.minutesLow = sets.minutesLow;
    this.minutesHigh = sets.minutesHigh;
    this.hours = sets.hours;
    this.months = sets.months;
    this.days = sets.days;
    this.daysBeforeLast = sets.daysBeforeLast;
    this.nearestWeekdays = sets.nearestWeekdays;
    this.weekdays = sets.weekdays;
    this.nthWeekdays = sets.nthWeekdays;
    this.fifthWeekdays = sets.fifthWeekdays;
    this.lastWeekdays = sets.lastWeekdays;
    this.flags = sets.flags;
  }

  matchesDay(day: number): boolean {
    return ((this.#maskAround(day) >>> (day - this.#start)) & 1) === 1;
  }

  /** The first matching day at or after this one; Infinity if there is none. */
  nextDay(from: number): number {
    let rest = this.#maskAround(from) & (-1 << (from - this.#start));
    if (rest === 0) {
      let month = monthOfDay(this.#start);
      do {
        month += this.#monthsUntilNext(monthInYear(month));
        if (month > LAST_MONTH) return Number.POSITIVE_INFINITY;
        rest = this.#maskOf(month);
      } while (rest === 0);
    }
    return this.#start + lowestBit(rest);
  }

  /** The last matching day at or before this one; -Infinity if there is none. */
  previousDay(from: number): number {
    let rest = this.#maskAround(from) & (-1 >>> (31 - (from - this.#start)));
    if (rest === 0) {
      let month = monthOfDay(this.#start);
      do {
        month -= this.#monthsSincePrevious(monthInYear(month));
        if (month < FIRST_MONTH) return Number.NEGATIVE_INFINITY;
        rest = this.#maskOf(month);
      } while (rest === 0);
    }
    return this.#start + highestBit(rest);
  }

  /** How many matching days there are from one (included) to another (excluded). */
  countDays(from: number, until: number): number {
    const lastMonth = monthOfDay(until);
    let count = -bitCount(this.#maskAround(from) & ~(-1 << (from - this.#start)));
    for (let month = monthOfDay(from); month < lastMonth; month++) count += bitCount(this.#maskOf(month));
    return count + bitCount(this.#maskAround(until) & ~(-1 << (until - this.#start)));
  }

  #maskAround(day: number): number {
    return day >= this.#start && day < this.#end ? this.#mask : this.#maskOf(monthOfDay(day));
  }

  #maskOf(month: number): number {
    const length = daysInMonth(month);
    this.#start = firstDayOf(month);
    this.#end = this.#start + length;
    this.#mask = (this.months >>> monthInYear(month)) & 1 ? monthDays(this, this.#start, length) : 0;
    return this.#mask;
  }

  #monthsUntilNext(inYear: number): number {
    const later = this.months >>> (inYear + 1);
    return later !== 0 ? lowestBit(later) + 1 : 12 - inYear + lowestBit(this.months);
  }

  #monthsSincePrevious(inYear: number): number {
    const earlier = this.months & ((1 << inYear) - 1);
    return earlier !== 0 ? inYear - highestBit(earlier) : inYear + 12 - highestBit(this.months);
  }
}
