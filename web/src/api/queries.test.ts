import type { StreamedEvent } from "punctual/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { concerned, createQueries, KINDS, Refresher } from "./queries.ts";

function event(type: StreamedEvent["type"]): StreamedEvent {
  return { type, timestamp: "2026-11-15T22:00:00.000Z", projectId: "p", data: {}, id: "1" };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("events concern what shows them, and a reset concerns everything", () => {
  const kinds = (...types: StreamedEvent["type"][]) =>
    [...concerned({ reset: false, events: types.map(event) })].sort();
  expect(kinds("worker.joined")).toEqual(["workers"]);
  expect(kinds("job.paused")).toEqual(["job", "jobs", "timeline"]);
  expect(kinds("execution.succeeded")).not.toContain("dead-letters");
  expect(kinds("execution.failed")).toContain("dead-letters");
  expect(concerned({ reset: true, events: [] })).toEqual(new Set(KINDS));
});

test("thousands of events a second are a few reads a second", async () => {
  const queries = createQueries(() => {});
  const invalidated = vi.spyOn(queries, "invalidateQueries").mockResolvedValue();
  const refresher = new Refresher(queries);
  for (let ms = 0; ms < 10_000; ms += 250) {
    refresher.take({ reset: false, events: Array.from({ length: 1_000 }, () => event("execution.succeeded")) });
    await vi.advanceTimersByTimeAsync(250);
  }
  const reads = invalidated.mock.calls.filter(([filters]) => filters?.queryKey?.[0] === "executions").length;
  expect(reads).toBeGreaterThanOrEqual(9);
  expect(reads).toBeLessThanOrEqual(11);
  refresher.stop();
});

test("the first event after a while is shown at once, and the last of a burst is not forgotten", async () => {
  const queries = createQueries(() => {});
  const invalidated = vi.spyOn(queries, "invalidateQueries").mockResolvedValue();
  const refresher = new Refresher(queries);
  const batch = { reset: false, events: [event("worker.joined")] };
  refresher.take(batch);
  await vi.advanceTimersByTimeAsync(0);
  expect(invalidated).toHaveBeenCalledTimes(1);
  refresher.take(batch);
  await vi.advanceTimersByTimeAsync(100);
  expect(invalidated).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(invalidated).toHaveBeenCalledTimes(2);
});
