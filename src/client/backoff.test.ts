import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test("a time that the server asks for is kept, with a little added", () => {
  const ms = backoffMs(1, 30_000);
  expect(ms).toBeGreaterThanOrEqual(30_000);
  expect(ms).toBeLessThanOrEqual(30_200);
});

test.each([
  ["an hour", 3_600_000],
  ["more than any timer takes", 2 ** 31],
  ["for ever", Number.POSITIVE_INFINITY],
])("who asks for %s is asked again after a minute", (_, retryAfterMs) => {
  const ms = backoffMs(1, retryAfterMs);
  expect(ms).toBeGreaterThanOrEqual(60_000);
  expect(ms).toBeLessThanOrEqual(60_200);
});

test("without one the wait grows with the failures, up to ten seconds", () => {
  for (const [failures, msMax] of [
    [1, 200],
    [4, 1_600],
    [1_000, 10_000],
  ] as const)
    expect(backoffMs(failures)).toBeLessThanOrEqual(msMax);
});
