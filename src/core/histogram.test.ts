import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketLimit, bucketOf, percentiles } from "./histogram.ts";

test("a value is in the first bucket that reaches it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 2 ** 31 - 1 }), (ms) => {
      const bucket = bucketOf(ms);
      expect(bucketLimit(bucket) * (1 + 1e-12)).toBeGreaterThanOrEqual(ms);
      expect(bucketLimit(bucket - 1)).toBeLessThan(ms * (1 + 1e-12));
    }),
  );
  expect([0, 1].map(bucketOf)).toEqual([0, 0]);
});

test("a percentile is at most a bucket off the exact one", () => {
  const values = Array.from({ length: 1_000 }, (_, n) => n + 1);
  const counted = new Map<number, number>();
  for (const value of values) counted.set(bucketOf(value), (counted.get(bucketOf(value)) ?? 0) + 1);
  const { p50, p95, p99 } = percentiles([...counted].map(([bucket, n]) => ({ bucket, n })));
  for (const [seen, exact] of [
    [p50!, 500],
    [p95!, 950],
    [p99!, 990],
  ] as const)
    expect(Math.abs(seen - exact) / exact).toBeLessThan(0.1);
});

test("nothing counted has no percentiles, one value is all of them", () => {
  expect(percentiles([])).toEqual({ p50: null, p95: null, p99: null });
  const { p50, p99 } = percentiles([{ bucket: bucketOf(100), n: 1 }]);
  expect(p50).toBeGreaterThan(90);
  expect(p99).toBeLessThan(110);
});
