import { expect, test } from "vitest";
import { isoOf, msOf } from "./iso-time.ts";

test("times are written and read as the standard does, in any order and again", () => {
  const times = [0, 1, 1, 1_700_000_000_123, 0, 253_402_300_799_999, 1_700_000_000_123];
  expect(times.map(isoOf)).toEqual(times.map((ms) => new Date(ms).toISOString()));
  expect(times.map((ms) => msOf(isoOf(ms)))).toEqual(times);
  expect(isoOf(5.9)).toBe("1970-01-01T00:00:00.005Z");
});
