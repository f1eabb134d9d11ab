import { expect, test } from "vitest";
import type { Schedule } from "../../contract/schedule.ts";
import { closestInstants } from "./closest-instants.ts";

const NOW = Date.parse("2026-03-01T00:00:30Z");
const cron = (text: string, more: object = {}): Schedule => ({
  cron: text,
  timezone: "UTC",
  dst: { gap: "shift", fold: "first" },
  ...more,
});

test.each<[string, Schedule, number | null]>([
  ["an interval", { every: "90s" }, 90_000],
  ["every minute", cron("* * * * *"), 60_000],
  ["every second", cron("* * * * * *"), 1_000],
  ["two close ones a year", cron("0,7 0 1 1 *"), 7 * 60_000],
  ["a last and a first of two days", cron("59 23,0 * * *"), 3_600_000],
  ["one that skips over the hour", cron("*/7 * * * *"), 4 * 60_000],
  ["both of a fold", cron("30 1 * * *", { timezone: "Europe/London", dst: { gap: "shift", fold: "both" } }), 3_600_000],
  ["one time", { at: "2026-04-01T00:00:00.000Z" }, null],
  ["no schedule", null, null],
  ["a single run", cron("* * * * *", { maxRuns: 1 }), null],
  ["an end before the second", cron("* * * * *", { endsAt: "2026-03-01T00:01:30.000Z" }), null],
])("of %s", (_, schedule, gapMs) => {
  expect(closestInstants(schedule, { anchorMs: NOW, afterMs: NOW })?.gapMs ?? null).toBe(gapMs);
});
