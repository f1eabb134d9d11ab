import { expect, test } from "vitest";
import { jobPointsOf, pointsOf, steppedWindow } from "./series-view.ts";

const NOW = new Date("2026-06-01T12:34:30Z");
const HOUR_MS = 3_600_000;

test("an hour in sixty points is a minute each, and ends with the present one", () => {
  expect(steppedWindow(NOW, HOUR_MS, 60)).toEqual({
    from: new Date("2026-06-01T11:34:00Z"),
    to: new Date("2026-06-01T12:35:00Z"),
    stepMs: 60_000,
  });
});

test("steps are whole minutes, and whole hours where only hours are known", () => {
  expect(steppedWindow(NOW, 24 * HOUR_MS, 60).stepMs).toBe(24 * 60_000);
  expect(steppedWindow(NOW, 48 * HOUR_MS, 500).stepMs).toBe(6 * 60_000);
  expect(steppedWindow(NOW, 49 * HOUR_MS, 500).stepMs).toBe(HOUR_MS);
  expect(steppedWindow(NOW, 7 * 24 * HOUR_MS, 60).stepMs).toBe(3 * HOUR_MS);
});

test("the whole window is within the steps, and they stay where they are while it moves on", () => {
  for (const hours of [0.1, 1, 6, 24, 48, 168, 2_160])
    for (const points of [10, 60, 500]) {
      const { from, to, stepMs } = steppedWindow(NOW, hours * HOUR_MS, points);
      expect(from.getTime()).toBeLessThanOrEqual(NOW.getTime() - hours * HOUR_MS);
      expect(to.getTime()).toBeGreaterThan(NOW.getTime());
      expect((to.getTime() - from.getTime()) / stepMs).toBeLessThanOrEqual(points + 1);
      expect(from.getTime() % stepMs).toBe(0);
    }
});

test("a step in which nothing happened is there, with zeros and without percentiles", () => {
  const window = steppedWindow(NOW, 2 * 60_000, 10);
  const at = new Date("2026-06-01T12:33:00Z");
  const points = pointsOf(window, [
    { at, measure: "succeeded", bucket: 0, n: 3 },
    { at, measure: "attempt", bucket: 0, n: 4 },
    { at, measure: "duration", bucket: 8, n: 3 },
  ]);
  const none = { p50: null, p95: null, p99: null };
  const empty = { succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unknown: 0, late: 0 };
  expect(points).toEqual([
    { at: "2026-06-01T12:32:00.000Z", ...empty, durationMs: none, latenessMs: none },
    { at: at.toISOString(), ...empty, succeeded: 3, durationMs: expect.anything(), latenessMs: none },
    { at: "2026-06-01T12:34:00.000Z", ...empty, durationMs: none, latenessMs: none },
  ]);
  expect(points[1]!.durationMs.p50).toBeGreaterThan(1);
  expect(jobPointsOf(window, [])).toEqual(
    points.map(({ at }) => ({ at, ...empty, durationMs: none, latenessMs: none })),
  );
});
