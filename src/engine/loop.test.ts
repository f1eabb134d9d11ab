import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../telemetry/log.ts";
import { Loop } from "./loop.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function makeLoop(): { loop: Loop; passes: () => number } {
  let passes = 0;
  const loop = new Loop("test", createLog({ level: "silent" }), async () => {
    passes += 1;
    return { againInMs: 0 };
  });
  return { loop, passes: () => passes };
}

test("a loop runs when it is started, and not before, however often it is woken", async () => {
  const { loop, passes } = makeLoop();
  loop.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(passes()).toBe(0);
  loop.start();
  await vi.advanceTimersByTimeAsync(10);
  expect(passes()).toBeGreaterThan(1);
  await loop.stop();
});

test("a loop that was stopped stays stopped, whoever starts or wakes it", async () => {
  const { loop, passes } = makeLoop();
  await loop.stop();
  loop.start();
  loop.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(passes()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
