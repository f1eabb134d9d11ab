import { expect, test } from "vitest";
import type { Schedule } from "../../contract/schedule.ts";
import { plannedSteps } from "./planned-steps.ts";
import { timetable } from "./timetable.ts";

const at = (time: string) => Date.parse(`2026-06-01T${time}Z`);
const MINUTE_MS = 60_000;
const DST = { gap: "shift", fold: "first" } as const;
const cron = (text: string): Schedule => ({ cron: text, timezone: "UTC", dst: DST });

function planned(schedule: Schedule, given: { after: string; until: string; stepMs: number; runsLeft?: number }) {
  const table = timetable(schedule, at("00:00:00"));
  const { stepMs, runsLeft = null } = given;
  return plannedSteps(table, { after: at(given.after), until: at(given.until), stepMs, runsLeft });
}

test("instants of one step are one, and say how many they are", () => {
  const steps = planned(cron("* * * * *"), { after: "12:00:30", until: "12:12:00", stepMs: 5 * MINUTE_MS });
  expect(steps).toEqual([
    { first: at("12:01:00"), last: at("12:04:00"), count: 4 },
    { first: at("12:05:00"), last: at("12:09:00"), count: 5 },
    { first: at("12:10:00"), last: at("12:11:00"), count: 2 },
  ]);
});

test("a rare schedule has its instants one by one", () => {
  const steps = planned(cron("0 13 * * *"), { after: "12:00:00", until: "23:00:00", stepMs: MINUTE_MS });
  expect(steps).toEqual([{ first: at("13:00:00"), last: at("13:00:00"), count: 1 }]);
  expect(planned(null, { after: "12:00:00", until: "23:00:00", stepMs: MINUTE_MS })).toEqual([]);
});

test("no more are planned than may still run", () => {
  const stretch = { after: "12:00:00", until: "12:30:00", stepMs: 10 * MINUTE_MS };
  expect(planned(cron("* * * * *"), { ...stretch, runsLeft: 12 })).toEqual([
    { first: at("12:01:00"), last: at("12:09:00"), count: 9 },
    { first: at("12:10:00"), last: at("12:12:00"), count: 3 },
  ]);
  expect(planned(cron("* * * * *"), { ...stretch, runsLeft: 0 })).toEqual([]);
});

test("a week of seconds is as many steps as it is divided into", () => {
  const table = timetable({ every: "1s" }, at("00:00:00"));
  const after = at("12:00:00");
  const until = after + 7 * 86_400_000;
  const steps = plannedSteps(table, { after, until, stepMs: 35 * MINUTE_MS, runsLeft: null });
  expect(steps.length).toBeLessThanOrEqual(289);
  expect(steps.reduce((sum, { count }) => sum + count, 0)).toBe(7 * 86_400 - 1);
});
