import { expect, test } from "vitest";
import {
  daysInMonth,
  firstDayOf,
  isLeapYear,
  monthInYear,
  monthOf,
  monthOfDay,
  weekdayOf,
  yearOfDay,
} from "./calendar.ts";

/** Every day of 400 years and some more, on both sides of the epoch and of a century that is no leap year. */
const FIRST = Date.UTC(1799, 0, 1) / 86_400_000;
const LAST = Date.UTC(2200, 11, 31) / 86_400_000;

test("days, months and weekdays agree with the calendar of the language over 400 years", () => {
  let wrong = 0;
  for (let day = FIRST; day <= LAST; day++) {
    const date = new Date(day * 86_400_000);
    const month = monthOf(date.getUTCFullYear(), date.getUTCMonth() + 1);
    if (monthOfDay(day) !== month) wrong++;
    if (firstDayOf(month) + date.getUTCDate() - 1 !== day) wrong++;
    if (weekdayOf(day) !== date.getUTCDay()) wrong++;
    if (yearOfDay(day) !== date.getUTCFullYear() || monthInYear(month) !== date.getUTCMonth()) wrong++;
  }
  expect(wrong).toBe(0);
});

test("months and years have the lengths they have", () => {
  for (let month = monthOf(1799, 1); month <= monthOf(2200, 12); month++) {
    expect(daysInMonth(month)).toBe(firstDayOf(month + 1) - firstDayOf(month));
  }
  expect([1900, 2000, 2023, 2024, 2100, 2400].filter(isLeapYear)).toEqual([2000, 2024, 2400]);
});

test("the first and the last years hold too", () => {
  expect(firstDayOf(monthOf(1, 1)) * 86_400_000).toBe(Date.parse("0001-01-01T00:00:00Z"));
  expect(firstDayOf(monthOf(9999, 12)) * 86_400_000).toBe(Date.parse("9999-12-01T00:00:00Z"));
  expect(monthOfDay(Date.parse("0000-02-29T00:00:00Z") / 86_400_000)).toBe(monthOf(0, 2));
});
