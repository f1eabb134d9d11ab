import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { RunCancelled, RunLost, RunTimedOut, WorkerStopped } from "./abort-reason.ts";
import type { Handler } from "./handler.ts";
import { NoRetry, RetryAfter } from "./retry.ts";
import type { Run } from "./run.ts";
import { KEY, openDesk, registrationIn } from "./testing/desk.ts";
import { workerAt } from "./testing/workers.ts";
import { Worker } from "./worker.ts";

const WAIT = { timeout: 20_000, interval: 5 };

/** A handler that waits until it is told how to end, and what it saw. */
function waiting() {
  const runs: Run[] = [];
  const finish: (() => void)[] = [];
  const handler = async (run: Run) => {
    runs.push(run);
    await new Promise<void>((resolve) => finish.push(resolve));
  };
  return { runs, finish, handler };
}

/** A handler that ends as soon as its signal aborts, and what it saw. */
function obedient() {
  const runs: Run[] = [];
  const handler = async (run: Run) => {
    runs.push(run);
    await new Promise((_, reject) => run.signal.addEventListener("abort", () => reject(run.signal.reason)));
  };
  return { runs, handler };
}

test("a run has everything the server said of the execution, and its result is settled", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { name: "reports", leaseMs: 6_000, id: "w-1" });
  let seen: Run | undefined;
  worker.handle("test", { concurrency: 3 }, async (run) => {
    seen = run;
    return { sent: 2 };
  });
  await worker.start();
  expect(registrationIn(desk)).toEqual({ name: "reports", lease: "6s", handlers: [{ name: "test", slots: 3 }] });
  const given = desk.give({ payload: { a: [1] }, attempt: 2 });
  expect(await desk.settlementOf(given)).toEqual({
    id: given.id,
    token: given.token,
    outcome: "succeeded",
    result: { sent: 2 },
  });
  const { token: _, timeoutMs: __, ...shown } = given;
  expect(seen).toMatchObject({
    ...shown,
    scheduledAt: new Date(given.scheduledAt),
    deadline: new Date(given.deadline),
  });
});

test.each<[string, unknown, object]>([
  [
    "an error",
    Object.assign(new Error("no route", { cause: new Error("dns") }), { code: "EHOSTUNREACH" }),
    { error: { code: "EHOSTUNREACH", message: "no route", cause: "Error: dns" } },
  ],
  ["RetryAfter", new RetryAfter("5m"), { retryAfter: "5m", error: { code: "RetryAfter" } }],
  ["NoRetry", new NoRetry("gone"), { retryable: false, error: { code: "NoRetry", message: "gone" } }],
  ["a text", "oops", { error: { code: "thrown", message: "the handler threw oops" } }],
])("a handler that throws %s fails the attempt as it asks for", async (_, thrown, expected) => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", () => {
    throw thrown;
  });
  await worker.start();
  expect(await desk.settlementOf(desk.give())).toMatchObject({ outcome: "failed", ...expected });
});

test("a payload that does not fit is a failure without retry that says where and why, and the handler is not called", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const payload = z.object({ to: z.object({ email: z.string() }), copies: z.number().default(1) });
  const handler = vi.fn((run: Run<z.output<typeof payload>>) => run.payload.copies);
  worker.handle("test", { payload }, handler);
  await worker.start();
  expect(await desk.settlementOf(desk.give({ payload: { to: { email: 7 } } }))).toMatchObject({
    outcome: "failed",
    retryable: false,
    error: { code: "invalid_payload", message: expect.stringMatching(/^payload\.to\.email: .*string/) },
  });
  expect(handler).not.toHaveBeenCalled();
  expect(await desk.settlementOf(desk.give({ payload: { to: { email: "a@b" } } }))).toMatchObject({ result: 1 });
});

