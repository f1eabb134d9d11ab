import { expect, test } from "vitest";
import { ticksOf } from "./timeline-ticks.ts";

const HOUR = 3_600_000;
const labels = (from: string, hours: number, width: number, zone: string) => {
  const start = Date.parse(from);
  return ticksOf({ from: start, to: start + hours * HOUR, width }, zone).map(({ label }) => label);
};

test("ticks stand at round hours of the zone, and midnight has the date", () => {
  expect(labels("2026-11-14T20:10:00Z", 6, 400, "Europe/Berlin")).toEqual([
    "22:00",
    "23:00",
    "15 Nov",
    "01:00",
    "02:00",
    "03:00",
  ]);
});

test("a zone that is half an hour off has its own round hours", () => {
  const start = Date.parse("2026-11-15T06:00:00Z");
  const ticks = ticksOf({ from: start, to: start + 3 * HOUR, width: 200 }, "Asia/Kolkata");
  expect(ticks.map(({ label }) => label)).toEqual(["12:00", "13:00", "14:00"]);
  expect(ticks[0]!.at).toBe(Date.parse("2026-11-15T06:30:00Z"));
});

test("the hour that there is twice when summer time ends has two ticks", () => {
  expect(labels("2026-10-24T23:00:00Z", 4, 300, "Europe/Berlin")).toEqual(["01:00", "02:00", "02:00", "03:00"]);
});

test("a week on a phone is divided into days", () => {
  expect(labels("2026-11-10T12:00:00Z", 168, 358, "UTC")).toEqual([
    "11 Nov",
    "12 Nov",
    "13 Nov",
    "14 Nov",
    "15 Nov",
    "16 Nov",
    "17 Nov",
  ]);
});
