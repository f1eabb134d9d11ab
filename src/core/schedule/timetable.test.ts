import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Schedule } from "../../contract/schedule.ts";
import { timetable } from "./timetable.ts";

const CREATED = Date.parse("2026-01-10T12:34:56.789Z");
const ms = (text: string) => Date.parse(text);
const DST = { gap: "shift", fold: "first" } as const;

describe("manual jobs", () => {
  test("have no instants", () => {
    const table = timetable(null, CREATED);
    expect(table.next(0)).toBe(null);
    expect(table.previous(Number.POSITIVE_INFINITY)).toBe(null);
    expect(table.count(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(0);
  });
});

describe("one-time jobs", () => {
  const at = ms("2026-06-01T00:00:00.500Z");
  const table = timetable({ at: "2026-06-01T00:00:00.500Z" }, CREATED);

  test("have one, to the millisecond", () => {
    expect(table.next(at - 1)).toBe(at);
    expect(table.next(at)).toBe(null);
    expect(table.previous(at + 1)).toBe(at);
    expect(table.previous(at)).toBe(null);
    expect([table.count(at - 1, at), table.count(at, at + 1), table.count(0, at - 1)]).toEqual([1, 0, 0]);
  });
});

describe("intervals", () => {
  test("fire one period after the creation for the first time, and keep the phase for ever", () => {
    const table = timetable({ every: "90s" }, CREATED);
    expect(table.next(0)).toBe(CREATED + 90_000);
    expect(table.next(CREATED)).toBe(CREATED + 90_000);
    expect(table.next(CREATED + 90_000)).toBe(CREATED + 180_000);
    expect(table.next(CREATED + 1_000_000 * 90_000 + 1)).toBe(CREATED + 1_000_001 * 90_000);
    expect(table.previous(CREATED + 90_000)).toBe(null);
    expect(table.previous(CREATED + 90_001)).toBe(CREATED + 90_000);
    expect(table.count(CREATED, CREATED + 365 * 86_400_000)).toBe(350_400);
  });

  test("fire one period after startsAt, if there is one", () => {
    const table = timetable({ every: "1h", startsAt: "2026-02-01T00:30:00.000Z" }, CREATED);
    expect(table.next(CREATED)).toBe(ms("2026-02-01T01:30:00Z"));
  });

  test("know no clock changes", () => {
    const table = timetable({ every: "1d", startsAt: "2026-03-28T12:00:00.000Z", timezone: "Europe/Berlin" }, CREATED);
    expect(table.next(ms("2026-03-29T12:00:00Z"))).toBe(ms("2026-03-30T12:00:00Z"));
  });

  test("end with the year 9999", () => {
    const table = timetable({ every: "3650d" }, CREATED);
    const last = table.previous(Number.POSITIVE_INFINITY)!;
    expect(last).toBeLessThan(ms("9999-12-31T23:59:59.999Z"));
    expect(table.next(last)).toBe(null);
    expect(table.count(last - 1, Number.POSITIVE_INFINITY)).toBe(1);
  });
});

describe("cron", () => {
  test("follows the clock of its zone", () => {
    const table = timetable({ cron: "0 9 * * *", timezone: "Europe/Berlin", dst: DST }, CREATED);
    expect(table.next(ms("2026-03-28T12:00:00Z"))).toBe(ms("2026-03-29T07:00:00Z"));
  });

  test("that was not checked is a mistake of the caller", () => {
    expect(() => timetable({ cron: "61 * * * *", timezone: "UTC", dst: DST }, CREATED)).toThrow("unchecked schedule");
    expect(() => timetable({ cron: "1 * * * *", timezone: "Mars/Olympus", dst: DST }, CREATED)).toThrow(
      "unchecked schedule",
    );
  });
});

describe("start and end", () => {
  const table = timetable(
    {
      cron: "0 * * * *",
      timezone: "UTC",
      dst: DST,
      startsAt: "2026-02-01T10:00:00.000Z",
      endsAt: "2026-02-01T13:00:00.000Z",
    },
    CREATED,
  );

  test("the start is included, the end is not", () => {
    expect(table.next(CREATED)).toBe(ms("2026-02-01T10:00:00Z"));
    expect(table.next(ms("2026-02-01T11:30:00Z"))).toBe(ms("2026-02-01T12:00:00Z"));
    expect(table.next(ms("2026-02-01T12:00:00Z"))).toBe(null);
    expect(table.previous(ms("2027-01-01T00:00:00Z"))).toBe(ms("2026-02-01T12:00:00Z"));
    expect(table.previous(ms("2026-02-01T10:00:00Z"))).toBe(null);
    expect(table.count(0, ms("2027-01-01T00:00:00Z"))).toBe(3);
    expect(table.count(ms("2026-02-01T10:00:00Z"), ms("2026-02-01T12:00:00Z"))).toBe(2);
  });
});

test("every kind of schedule agrees with itself, with and without bounds", () => {
  const kind = fc.constantFrom<NonNullable<Schedule>>(
    { every: "7m" },
    { every: "1500ms" },
    { at: "2026-03-01T00:00:00.000Z" },
    { cron: "*/5 * * * *", timezone: "UTC", dst: DST },
    { cron: "30 2 * * *", timezone: "America/New_York", dst: DST },
  );
  const bound = fc.integer({ min: ms("2026-01-01T00:00:00Z"), max: ms("2026-04-01T00:00:00Z") });
  fc.assert(
    fc.property(kind, fc.option(bound), fc.option(bound), bound, bound, (schedule, start, end, a, b) => {
      const bounds = {
        ...(start === null ? {} : { startsAt: new Date(start).toISOString() }),
        ...(end === null ? {} : { endsAt: new Date(end).toISOString() }),
      };
      const table = timetable({ ...schedule, ...bounds }, CREATED);
      const [after, until] = [Math.min(a, b), Math.min(Math.max(a, b), Math.min(a, b) + 86_400_000)];
      const walked: number[] = [];
      for (let at = table.next(after); at !== null && at <= until; at = table.next(at)) walked.push(at);
      expect(table.count(after, until)).toBe(walked.length);
      expect(table.previous(until + 1)).toBe(walked.at(-1) ?? table.previous(after + 1));
      expect(walked.every((at) => at >= (start ?? 0) && at < (end ?? Number.POSITIVE_INFINITY))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
