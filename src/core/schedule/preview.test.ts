import { describe, expect, test } from "vitest";
import type { CronSchedule, Schedule } from "../../contract/schedule.ts";
import { describe as inWords } from "./describe.ts";
import { preview } from "./preview.ts";

const CREATED = Date.parse("2026-01-15T00:00:00.000Z");

function shown(schedule: Schedule, after: string, count = 2, maxRuns: number | null = null) {
  return preview(schedule, { anchor: CREATED, after: Date.parse(after), count, maxRuns });
}

function cron(text: string, options: Partial<CronSchedule> = {}): CronSchedule {
  return { cron: text, timezone: "Europe/Berlin", dst: { gap: "shift", fold: "first" }, ...options };
}

describe("the instants of a preview", () => {
  test("come after the given time, with what the clock shows", () => {
    expect(shown(cron("0 2 * * *"), "2026-06-01T00:00:00Z").instants).toEqual([
      {
        at: "2026-06-02T00:00:00.000Z",
        scheduledAt: "2026-06-02T00:00:00.000Z",
        local: "2026-06-02T02:00:00+02:00",
        note: null,
      },
      {
        at: "2026-06-03T00:00:00.000Z",
        scheduledAt: "2026-06-03T00:00:00.000Z",
        local: "2026-06-03T02:00:00+02:00",
        note: null,
      },
    ]);
  });

  test("are as many as asked for, as runs are left, and as there are", () => {
    expect(shown(cron("0 2 * * *"), "2026-06-01T00:00:00Z", 5).instants).toHaveLength(5);
    expect(shown(cron("0 2 * * *"), "2026-06-01T00:00:00Z", 5, 3).instants).toHaveLength(3);
    expect(shown(cron("0 2 * * *"), "2026-06-01T00:00:00Z", 0).instants).toEqual([]);
    expect(
      shown(cron("0 2 * * *", { endsAt: "2026-06-03T00:00:00.000Z" }), "2026-06-01T00:00:00Z", 5).instants,
    ).toHaveLength(1);
    expect(shown(null, "2026-06-01T00:00:00Z").instants).toEqual([]);
  });

  test("keep milliseconds and odd offsets", () => {
    expect(
      shown({ at: "2026-06-01T00:00:00.250Z", timezone: "Asia/Kathmandu" }, "2026-01-01T00:00:00Z").instants[0]?.local,
    ).toBe("2026-06-01T05:45:00.250+05:45");
    expect(shown({ every: "1h" }, "2026-06-01T00:00:00Z").instants[0]?.local).toBe("2026-06-01T01:00:00+00:00");
    expect(shown(cron("0 9 * * *", { timezone: "America/St_Johns" }), "2026-01-15T00:00:00Z").instants[0]?.local).toBe(
      "2026-01-15T09:00:00-03:30",
    );
  });

  test("say what a change of the clock does to them", () => {
    const note = (schedule: CronSchedule, after: string) =>
      shown(schedule, after, 3).instants.map((instant) => instant.note);
    expect(note(cron("30 2 * * *"), "2026-03-28T12:00:00Z")).toEqual([
      "Stands for 02:30, which the clock skips on this day",
      null,
      null,
    ]);
    expect(note(cron("0,15,30 2 * * *"), "2026-03-28T12:00:00Z")[0]).toBe(
      "Stands for 02:00 to 02:30, which the clock skips on this day",
    );
    expect(note(cron("0 2,3 * * *"), "2026-03-28T12:00:00Z")[0]).toBe(
      "Also stands for 02:00, which the clock skips on this day",
    );
    expect(note(cron("30 2 * * *"), "2026-10-24T12:00:00Z")[0]).toBe(
      "The clock shows 02:30 twice on this day: this is the first time",
    );
    expect(note(cron("30 2 * * *", { dst: { gap: "shift", fold: "both" } }), "2026-10-24T12:00:00Z")).toEqual([
      "The clock shows 02:30 twice on this day: this is the first time",
      "The clock shows 02:30 twice on this day: this is the second time",
      null,
    ]);
  });
});

