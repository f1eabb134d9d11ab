import { describe, expect, test } from "vitest";
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

describe("the moment at which the database's clock surely shows a time", () => {
  test("is not known before it was asked", () => {
    expect(clockAt().clock.surelyAt(new Date(T))).toBe(Number.POSITIVE_INFINITY);
  });

  test("is told by the quickest answer, and is later than the truth by less than that took", () => {
    const { time, clock } = clockAt();
    // Its clock shows T at 1,000. It is asked at 1,000 and answers at once, the answer takes 2 ms; the others are slow.
    time.now = 1_002;
    clock.observe(new Date(T), 1_000);
    expect(clock.surelyAt(new Date(T + 500))).toBe(1_502);
    time.now = 1_100;
    clock.observe(new Date(T + 50), 1_050);
    expect(clock.surelyAt(new Date(T + 500))).toBeCloseTo(1_502.05, 2);
  });

  test("moves away as the clocks may, until the next answer", () => {
    const { time, clock } = clockAt();
    clock.observe(new Date(T), 1_000);
    time.now = 11_000;
    expect(clock.surelyAt(new Date(T + 20_000))).toBe(21_005);
    clock.observe(new Date(T + 10_000), 11_000);
    expect(clock.surelyAt(new Date(T + 20_000))).toBe(21_000);
  });

  test("follows a clock that was set back a little", () => {
    const { time, clock } = clockAt();
    clock.observe(new Date(T), 1_000);
    time.now = 1_500;
    clock.observe(new Date(T + 300), 1_500);
    expect(clock.surelyAt(new Date(T + 1_000))).toBe(2_200);
  });
});
