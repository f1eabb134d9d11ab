import { expect, test, vi } from "vitest";
import { RunCancelled, RunLost, RunTimedOut } from "./abort-reason.ts";
import { openDesk } from "./testing/desk.ts";
import { obedient, WAIT, waiting } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";

test("a cancelled execution aborts its run and is settled as cancelled", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 50;
  const { worker } = workerAt(desk);
  const { runs, handler } = obedient();
  worker.handle("test", handler);
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => runs.length === 1, WAIT);
  desk.statuses.set(given.id, "cancel");
  expect(await desk.settlementOf(given)).toMatchObject({ outcome: "cancelled" });
  expect(runs[0]!.signal.reason).toBeInstanceOf(RunCancelled);
});

test("a lost execution aborts its run, and nothing is said about it", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 50;
  const { worker } = workerAt(desk);
  const { runs, handler } = obedient();
  worker.handle("test", handler);
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => runs.length === 1, WAIT);
  desk.statuses.set(given.id, "lost");
  await vi.waitUntil(() => runs[0]!.signal.aborted, WAIT);
  expect(runs[0]!.signal.reason).toBeInstanceOf(RunLost);
  // Its slot is free: the next one runs and is settled, the lost one is not.
  const next = desk.give();
  await vi.waitUntil(() => runs.length === 2, WAIT);
  await worker.stop();
  expect(desk.settlements.map(({ token }) => token)).toEqual([next.token]);
});

test("a run whose time is over is aborted with a TimeoutError and fails with code timeout", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  const { runs, handler } = obedient();
  worker.handle("test", handler);
  await worker.start();
  const settlement = await desk.settlementOf(desk.give({ timeoutMs: 50 }));
  expect(settlement).toMatchObject({ outcome: "failed", error: { code: "timeout" } });
  expect(settlement).not.toHaveProperty("retryable");
  expect(runs[0]!.signal.reason).toBeInstanceOf(RunTimedOut);
  expect((runs[0]!.signal.reason as Error).name).toBe("TimeoutError");
  expect(reported).toEqual([]);
});

test("a handler that ignores its signal is given up, but keeps its slot until it returns", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", handler);
  await worker.start();
  const given = desk.give({ timeoutMs: 20 });
  expect(await desk.settlementOf(given)).toMatchObject({ outcome: "failed", error: { code: "timeout" } });
  const next = desk.give();
  await vi.waitUntil(() => reported.length === 1, WAIT);
  expect(reported[0]).toMatchObject({
    error: { message: expect.stringContaining('the handler "test" goes on') },
    context: { during: "run", executionId: given.id },
  });
  expect(finish).toHaveLength(1);
  finish[0]!();
  await vi.waitUntil(() => finish.length === 2, WAIT);
  finish[1]!();
  await desk.settlementOf(next);
});

test("work that was done when its time was over is done", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", async (run) => {
    await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
    return "in the last moment";
  });
  await worker.start();
  expect(await desk.settlementOf(desk.give({ timeoutMs: 20 }))).toMatchObject({ outcome: "succeeded" });
});
