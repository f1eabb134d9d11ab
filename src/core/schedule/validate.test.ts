import { describe, expect, test } from "vitest";
import { scheduleInput } from "../../contract/schedule.ts";
import { validateSchedule } from "./validate.ts";

const NOW = Date.parse("2026-01-15T00:00:00.000Z");

function check(input: unknown, { anchor = NOW } = {}) {
  return validateSchedule(scheduleInput.parse(input), { now: NOW, graceMs: 60_000, anchor });
}

function stored(input: unknown) {
  const checked = check(input);
  if (!checked.ok) throw new Error(checked.problems.map((problem) => problem.message).join("; "));
  return checked.schedule;
}

function problems(input: unknown, options?: { anchor: number }): string[] {
  const checked = check(input, options);
  return checked.ok ? [] : checked.problems.map(({ path, code, message }) => `${path} ${code}: ${message}`);
}

describe("what is stored", () => {
  test("manual stays null", () => {
    expect(stored(null)).toBe(null);
  });

  test("cron gets its defaults", () => {
    expect(stored({ cron: " 0 2 * * * " })).toEqual({
      cron: "0 2 * * *",
      timezone: "UTC",
      dst: { gap: "shift", fold: "first" },
    });
    expect(stored({ cron: "0 2 * * *", timezone: "Asia/Kolkata", dst: { fold: "both" }, maxRuns: 3 })).toEqual({
      cron: "0 2 * * *",
      timezone: "Asia/Kolkata",
      dst: { gap: "shift", fold: "both" },
      maxRuns: 3,
    });
  });

  test("times become instants in UTC", () => {
    expect(stored({ every: "1h", startsAt: "2026-02-01T00:00:00+01:00", endsAt: "2026-03-01T00:00Z" })).toEqual({
      every: "1h",
      startsAt: "2026-01-31T23:00:00.000Z",
      endsAt: "2026-03-01T00:00:00.000Z",
    });
    expect(stored({ at: "2026-06-01T09:00:00.250", timezone: "Europe/Berlin" })).toEqual({
      at: "2026-06-01T07:00:00.250Z",
      timezone: "Europe/Berlin",
    });
  });

  test("a delay becomes the instant it leads to", () => {
    expect(stored({ delay: "90s" })).toEqual({ at: "2026-01-15T00:01:30.000Z" });
  });

  test("a local time in a gap becomes the instant after it, one in a fold the first of both", () => {
    expect(stored({ at: "2026-03-29T02:30:00.5", timezone: "Europe/Berlin" })).toMatchObject({
      at: "2026-03-29T01:00:00.000Z",
    });
    expect(stored({ at: "2026-10-25T02:30:00.5", timezone: "Europe/Berlin" })).toMatchObject({
      at: "2026-10-25T00:30:00.500Z",
    });
  });

  test.each([
    [
      {
        cron: "0 2 * * *",
        timezone: "Europe/Berlin",
        startsAt: "2026-02-01T00:00",
        endsAt: "2027-02-01T00:00",
        maxRuns: 7,
      },
    ],
    [{ every: "90s", timezone: "Asia/Tokyo" }],
    [{ at: "2026-06-01T09:00", timezone: "Asia/Tokyo" }],
    [{ delay: "10m" }],
    [null],
  ])("%j is stored as something that is stored as itself", (input) => {
    expect(stored(stored(input))).toEqual(stored(input));
  });
});

describe("what is refused", () => {
  test("all of it at once", () => {
    expect(
      problems({
        cron: "60 * * * *",
        timezone: "Europe/Berln",
        startsAt: "2026-02-02T00:00Z",
        endsAt: "2026-02-01T00:00Z",
      }),
    ).toEqual([
      'timezone unknown_timezone: "Europe/Berln" is not a time zone: did you mean "Europe/Berlin"?',
      'endsAt ends_before_start: "2026-02-01T00:00Z" is not after startsAt, "2026-02-02T00:00Z"',
      'cron invalid_cron: minute: "60" is out of range 0-59',
    ]);
  });

  test("with the value seen", () => {
    const checked = check({ cron: "0 0 30 2 *" });
    expect(checked).toEqual({
      ok: false,
      problems: [
        {
          path: "cron",
          code: "invalid_cron",
          message: '"0 0 30 2 *" never fires (February has no day 30)',
          value: "0 0 30 2 *",
        },
      ],
    });
  });

  test("a time that has passed, beyond grace", () => {
    expect(problems({ at: "2026-01-14T23:59:00Z" })).toEqual([]);
    expect(problems({ at: "2026-01-14T23:58:59.999Z" })).toEqual([
      'at in_the_past: "2026-01-14T23:58:59.999Z" is in the past: it is 2026-01-15T00:00:00.000Z now',
    ]);
  });

  test("a schedule without an instant between start and end", () => {
    expect(problems({ cron: "0 0 1 1 *", startsAt: "2026-02-01T00:00Z", endsAt: "2026-03-01T00:00Z" })).toEqual([
      'endsAt never_fires: cron "0 0 1 1 *" never fires from 2026-02-01T00:00:00.000Z until 2026-03-01T00:00:00.000Z',
    ]);
    expect(problems({ every: "1h", endsAt: "2026-01-15T01:00Z" })).toHaveLength(1);
    expect(problems({ every: "1h", endsAt: "2026-01-15T01:00:00.001Z" })).toEqual([]);
    expect(problems({ at: "2026-02-01T00:00Z", endsAt: "2026-02-01T00:00Z" })).toHaveLength(1);
  });

  test("an end that has passed, but not for a job that has lived before it", () => {
    const input = { cron: "0 * * * *", endsAt: "2026-01-01T00:00Z" };
    expect(problems(input)).toEqual([
      'endsAt never_fires: cron "0 * * * *" never fires before 2026-01-01T00:00:00.000Z',
    ]);
    expect(problems(input, { anchor: Date.parse("2025-06-01T00:00:00Z") })).toEqual([]);
  });

  test("times that do not exist in any year, left out by policy", () => {
    expect(problems({ cron: "30 2 * 3 SUN#2", timezone: "America/New_York", dst: { gap: "skip" } })).toEqual([
      'cron never_fires: cron "30 2 * 3 SUN#2" never fires in America/New_York with dst.gap "skip": its times do not exist there',
    ]);
  });

  test("a local time on a day that was left out", () => {
    const checked = validateSchedule(
      { at: "2011-12-30T12:00", timezone: "Pacific/Apia" },
      { now: 0, graceMs: 0, anchor: 0 },
    );
    expect(!checked.ok && checked.problems[0]?.code).toBe("nonexistent_time");
  });

  test("a local time that the zone moves out of the years we know", () => {
    const checked = validateSchedule(
      { at: "1970-01-01T00:30", timezone: "Asia/Tokyo" },
      { now: 0, graceMs: 0, anchor: 0 },
    );
    expect(!checked.ok && checked.problems[0]?.code).toBe("out_of_range");
  });

  test.each([
    ["Europe/Berln", '"Europe/Berlin"'],
    ["europe/berlim", '"Europe/Berlin"'],
    ["Berlin", '"Europe/Berlin"'],
    ["America/New York", '"America/New_York"'],
    ["Asia/Kolkatta", '"Asia/Kolkata"'],
    ["BST", "IANA name"],
    ["+02:00", "IANA name"],
    ["no such place", "IANA name"],
  ])("the zone %j, with a hint at %s", (timezone, hint) => {
    const [problem] = problems({ cron: "0 2 * * *", timezone });
    expect(problem).toContain(`timezone unknown_timezone: "${timezone}" is not a time zone`);
    expect(problem).toContain(hint);
  });
});
