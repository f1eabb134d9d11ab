import { expect, test } from "vitest";
import { bucketOf } from "../core/histogram.ts";
import { ratesOf, totalsOf, windowOf } from "./stats-view.ts";

const NOW = new Date("2026-06-01T12:00:30Z");
const at = (minute: string, measure: string, n: number) => ({
  minute: new Date(`2026-06-01T${minute}:00Z`),
  measure,
  bucket: 0,
  n,
});

test("a window is whole minutes and ends with the present one", () => {
  expect(windowOf(NOW, 3_600_000)).toEqual({
    from: new Date("2026-06-01T11:00:00Z"),
    to: new Date("2026-06-01T12:01:00Z"),
  });
});

test("a long window begins with a whole hour, because minutes are added up to hours after two days", () => {
  expect(windowOf(NOW, 48 * 3_600_000).from).toEqual(new Date("2026-05-30T12:00:00Z"));
  expect(windowOf(new Date("2026-06-01T12:34:30Z"), 48 * 3_600_000).from).toEqual(new Date("2026-05-30T12:34:00Z"));
  expect(windowOf(new Date("2026-06-01T12:34:30Z"), 49 * 3_600_000).from).toEqual(new Date("2026-05-30T11:00:00Z"));
});

test("rates are over the last whole minutes and what has passed of this one", () => {
  const counts = [
    at("11:46", "succeeded", 1_000),
    at("11:59", "succeeded", 60),
    at("11:59", "failed", 20),
    at("12:00", "succeeded", 10),
  ];
  const { ratePerSecond, errorRate } = ratesOf(counts, NOW);
  expect(ratePerSecond["1m"]).toBe(1);
  expect(ratePerSecond["15m"]).toBeCloseTo(1_090 / 930, 3);
  expect(errorRate["1m"]).toBeCloseTo(20 / 90, 3);
  expect(ratesOf([], NOW)).toEqual({
    ratePerSecond: { "1m": 0, "5m": 0, "15m": 0 },
    errorRate: { "1m": 0, "5m": 0, "15m": 0 },
  });
});

test("totals name every final state", () => {
  const { totals, durationMs } = totalsOf([
    { measure: "succeeded", bucket: 0, n: 2 },
    { measure: "attempt", bucket: 0, n: 3 },
    { measure: "duration", bucket: 8, n: 1 },
    { measure: "lateness", bucket: bucketOf(1_000), n: 5 },
    { measure: "lateness", bucket: bucketOf(2_000), n: 1 },
  ]);
  expect(totals).toEqual({ succeeded: 2, failed: 0, cancelled: 0, skipped: 0, unknown: 0, attempts: 3, late: 1 });
  expect(durationMs.p50).toBeLessThanOrEqual(2);
});