test.each<[string, unknown, RegExp]>([
  ["does not fit its schema", { sent: "many" }, /^result\.sent: /],
  ["is not JSON", { sent: 1, again: 1n }, /not JSON/],
  ["is too large", { sent: 1, text: "x".repeat(300_000) }, /at most 262144/],
])("a result that %s is a failure without retry", async (_, value, message) => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", { result: z.looseObject({ sent: z.number() }) }, () => value as { sent: number });
  await worker.start();
  expect(await desk.settlementOf(desk.give())).toMatchObject({
    outcome: "failed",
    retryable: false,
    error: { code: "invalid_result", message: expect.stringMatching(message) },
  });
});

test("no more runs at once than there are slots, and none waits while one is free", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const { runs, finish, handler } = waiting();
  const other = vi.fn();
  worker.handle("test", { concurrency: 2 }, handler);
  worker.handle("other", () => other());
  await worker.start();
  for (let n = 0; n < 5; n += 1) desk.give();
  await vi.waitUntil(() => runs.length === 2, WAIT);
  // The other handler is asked for although all slots of the first are taken.
  await desk.settlementOf(desk.give({ handler: "other" }));
  expect(runs).toHaveLength(2);
  expect(other).toHaveBeenCalledOnce();
  finish.shift()!();
  await vi.waitUntil(() => runs.length === 3, WAIT);
  await vi.waitUntil(() => {
    finish.shift()?.();
    return desk.settlements.length === 6;
  }, WAIT);
  expect(runs).toHaveLength(5);
});

test("while all slots are taken nothing is asked for, and a free slot is asked for at once", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", handler);
  await worker.start();
  desk.give();
  await vi.waitUntil(() => finish.length === 1, WAIT);
  const claims = desk.count("claim");
  await sleep(100);
  expect({ claims: desk.count("claim"), polls: desk.polls }).toEqual({ claims, polls: 0 });
  finish[0]!();
  await vi.waitUntil(() => desk.polls === 1, WAIT);
});

test("a handler that no waiting poll asks for gets a poll of its own", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", handler).handle("idle", () => {});
  desk.give();
  await worker.start();
  await vi.waitUntil(() => finish.length === 1 && desk.polls === 1, WAIT);
  finish[0]!();
  await vi.waitUntil(() => desk.polls === 2, WAIT);
  await desk.settlementOf(desk.give({ handler: "idle" }));
  const second = desk.give();
  await vi.waitUntil(() => finish.length === 2, WAIT);
  finish[1]!();
  await desk.settlementOf(second);
});

test("a node that answers polls at once because it is about to stop is not asked again and again", async () => {
  const desk = await openDesk();
  desk.closing = true;
  const { worker } = workerAt(desk);
  worker.handle("test", () => {});
  await worker.start();
  await sleep(1_000);
  expect(desk.count("claim")).toBeLessThan(30);
  desk.closing = false;
  await desk.settlementOf(desk.give());
});

test("a claim whose answer was lost is asked for again under the same request id", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", () => "done");
  let lost = 0;
  desk.fault = (action) => (action === "claim" && lost++ === 0 ? "lose" : undefined);
  const given = desk.give();
  await worker.start();
  expect(await desk.settlementOf(given)).toMatchObject({ result: "done" });
  const ids = desk.received.filter(({ action }) => action === "claim").map(({ body }) => body.requestId);
  expect(ids[1]).toBe(ids[0]);
});

test("answers are sent together, and again until the server has taken them", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", { concurrency: 50 }, (run) => run.payload);
  const given = Array.from({ length: 50 }, (_, payload) => desk.give({ payload }));
  let failures = 0;
  desk.fault = (action) => {
    if (action !== "settle" || failures === 2) return undefined;
    failures += 1;
    return failures === 1 ? "lose" : { status: 503, code: "unavailable" };
  };
  await worker.start();
  const settled = await Promise.all(given.map((execution) => desk.settlementOf(execution)));
  expect(settled.map(({ result }) => result)).toEqual(given.map(({ payload }) => payload));
  await vi.waitUntil(() => desk.count("settle") >= 3, WAIT);
  expect(desk.settlements).toHaveLength(50);
  expect(desk.count("settle")).toBeLessThan(10);
  expect(reported.map(({ context }) => context.during)).toEqual(["settle", "settle"]);
});

