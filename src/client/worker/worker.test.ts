import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { NoRetry, RetryAfter } from "./retry.ts";
import type { Run } from "./run.ts";
import { KEY, openDesk, registrationIn } from "./testing/desk.ts";
import { WAIT, waiting } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";
import { Worker } from "./worker.ts";

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
