import { expect, test } from "vitest";
import { misfireSchema } from "../../contract/job.ts";
import type { ScheduleInput } from "../../contract/schedule.ts";
import { type Present, storedSchedule, withoutDelay } from "./stored-schedule.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const LATER = new Date("2026-06-02T12:00:00.000Z");
const misfire = misfireSchema.parse({});

function stored(written: ScheduleInput, present: Present | null = null, now = NOW) {
  return storedSchedule(written, misfire, present, now);
}

function job(written: ScheduleInput): Present {
  return { schedule: stored(written), createdAt: NOW };
}

test("a delay is stored as a moment, and shown as one", () => {
  const schedule = stored({ delay: "90s" });
  expect(withoutDelay(schedule)).toEqual({ at: "2026-06-01T12:01:30.000Z" });
});

test("the same delay again is the same moment, also after it has passed", () => {
  const present = job({ delay: "60s" });
  expect(stored({ delay: "1m" }, present, LATER)).toBe(present.schedule);
  expect(stored({ at: "2026-06-01T12:01:00Z" }, present, LATER)).toBe(present.schedule);
  expect(withoutDelay(stored({ delay: "2m" }, present, LATER))).toEqual({ at: "2026-06-02T12:02:00.000Z" });
  expect(withoutDelay(stored({ delay: "1m", timezone: "Europe/Berlin" }, present, LATER))).toMatchObject({
    at: "2026-06-02T12:01:00.000Z",
  });
});

test("a delay over a moment or a cron expression is a new moment", () => {
  expect(withoutDelay(stored({ delay: "1m" }, job({ at: "2026-06-01T12:01:00Z" }), LATER))).toEqual({
    at: "2026-06-02T12:01:00.000Z",
  });
  expect(withoutDelay(stored({ delay: "1m" }, job({ cron: "0 0 * * *" }), LATER))).toEqual({
    at: "2026-06-02T12:01:00.000Z",
  });
});

test("a moment that has passed may stay but not come new", () => {
  const present = job({ at: "2026-06-01T13:00:00Z" });
  expect(stored({ at: "2026-06-01T15:00:00+02:00" }, present, LATER)).toBe(present.schedule);
  expect(() => stored({ at: "2026-06-01T13:00:01Z" }, present, LATER)).toThrow(/in the past/);
  expect(() => stored({ at: "2026-06-01T11:00:00Z" })).toThrow(/in the past/);
});

test("no schedule stays none, and what is wrong is named within the schedule", () => {
  expect(stored(null)).toBeNull();
  expect(stored(null, job({ every: "1h" }))).toBeNull();
  try {
    stored({ cron: "61 * * * *" });
    expect.unreachable();
  } catch (error) {
    expect((error as { details: { path: string }[] }).details[0]!.path).toBe("schedule.cron");
  }
});
