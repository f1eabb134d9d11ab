import fc from "fast-check";
import { expect, test } from "vitest";
import { compareReleases } from "./release.ts";

test.each([
  ["7", "42"],
  ["1.9", "1.10"],
  ["1.9.9", "1.10"],
  ["v3", "v10"],
  ["2.0.0-alpha", "2.0.0-alpha.1"],
  ["2.0.0-alpha.1", "2.0.0-beta"],
  ["2.0.0-beta.2", "2.0.0-beta.11"],
  ["2.0.0-rc.1", "2.0.0"],
  ["2.0.0-1", "2.0.0"],
  ["1.4-rc1", "1.4"],
  ["1.4-rc9", "1.4-rc10"],
  ["2026-03-29", "2026-10-01"],
  ["2026-3-29", "2026-10-1"],
  ["2026-03-29", "2026-03-29.2"],
  ["2026-03-29T09:00:00Z", "2026-03-29T10:00:00Z"],
  ["20260329101500999999", "20260329101501000000"],
  ["build-9", "build-118"],
  ["dev", "42"],
])("%s is older than %s", (older, newer) => {
  expect(compareReleases(older, newer)).toBeLessThan(0);
  expect(compareReleases(newer, older)).toBeGreaterThan(0);
});

test.each([
  ["42", "42"],
  ["v42", "42"],
  ["1.0", "1.0.0"],
  ["007", "7"],
  ["1.0.0+build.5", "1.0.0+build.6"],
  ["main", " main "],
])("%s is the same release as %s", (a, b) => {
  expect(compareReleases(a, b)).toBe(0);
  expect(compareReleases(b, a)).toBe(0);
});

test("whatever releases are called, they stand in one order", () => {
  const digits = fc.integer({ min: 0, max: 30 }).map(String);
  const part = fc.oneof(digits, fc.constantFrom("rc", "a", "beta", "v", ".", "-", "+", "T"));
  const release = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(release, release, release, (a, b, c) => {
      const [ab, bc, ac] = [compareReleases(a, b), compareReleases(b, c), compareReleases(a, c)].map(Math.sign);
      expect(Math.sign(compareReleases(b, a)) + ab!).toBe(0);
      if (ab === bc) expect(ac).toBe(ab);
      if (ab === 0) expect(ac).toBe(bc);
    }),
    { numRuns: 5_000 },
  );
});