test("while answers cannot be delivered nothing more is asked for", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", () => {});
  let away = true;
  desk.fault = (action) => (action === "settle" && away ? { status: 503, code: "unavailable" } : undefined);
  const given = Array.from({ length: 50 }, () => desk.give());
  await worker.start();
  // The slot is free again, but its answer is not delivered. What was asked for before that was known comes, and no more.
  await vi.waitUntil(() => desk.count("settle") >= 2, WAIT);
  const claims = desk.count("claim");
  await vi.waitUntil(() => desk.count("settle") >= 4, WAIT);
  expect(claims).toBeLessThan(50);
  expect(desk.count("claim")).toBe(claims);
  away = false;
  await Promise.all(given.map((execution) => desk.settlementOf(execution)));
});

test("one answer that the server cannot read is settled without its content and costs the others nothing", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", { concurrency: 3 }, (run) => run.payload);
  desk.fault = (action, body) =>
    action === "settle" && JSON.stringify(body).includes("poison")
      ? { status: 400, code: "validation_failed" }
      : undefined;
  const given = ["a", "poison", "b"].map((payload) => desk.give({ payload }));
  await worker.start();
  const settled = await Promise.all(given.map((execution) => desk.settlementOf(execution)));
  expect(settled.map(({ outcome }) => outcome)).toEqual(["succeeded", "failed", "succeeded"]);
  expect(settled[1]).toMatchObject({ retryable: false, error: { code: "invalid_result" } });
  expect(reported).toMatchObject([{ context: { during: "settle", executionId: given[1]!.id } }]);
});

test("an answer that the server refuses is reported, and the worker goes on", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", () => {});
  await worker.start();
  const stale = desk.give();
  desk.statuses.set(stale.id, "lost");
  await desk.settlementOf(stale);
  await desk.settlementOf(desk.give());
  await vi.waitUntil(() => reported.length === 1, WAIT);
  expect(reported[0]).toMatchObject({
    error: { message: 'the server did not take the answer "succeeded": claim_lost' },
    context: { during: "settle", executionId: stale.id },
  });
});

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

test("lines are sent before the answer, in order and numbered from 1", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", (run) => {
    run.log.debug("one");
    const { info } = run.log;
    info("two", { customer: 7 });
    run.log.error("three", { error: new Error("x") });
  });
  await worker.start();
  const given = desk.give();
  await desk.settlementOf(given);
  expect(desk.logs.filter(({ token }) => token === given.token).flatMap(({ lines }) => lines)).toMatchObject([
    { seq: 1, level: "debug", message: "one", fields: null },
    { seq: 2, level: "info", message: "two", fields: { customer: 7 } },
    { seq: 3, level: "error", message: "three", fields: { error: "Error: x" } },
  ]);
  const actions = desk.received.map(({ action }) => action);
  expect(actions.lastIndexOf("logs")).toBeLessThan(actions.indexOf("settle"));
});

test("lines that come faster than they can be sent are counted, and one line says how many are missing", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", (run) => {
    for (let n = 0; n < 10_000; n += 1) run.log.info(`line ${n}`);
  });
  await worker.start();
  const given = desk.give();
  await desk.settlementOf(given);
  const lines = desk.logs.flatMap((item) => item.lines);
  const last = lines.at(-1)!;
  expect(last).toMatchObject({ seq: lines.length, level: "warn" });
  expect(last.message).toBe(
    `${10_000 - (lines.length - 1)} lines are missing here: they came faster than the server took them`,
  );
});

test("a server that does not take lines delays an answer by a few seconds at most", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  desk.fault = (action) => (action === "logs" ? "hang" : undefined);
  worker.handle("test", (run) => run.log.info("x"));
  await worker.start();
  const began = performance.now();
  await desk.settlementOf(desk.give());
  expect(performance.now() - began).toBeGreaterThan(4_000);
});

