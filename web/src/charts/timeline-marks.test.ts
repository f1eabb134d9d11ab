import type { TimelineSpan } from "punctual/client";
import { expect, test } from "vitest";
import { lookOf, markAt, marksOf, pathsOf, type TimelineView } from "./timeline-marks.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-15T00:00:00Z");
const VIEW: TimelineView = { from: START, to: START + 24 * HOUR, now: START + 18 * HOUR, width: 960 };

const at = (hours: number) => new Date(START + hours * HOUR).toISOString();
const span = (from: number, to: number | null, change: Partial<TimelineSpan> = {}): TimelineSpan => ({
  from: at(from),
  to: to === null ? null : at(to),
  state: "succeeded",
  count: 1,
  executionId: "019a0000-0000-7000-8000-000000000000",
  reason: null,
  ...change,
});

test("a mark stands where its time is, and one of a moment can still be seen", () => {
  const [long, short] = marksOf({ spans: [span(1, 2), span(3, 3)], planned: [] }, VIEW);
  expect(long).toMatchObject({ x: 40, width: 40 });
  expect(short).toMatchObject({ x: 120, width: 3 });
});

test("what goes on reaches until now, and what reaches beyond the edges is cut there", () => {
  const [running, before] = marksOf({ spans: [span(17, null, { state: "running" }), span(-2, 1)], planned: [] }, VIEW);
  expect(running).toMatchObject({ look: "running", x: 680, width: 40 });
  expect(before).toMatchObject({ x: 0, width: 40 });
});

test("what lies outside of what is shown is left out, and what is at its very end is not", () => {
  const planned = [{ from: at(23.999), to: at(23.999), count: 1 }];
  const marks = marksOf({ spans: [span(-3, -2), span(25, 26)], planned }, VIEW);
  expect(marks).toHaveLength(1);
  expect(marks[0]).toMatchObject({ look: "planned", x: 957, width: 3 });
});

test("what was skipped is told apart by why", () => {
  const looks = ["misfire", "overlap", "paused", "edited"].map((reason) => lookOf({ state: "skipped", reason }));
  expect(looks).toEqual(["missed", "overlapped", "paused", "skipped"]);
});

test("of two marks in one place the pointer means the failure, and far from all of them none", () => {
  const spans = [span(6, 6, { state: "failed" }), span(6, 6.05), span(8, 8)];
  const marks = marksOf({ spans, planned: [] }, VIEW);
  expect(markAt(marks, 241)).toBe(0);
  expect(markAt(marks, 318)).toBe(2);
  expect(markAt(marks, 280)).toBeNull();
});

test("what is painted last is what must not be overlooked, and planned marks that touch become one", () => {
  const planned = [19, 19.05, 19.1, 22].map((hour) => ({ from: at(hour), to: at(hour), count: 1 }));
  const marks = marksOf({ spans: [span(1, 1, { state: "failed" }), span(1, 2)], planned }, VIEW);
  const paths = pathsOf(marks);
  expect(paths.map(({ look }) => look)).toEqual(["planned", "succeeded", "failed"]);
  expect(paths[0]!.path.match(/M/g)).toHaveLength(2);
});
