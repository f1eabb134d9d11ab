/*
 * The Gregorian calendar as whole numbers, proleptic and without leap seconds, as POSIX and ECMAScript have it.
 *
 * A day is the number of days since 1970-01-01. A month is the number of months since January of the year 0, so that
 * "the next month" is one more and no pair has to be carried around. Everything here is called in the innermost
 * loops of the engine: no Date objects, no allocation.
 */

/** Days in 400 years. It is also a whole number of weeks, so that weekdays repeat with the dates. */
const DAYS_PER_CYCLE = 146_097;

/** From 0000-03-01 to 1970-01-01. Years that begin in March have the leap day at their very end. */
const DAYS_BEFORE_EPOCH = 719_468;

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function monthOf(year: number, monthOfYear: number): number {
  return year * 12 + monthOfYear - 1;
}

function yearOfMonth(month: number): number {
  return Math.floor(month / 12);
}

/** 0 for January. */
export function monthInYear(month: number): number {
  return month - yearOfMonth(month) * 12;
}

export function daysInMonth(month: number): number {
  const inYear = monthInYear(month);
  if (inYear === 1) return isLeapYear(yearOfMonth(month)) ? 29 : 28;
  // April, June, September and November.
  return inYear === 3 || inYear === 5 || inYear === 8 || inYear === 10 ? 30 : 31;
}

/** The day on which a month begins. */
export function firstDayOf(month: number): number {
  // Months counted from March: their lengths follow one line, 153 days in every five months.
  const fromMarch = month - 2;
  const year = Math.floor(fromMarch / 12);
  const inYear = fromMarch - year * 12;
  const cycle = Math.floor(year / 400);
  const yearOfCycle = year - cycle * 400;
  const leapDays = Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  const daysBeforeMonth = Math.floor((153 * inYear + 2) / 5);
  return cycle * DAYS_PER_CYCLE + yearOfCycle * 365 + leapDays + daysBeforeMonth - DAYS_BEFORE_EPOCH;
}

/** The month in which a day lies. */
export function monthOfDay(day: number): number {
  const shifted = day + DAYS_BEFORE_EPOCH;
  const cycle = Math.floor(shifted / DAYS_PER_CYCLE);
  const dayOfCycle = shifted - cycle * DAYS_PER_CYCLE;
  // Take out the leap days that came before, and what is left are plain years of 365 days.
  const leapDays =
    Math.floor(dayOfCycle / 1_460) - Math.floor(dayOfCycle / 36_524) + Math.floor(dayOfCycle / (DAYS_PER_CYCLE - 1));
  const yearOfCycle = Math.floor((dayOfCycle - leapDays) / 365);
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return (cycle * 400 + yearOfCycle) * 12 + fromMarch + 2;
}

/** 0 for Sunday. */
export function weekdayOf(day: number): number {
  // 1970-01-01 was a Thursday.
  const weekday = (day + 4) % 7;
  return weekday < 0 ? weekday + 7 : weekday;
}

export function yearOfDay(day: number): number {
  return yearOfMonth(monthOfDay(day));
}
