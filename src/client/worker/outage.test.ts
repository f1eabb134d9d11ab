import { expect, test, vi } from "vitest";
import { RunLost } from "./abort-reason.ts";
import type { Handler } from "./handler.ts";
import { NoRetry } from "./retry.ts";
import type { Run } from "./run.ts";
import { openDesk } from "./testing/desk.ts";
import { obedient, WAIT, waiting } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";

test("a worker outlives its server, and registers again with one that does not know it", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 100;
  const { worker, reported } = workerAt(desk);
  worker.handle("test", () => "done");
  await worker.start();
  await vi.waitUntil(() => desk.polls === 1, WAIT);
  await desk.down();
  desk.registered = false;
  await vi.waitUntil(() => reported.some(({ context }) => context.during === "heartbeat"), WAIT);
  await desk.up();
  expect(await desk.settlementOf(desk.give())).toMatchObject({ result: "done" });
  expect(desk.registered).toBe(true);
});

test("when no heartbeat was answered for as long as the lease, runs are aborted, and nothing is said of those that end by it", async () => {
  const desk = await openDesk();
  desk.leaseMs = 600;
  desk.heartbeatMs = 200;
  const { worker } = workerAt(desk);
  const { runs, handler } = obedient();
  worker.handle("test", { concurrency: 2 }, handler);
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => runs.length === 1, WAIT);
  desk.fault = (action) => (action === "heartbeat" ? "hang" : undefined);
  await vi.waitUntil(() => runs[0]!.signal.aborted, WAIT);
  expect(runs[0]!.signal.reason).toBeInstanceOf(RunLost);
  desk.fault = () => undefined;
  // With the lease it takes work again.
  desk.give();
  await vi.waitUntil(() => runs.length === 2, WAIT);
  await worker.stop();
  expect(desk.settlements.map(({ token }) => token)).not.toContain(given.token);
});

/** A worker with one run, whose server is away until the lease must be over. */
async function beyondTheLease(handler: Handler) {
  const desk = await openDesk();
  desk.leaseMs = 600;
  desk.heartbeatMs = 200;
  const { worker, reported } = workerAt(desk);
  let run: Run | undefined;
  worker.handle("test", (one) => {
    run = one;
    return handler(one);
  });
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => run !== undefined, WAIT);
  await desk.down();
  await vi.waitUntil(() => run!.signal.aborted, WAIT);
  expect(run!.signal.reason).toBeInstanceOf(RunLost);
  return { desk, worker, reported, given };
}

test("what was finished while the server was away for longer than the lease is accepted when it is back", async () => {
  let finish = () => {};
  const { desk, reported, given } = await beyondTheLease(
    () =>
      new Promise((resolve) => {
        finish = () => resolve("done");
      }),
  );
  finish();
  await desk.up();
  expect(await desk.settlementOf(given)).toMatchObject({ outcome: "succeeded", result: "done" });
  // It is free for more, and nobody refused anything.
  await vi.waitUntil(() => desk.polls === 1, WAIT);
  expect(reported.filter(({ error }) => String(error).includes("did not take"))).toEqual([]);
});

test("what goes on while the server is away for longer than the lease is named when it is back, and its own error is told", async () => {
  let fail = () => {};
  const { desk, given } = await beyondTheLease(
    () =>
      new Promise((_, reject) => {
        fail = () => reject(new NoRetry("gone"));
      }),
  );
  const before = desk.received.length;
  const named = () => desk.received.slice(before).some(({ body }) => JSON.stringify(body).includes(given.token));
  await desk.up();
  await vi.waitUntil(named, WAIT);
  fail();
  expect(await desk.settlementOf(given)).toMatchObject({ outcome: "failed", retryable: false });
});

test("what the server calls lost after it was away is given up, and nothing is said about it", async () => {
  let finish = () => {};
  const { desk, worker, reported, given } = await beyondTheLease(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  desk.statuses.set(given.id, "lost");
  await desk.up();
  await vi.waitUntil(() => reported.some(({ context }) => context.during === "run"), WAIT);
  finish();
  await worker.stop();
  expect(desk.settlements).toEqual([]);
});

test("a run that may be lost still has its time, and fails with code timeout when that is over", async () => {
  const desk = await openDesk();
  desk.leaseMs = 600;
  desk.heartbeatMs = 200;
  const { worker } = workerAt(desk);
  const { runs, handler } = waiting();
  worker.handle("test", handler);
  await worker.start();
  const given = desk.give({ timeoutMs: 2_000 });
  await vi.waitUntil(() => runs.length === 1, WAIT);
  desk.fault = (action) => (action === "heartbeat" ? "hang" : undefined);
  expect(await desk.settlementOf(given)).toMatchObject({ outcome: "failed", error: { code: "timeout" } });
  expect(runs[0]!.signal.reason).toBeInstanceOf(RunLost);
});

test("what arrives when the lease may be over begins only when a heartbeat has said whose it is", async () => {
  const desk = await openDesk();
  desk.leaseMs = 400;
  desk.heartbeatMs = 100;
  const { worker } = workerAt(desk);
  const { runs, handler } = waiting();
  worker.handle("test", { concurrency: 2 }, handler);
  desk.give();
  await worker.start();
  await vi.waitUntil(() => runs.length === 1 && desk.polls === 1, WAIT);
  desk.fault = (action) => (action === "heartbeat" ? { status: 503, code: "unavailable" } : undefined);
  await vi.waitUntil(() => runs[0]!.signal.aborted, WAIT);
  const kept = desk.give();
  const beats = desk.count("heartbeat");
  await vi.waitUntil(() => desk.count("heartbeat") > beats + 2, WAIT);
  expect(runs).toHaveLength(1);
  desk.fault = () => undefined;
  await vi.waitUntil(() => runs.length === 2, WAIT);
  expect(runs[1]!.id).toBe(kept.id);
});
