import { expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

const T = Date.parse("2026-11-15T06:00:00Z");

function clockAt() {
  const time = { now: 1_000 };
  const steps: number[] = [];
  return {
    time,
    steps,
    clock: new DatabaseClock(
      () => time.now,
      (step) => steps.push(step),
    ),
  };
}

test("the database's time is told from the monotonic clock alone", () => {
  const { time, clock } = clockAt();
  expect(clock.now()).toBeNull();
  expect(clock.msUntil(new Date(T))).toBe(0);
  time.now = 1_010;
  clock.observe(new Date(T), 1_000);
  expect(clock.now()).toBe(T + 5);
  time.now = 2_010;
  expect(clock.now()).toBe(T + 1_005);
  expect(clock.msUntil(new Date(T + 2_005))).toBe(1_000);
});

test("an answer that took long says nothing about the time", () => {
  const { time, clock, steps } = clockAt();
  clock.observe(new Date(T), 1_000);
  time.now = 61_000;
  clock.observe(new Date(T + 5_000), 1_001);
  expect(clock.now()).toBe(T + 60_000);
  expect(steps).toEqual([]);
});

test("a clock that jumps is told, and not trusted for a minute", () => {
  const { time, clock, steps } = clockAt();
  clock.observe(new Date(T), 1_000);
  expect(clock.trusted).toBe(true);
  clock.observe(new Date(T - 3_600_000), 1_000);
  expect(steps).toEqual([-3_600_000]);
  expect(clock.trusted).toBe(false);
  time.now += 60_001;
  expect(clock.trusted).toBe(true);
});