test("progress is told with a heartbeat soon, and only when it is new", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", async (run) => {
    await run.progress(0.1);
    await run.progress(0.4, "nearly half");
    await expect(run.progress(40)).rejects.toThrow("progress is from 0 to 1, not 40");
    await handler(run);
  });
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => desk.progress.has(given.id), WAIT);
  expect(desk.progress.get(given.id)).toEqual({ fraction: 0.4, message: "nearly half" });
  expect(desk.count("heartbeat")).toBe(1);
  finish[0]!();
  await desk.settlementOf(given);
});

test("the last progress is told before the answer", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", (run) => run.progress(1));
  await worker.start();
  const given = desk.give();
  await desk.settlementOf(given);
  expect(desk.progress.get(given.id)).toEqual({ fraction: 1 });
});

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
  const started: string[] = [];
  worker.handle("test", { concurrency: 2 }, (run) => void started.push(run.id));
  await worker.start();
  await vi.waitUntil(() => desk.polls === 1, WAIT);
  let silent = true;
  desk.fault = (action) => (action === "heartbeat" && silent ? "hang" : undefined);
  await sleep(600);
  const kept = desk.give();
  await sleep(100);
  expect(started).toEqual([]);
  silent = false;
  await desk.settlementOf(kept);
  expect(started).toEqual([kept.id]);
});

test("a key that is not accepted is an error of start, and a wrong registration too", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { key: "wrong" });
  worker.handle("test", () => {});
  await expect(worker.start()).rejects.toMatchObject({ status: 401, code: "unauthenticated" });
  desk.fault = () => ({ status: 403, code: "forbidden" });
  const { worker: other } = workerAt(desk);
  other.handle("test", () => {});
  await expect(other.start()).rejects.toMatchObject({ status: 403 });
});

test("a key that is taken away while the worker runs is reported, and tried again", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 50;
  const { worker, reported } = workerAt(desk);
  worker.handle("test", () => {});
  await worker.start();
  desk.fault = () => ({ status: 401, code: "unauthenticated" });
  await vi.waitUntil(() => reported.filter(({ context }) => context.during === "heartbeat").length >= 2, WAIT);
  expect(reported[0]!.error).toMatchObject({ status: 401 });
  desk.fault = () => undefined;
  await desk.settlementOf(desk.give());
});

test("start waits for a server that is not there yet, and stop ends the wait", async () => {
  const desk = await openDesk();
  await desk.down();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", () => "done");
  const started = worker.start();
  await vi.waitUntil(() => reported.length > 0, WAIT);
  expect(reported[0]).toMatchObject({ context: { during: "register" } });
  await desk.up();
  await started;
  await desk.settlementOf(desk.give());

  await desk.down();
  const { worker: other } = workerAt(desk);
  other.handle("test", () => {});
  const never = other.start();
  await other.stop();
  await never;
});

test("stop lets handlers finish, delivers what they said, and leaves", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { drainMs: 20_000 });
  const { finish, handler } = waiting();
  worker.handle("test", { concurrency: 2 }, async (run) => {
    await handler(run);
    run.log.info("the last line");
    return "done";
  });
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => finish.length === 1 && desk.polls === 1, WAIT);
  const stops = [worker.stop(), worker.stop()];
  await vi.waitUntil(() => desk.polls === 0, WAIT);
  const late = desk.give();
  finish[0]!();
  await Promise.all([...stops, worker.stopped]);
  expect(desk.settlements).toMatchObject([{ token: given.token, result: "done" }]);
  expect(desk.logs).toMatchObject([{ token: given.token, lines: [{ message: "the last line" }] }]);
  expect(desk.received.at(-1)!.action).toBe("leave");
  expect(desk.settlements.some(({ token }) => token === late.token)).toBe(false);
  expect(() => worker.start()).toThrow("make a new one");
});