describe("the notes of a preview", () => {
  const notes = (schedule: Schedule) => shown(schedule, "2026-01-15T00:00:00Z").notes;

  test("name the nights of the coming year in which the clock changes something", () => {
    expect(notes(cron("30 2 * * *"))).toEqual([
      "On 2026-03-29 the clock goes forward from 02:00 to 03:00: 02:30 fires at 03:00 instead",
      "On 2026-10-25 the clock goes back from 03:00 to 02:00: 02:30 comes twice, and fires the first time only",
    ]);
    expect(notes(cron("30 2 * * *", { dst: { gap: "skip", fold: "both" } }))).toEqual([
      "On 2026-03-29 the clock goes forward from 02:00 to 03:00: 02:30 is left out",
      "On 2026-10-25 the clock goes back from 03:00 to 02:00: 02:30 comes twice, and fires both times",
    ]);
    expect(notes(cron("*/30 * * * *"))).toEqual([
      "On 2026-03-29 the clock goes forward from 02:00 to 03:00: the times in between do not exist, and do not fire",
      "On 2026-10-25 the clock goes back from 03:00 to 02:00: fires in both passes, as elapsed time counts",
    ]);
  });

  test("name both days when the clock is moved across midnight", () => {
    expect(shown(cron("0 12 * * *", { timezone: "Pacific/Apia" }), "2011-12-01T00:00:00Z").notes[0]).toBe(
      "On 2011-12-31 the clock goes forward from 2011-12-30 00:00 to 2011-12-31 00:00: 12:00 is left out",
    );
    expect(shown(cron("30 23 * * *", { timezone: "America/Sao_Paulo" }), "2018-01-01T00:00:00Z").notes[0]).toBe(
      "On 2018-02-17 the clock goes back from 2018-02-18 00:00 to 2018-02-17 23:00: 23:30 comes twice, and fires the first time only",
    );
  });

  test("leave out the nights that change nothing", () => {
    expect(notes(cron("0 9 * * *"))).toEqual([]);
    expect(notes(cron("30 2 1 * *"))).toEqual([]);
    expect(notes(cron("30 2 * * *", { timezone: "UTC" }))).toEqual([]);
    expect(notes(cron("30 2 * * *", { endsAt: "2026-01-10T00:00:00.000Z" }))).toEqual([]);
    expect(notes(cron("30 2 * * *", { endsAt: "2026-06-01T00:00:00.000Z" }))).toHaveLength(1);
    expect(
      notes(cron("30 2 * * *", { startsAt: "2026-06-01T00:00:00.000Z", endsAt: "2027-01-01T00:00:00.000Z" })),
    ).toHaveLength(1);
  });

  test("tell that either of two day fields is enough", () => {
    expect(notes(cron("0 9 1 * MON"))).toEqual([
      "Day of month and day of week are both given: it fires when either of them matches",
    ]);
  });

  test("tell of months that are too short", () => {
    expect(notes(cron("0 9 31 * *"))).toEqual([
      'Months without a day 31 are left out; "L" is the last day of any month',
    ]);
    expect(notes(cron("0 9 29 2 *"))).toHaveLength(1);
    expect(notes(cron("0 9 31 1,3 *"))).toEqual([]);
    expect(notes(cron("0 9 28 * *"))).toEqual([]);
    expect(notes(cron("0 9 15,31 * *"))).toEqual([]);
    expect(notes(cron("0 9 L * *"))).toEqual([]);
  });
});

describe("a schedule in words", () => {
  test.each<[Schedule, string]>([
    [null, "Only when triggered"],
    [cron("0 2 * * MON"), "At 02:00, on Monday, Europe/Berlin time"],
    [{ every: "90s" }, "Every 1 minute 30 seconds"],
    [{ every: "60s" }, "Every minute"],
    [{ every: "1500ms" }, "Every 1 second 500 milliseconds"],
    [{ every: "2d", maxRuns: 1 }, "Every 2 days, at most once"],
    [{ at: "2026-06-01T00:00:00.000Z" }, "Once, at 2026-06-01T00:00:00.000Z"],
    [
      { every: "1h", startsAt: "2026-06-01T00:00:00.000Z", endsAt: "2026-07-01T00:00:00.000Z", maxRuns: 10 },
      "Every hour, from 2026-06-01T00:00:00.000Z, until 2026-07-01T00:00:00.000Z, at most 10 times",
    ],
  ])("%j", (schedule, words) => {
    expect(inWords(schedule)).toBe(words);
  });
});
