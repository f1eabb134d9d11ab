import type { JobDay } from "punctual/client";
import { expect, test } from "vitest";
import { dayInWords, heatOf, weeksOf } from "./heat-days.ts";

function day(date: string, counts: Partial<JobDay> = {}): JobDay {
  return { date, succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unknown: 0, complete: true, ...counts };
}

test("weeks begin on Monday and are filled up at both ends", () => {
  // 12 November 2026 is a Thursday.
  const weeks = weeksOf(
    ["2026-11-12", "2026-11-13", "2026-11-14", "2026-11-15", "2026-11-16"].map((date) => day(date)),
  );
  expect(weeks.map((week) => week.map((each) => each?.date.slice(8) ?? null))).toEqual([
    [null, null, null, "12", "13", "14", "15"],
    ["16", null, null, null, null, null, null],
  ]);
  expect(weeksOf([])).toEqual([]);
});

test("one failure makes a day red, and the more of it failed the stronger", () => {
  expect(heatOf(day("2026-11-12", { succeeded: 99, failed: 1 }), 100)).toEqual({ tone: "bad", strength: 2 });
  expect(heatOf(day("2026-11-12", { succeeded: 8, unknown: 2 }), 100)).toEqual({ tone: "bad", strength: 3 });
  expect(heatOf(day("2026-11-12", { failed: 1 }), 100)).toEqual({ tone: "bad", strength: 4 });
});

test("a day without failures is the stronger the more ran, seen beside the busiest", () => {
  expect(heatOf(day("2026-11-12", { succeeded: 1 }), 10_000)).toEqual({ tone: "ok", strength: 1 });
  expect(heatOf(day("2026-11-12", { succeeded: 10_000 }), 10_000)).toEqual({ tone: "ok", strength: 4 });
  expect(heatOf(day("2026-11-12", { succeeded: 1 }), 1)).toEqual({ tone: "ok", strength: 4 });
  expect(heatOf(day("2026-11-12", { skipped: 5 }), 100)).toEqual({ tone: "idle", strength: 0 });
});

test("a day in words names what there was, and says where it was not counted to the end", () => {
  expect(dayInWords(day("2026-11-12", { succeeded: 1_200, failed: 1, skipped: 3 }))).toBe(
    "1,200 succeeded, 1 failed, 3 skipped",
  );
  expect(dayInWords(day("2026-11-12", { succeeded: 5, complete: false }))).toBe("at least 5 succeeded");
  expect(dayInWords(day("2026-11-12"))).toBe("nothing ran");
});
