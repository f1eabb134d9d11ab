import { expect, test } from "vitest";
import { dayBounds, instantAt, wallText } from "./wall-clock.ts";

test("a time is read as the clock of the zone shows it", () => {
  expect(instantAt("2026-11-15T22:30", "Europe/Berlin")).toEqual(new Date("2026-11-15T21:30:00Z"));
  expect(instantAt("2026-07-15T22:30", "Europe/Berlin")).toEqual(new Date("2026-07-15T20:30:00Z"));
  expect(instantAt("2026-11-15T22:30", "Asia/Kolkata")).toEqual(new Date("2026-11-15T17:00:00Z"));
  expect(instantAt("2026-11-15T22:30:15", "UTC")).toEqual(new Date("2026-11-15T22:30:15Z"));
});

test("a time that the clock shows twice is the first of the two", () => {
  expect(instantAt("2026-10-25T02:30", "Europe/Berlin")).toEqual(new Date("2026-10-25T00:30:00Z"));
});

test("a time that the clock leaves out is as long after the gap", () => {
  expect(instantAt("2026-03-29T02:30", "Europe/Berlin")).toEqual(new Date("2026-03-29T01:30:00Z"));
});

test("what is no time is null", () => {
  expect(instantAt("tomorrow", "UTC")).toBeNull();
  expect(instantAt("", "UTC")).toBeNull();
});

test("an instant is written as the zone's clock shows it, and read back the same", () => {
  expect(wallText(new Date("2026-11-15T21:30:00Z"), "Europe/Berlin")).toBe("2026-11-15T22:30");
  expect(instantAt(wallText(new Date("2026-06-01T12:00:00Z"), "America/New_York"), "America/New_York")).toEqual(
    new Date("2026-06-01T12:00:00Z"),
  );
});

test("a day is as long as it is in the zone", () => {
  const hours = (date: string, zone: string) => {
    const { from, to } = dayBounds(date, zone)!;
    return (to.getTime() - from.getTime()) / 3_600_000;
  };
  expect(dayBounds("2026-11-15", "Europe/Berlin")).toEqual({
    from: new Date("2026-11-14T23:00:00Z"),
    to: new Date("2026-11-15T23:00:00Z"),
  });
  expect(hours("2026-03-29", "Europe/Berlin")).toBe(23);
  expect(hours("2026-10-25", "Europe/Berlin")).toBe(25);
  expect(hours("2026-02-28", "UTC")).toBe(24);
});
