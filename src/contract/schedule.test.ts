import { describe, expect, test } from "vitest";
import { parseTime, scheduleInput } from "./schedule.ts";

function problems(input: unknown): string[] {
  const parsed = scheduleInput.safeParse(input);
  return (parsed.error?.issues ?? []).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
}

describe("the shape of a schedule", () => {
  test.each([
    [null],
    [{ cron: "0 2 * * *" }],
    [{ cron: "0 2 * * *", timezone: "Europe/Berlin", dst: { gap: "skip", fold: "both" } }],
    [{ cron: "0 2 * * *", dst: {} }],
    [{ every: "90s", startsAt: "2026-12-01T09:00:00+01:00", endsAt: "2027-01-01T00:00:00Z", maxRuns: 5 }],
    [{ at: "2026-12-01T09:00:00.123Z" }],
    [{ at: "2026-12-01T09:00", timezone: "Asia/Tokyo" }],
    [{ delay: "10m" }],
  ])("%j is accepted", (input) => {
    expect(problems(input)).toEqual([]);
  });

  test("exactly one kind is needed", () => {
    expect(problems({})).toEqual([": needs one of cron, every, at and delay"]);
    expect(problems({ timezone: "UTC" })).toEqual([": needs one of cron, every, at and delay"]);
    expect(problems({ cron: "* * * * *", every: "1m" })).toEqual([": has cron and every: keep one of them"]);
  });

  test("an unknown field is named, with what was probably meant", () => {
    expect(problems({ cron: "* * * * *", tz: "UTC" })[0]).toContain('unknown field "tz" (did you mean "timezone"?)');
    expect(problems({ cron: "* * * * *", constructor: 1 })[0]).toContain('unknown field "constructor":');
    expect(problems({ cron: "* * * * *", dst: { spring: "skip" } })).toHaveLength(1);
  });

  test.each([["0 2 * * *"], [5], [[]], [true], [undefined]])("%j is no schedule", (input) => {
    expect(problems(input)[0]).toContain("or null for a job that only runs when triggered");
  });

  test("intervals below a second are refused", () => {
    expect(problems({ every: "999ms" })).toEqual(['every: "999ms" is shorter than the least, 1s']);
    expect(problems({ every: "1s" })).toEqual([]);
  });

  test("a time without an offset needs a zone beside it", () => {
    expect(problems({ at: "2026-12-01T09:00:00" })[0]).toContain('at: "2026-12-01T09:00:00" has no offset');
    expect(problems({ every: "1m", startsAt: "2026-12-01T09:00:00" })[0]).toContain("startsAt:");
    expect(problems({ every: "1m", endsAt: "2026-12-01T09:00:00", timezone: "UTC" })).toEqual([]);
  });

  test("the policy for clock changes goes with cron only", () => {
    expect(problems({ every: "1m", dst: { gap: "skip" } })[0]).toContain('dst: goes with "cron" only');
  });

  test("instants lie in the years 1970 to 9999", () => {
    expect(problems({ at: "1969-12-31T23:59:59Z" })).toEqual([
      'at: "1969-12-31T23:59:59Z" is not in the years 1970 to 9999',
    ]);
    expect(problems({ at: "1970-01-01T00:00:00Z" })).toEqual([]);
    expect(problems({ at: "1970-01-01T00:30:00+01:00" })).toHaveLength(1);
    expect(problems({ at: "9999-12-31T23:59:59.999Z" })).toEqual([]);
    expect(problems({ at: "9999-12-31T23:59:59-01:00" })).toHaveLength(1);
  });

  test.each([0, -1, 1.5, 2 ** 31, "5"])("%j runs at most is refused", (maxRuns) => {
    expect(problems({ every: "1m", maxRuns })).toHaveLength(1);
  });
});

describe("written times", () => {
  test("are read to the millisecond", () => {
    expect(parseTime("2026-12-01T09:00:00.5+01:00")).toEqual({
      wallMs: Date.UTC(2026, 11, 1, 9, 0, 0, 500),
      offsetMinutes: 60,
    });
    expect(parseTime("2026-12-01T09:00:00.123456Z")?.wallMs).toBe(Date.UTC(2026, 11, 1, 9, 0, 0, 123));
    expect(parseTime("2026-12-01T09:00-0330")?.offsetMinutes).toBe(-210);
    expect(parseTime("2026-12-01T09:00")?.offsetMinutes).toBe(null);
  });

  test.each([
    "2026-12-01",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-12-01T24:00:00Z",
    "2026-12-01T09:60:00Z",
    "2026-12-01T09:00:60Z",
    "2026-12-01 09:00:00Z",
    "2026-12-01T09:00:00+24:00",
    "2026-12-01T09:00:00 Z",
    "0050-01-01T00:00:00Z",
    "+12026-12-01T09:00:00Z",
    "tomorrow",
    "1764576000",
    "",
  ])("%j is no time", (text) => {
    expect(parseTime(text)).toBe(null);
  });
});
