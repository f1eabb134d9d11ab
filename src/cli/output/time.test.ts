import { expect, test } from "vitest";
import { lasting, relative } from "./time.ts";

const NOW = new Date("2026-12-01T12:00:00.000Z");

test.each([
  ["2026-12-01T12:00:00.400Z", "now"],
  ["2026-12-01T12:00:45.000Z", "in 45 s"],
  ["2026-12-01T12:03:59.000Z", "in 3 m"],
  ["2026-12-01T10:00:00.000Z", "2 h ago"],
  ["2026-11-28T12:00:00.000Z", "3 d ago"],
  ["2027-12-01T12:00:00.000Z", "2027-12-01"],
  ["2020-01-02T12:00:00.000Z", "2020-01-02"],
])("%s is %s", (instant, expected) => {
  expect(relative(instant, NOW)).toBe(expected);
});

test.each([
  [0.4, "0 ms"],
  [120, "120 ms"],
  [1_450, "1.4 s"],
  [59_999, "59.9 s"],
  [60_000, "1 m"],
  [200_000, "3 m 20 s"],
  [7_500_000, "2 h 5 m"],
  [90_000_000, "1 d 1 h"],
])("%d ms last %s", (ms, expected) => {
  expect(lasting(ms)).toBe(expected);
});
