import { expect, test } from "vitest";
import { dayAfter, isDay, startOfDay } from "./day.ts";

function begins(day: string, zone: string): string {
  return startOfDay(day, zone).toISOString();
}

test("a day begins at midnight of its zone", () => {
  expect(begins("2026-11-15", "UTC")).toBe("2026-11-15T00:00:00.000Z");
  expect(begins("2026-11-15", "Europe/Berlin")).toBe("2026-11-14T23:00:00.000Z");
  expect(begins("2026-07-15", "Europe/Berlin")).toBe("2026-07-14T22:00:00.000Z");
  expect(begins("2026-11-15", "America/New_York")).toBe("2026-11-15T05:00:00.000Z");
  expect(begins("2026-11-15", "Asia/Kolkata")).toBe("2026-11-14T18:30:00.000Z");
});

test("on days whose clocks change it is the midnight before the change", () => {
  expect(begins("2026-03-29", "Europe/Berlin")).toBe("2026-03-28T23:00:00.000Z");
  expect(begins("2026-10-25", "Europe/Berlin")).toBe("2026-10-24T22:00:00.000Z");
  expect(begins("2026-11-01", "America/New_York")).toBe("2026-11-01T04:00:00.000Z");
});

test("where midnight is skipped the day begins at its first moment", () => {
  // In Cairo the clocks went from 23:59:59 to 01:00:00 at the end of 23 April 2026.
  expect(begins("2026-04-24", "Africa/Cairo")).toBe("2026-04-23T22:00:00.000Z");
});

test("the day after the last of a month or year is the first of the next", () => {
  expect(dayAfter("2026-02-28")).toBe("2026-03-01");
  expect(dayAfter("2026-12-31")).toBe("2027-01-01");
});

test("what is no day is not taken for one", () => {
  expect(isDay("2026-11-15")).toBe(true);
  for (const text of ["2026-02-30", "15.11.2026", "2026-11", "today", ""]) expect(isDay(text)).toBe(false);
});