test("what a poll had claimed when it was cut short by stop is still run", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { drainMs: 20_000 });
  worker.handle("test", () => "done");
  await worker.start();
  await vi.waitUntil(() => desk.polls === 1, WAIT);
  const given = desk.give({}, { onHangUp: true });
  await worker.stop();
  expect(desk.settlements).toMatchObject([{ token: given.token, result: "done" }]);
});

test("handlers that do not finish in time are aborted, and their executions go back at once", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { drainMs: 50 });
  const { runs, handler } = obedient();
  const { finish, handler: deaf } = waiting();
  worker.handle("test", handler).handle("deaf", deaf);
  await worker.start();
  const given = [desk.give(), desk.give({ handler: "deaf" })];
  await vi.waitUntil(() => runs.length + finish.length === 2, WAIT);
  await worker.stop();
  expect(runs[0]!.signal.reason).toBeInstanceOf(WorkerStopped);
  for (const execution of given)
    expect(await desk.settlementOf(execution)).toMatchObject({
      outcome: "failed",
      error: { code: "shutdown" },
      retryAfter: "0s",
    });
  expect(desk.received.at(-1)!.action).toBe("leave");
});

test("a worker that is drained takes nothing more, finishes however long it takes, and leaves", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 50;
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", { concurrency: 2 }, handler);
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => finish.length === 1 && desk.polls === 1, WAIT);
  desk.draining = true;
  await vi.waitUntil(() => desk.polls === 0, WAIT);
  desk.give();
  finish[0]!();
  await worker.stopped;
  expect(desk.settlements).toMatchObject([{ token: given.token, outcome: "succeeded" }]);
  expect(desk.received.at(-1)!.action).toBe("leave");
});

test("without a hook each distinct problem is one line, and news again after it was over", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 500;
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  const worker = new Worker({ url: desk.url, key: KEY, drainMs: 0 });
  onTestFinished(() => worker.stop());
  worker.handle("test", () => {});
  await worker.start();
  const outage = async () => {
    const before = desk.count("heartbeat");
    desk.fault = (action) => (action === "heartbeat" ? { status: 503, code: "unavailable" } : undefined);
    await vi.waitUntil(() => desk.count("heartbeat") > before + 5, WAIT);
    desk.fault = () => undefined;
    const failed = desk.count("heartbeat");
    await vi.waitUntil(() => desk.count("heartbeat") > failed + 2, WAIT);
  };
  await outage();
  expect(printed.mock.calls).toEqual([[expect.stringMatching(/^punctual worker, heartbeat: .*503 unavailable/)]]);
  await outage();
  expect(printed).toHaveBeenCalledTimes(2);
});

test("mistakes in the declaration are errors where they are made", async () => {
  const worker = new Worker({ url: "http://127.0.0.1:1" });
  const handler = () => {};
  expect(() => worker.handle("", handler)).toThrow('handler ""');
  expect(() => worker.handle("x", undefined as never)).toThrow("must be a function");
  expect(() => worker.handle("x", { concurrency: 0 }, handler)).toThrow("from 1 to 1000, not 0");
  expect(() => worker.handle("x", { concurrency: 1.5 }, handler)).toThrow("whole number");
  await expect(worker.start()).rejects.toThrow("has no handlers");
  worker.handle("x", handler);
  expect(() => worker.handle("x", handler)).toThrow("declared twice");
  expect(() => new Worker({ url: "http://127.0.0.1:1", id: "a b" })).toThrow('id: "a b"');
  expect(() => new Worker({ url: "http://127.0.0.1:1", leaseMs: 10 })).toThrow("from 5000 to 600000, not 10");
  expect(() => new Worker({ url: "http://127.0.0.1:1", drainMs: -1 })).toThrow("drainMs: must be");
  expect(() => new Worker({ url: "http://127.0.0.1:1", name: "" })).toThrow("name:");
});
