import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTarget, startTestEngine, type TestEngine, type TestTarget, until } from "../../tests/support/engine.ts";
import { claim, createJob, createTestStore, PROJECT, type TestStore, triggerJob } from "../../tests/support/store.ts";

let t: TestStore;
let target: TestTarget;
let running: TestEngine;

beforeAll(async () => {
  t = await createTestStore();
  target = await startTarget();
  running = await startTestEngine(t);
});
afterAll(async () => {
  await running.stop();
  await target.close();
  await t.close();
});

const to = (path: string, more: object = {}) => ({ target: { type: "http", url: `${target.url}${path}`, ...more } });
const quick = { retry: { initialDelay: "10ms", jitter: false } };
const find = (id: string) => t.store.executions.find(PROJECT, id);
const final = (id: string) =>
  until(`${id} is final`, async () => {
    const execution = await find(id);
    return execution && ["succeeded", "failed", "cancelled", "skipped", "unknown"].includes(execution.state)
      ? execution
      : null;
  });
const callsTo = (path: string) => target.calls.filter((call) => call.path === path);

test("a scheduled fire is called at its instant, not before, under the id made from it, and recorded", async () => {
  const job = await createJob(t.store, { schedule: { every: "1s" }, ...to("/tick") });
  await until("two calls", () => callsTo("/tick").length >= 2);
  await t.store.jobs.pause(PROJECT, job.id, { actor: "test", reason: null, until: null });
  const first = callsTo("/tick")[0]!;
  const scheduledAt = Date.parse(String(first.headers["punctual-scheduled-at"]));
  expect(scheduledAt).toBe(job.createdAt.getTime() + 1_000);
  expect(first.at).toBeGreaterThanOrEqual(scheduledAt);
  const execution = await final(String(first.headers["punctual-execution-id"]));
  expect(execution).toMatchObject({
    state: "succeeded",
    trigger: "schedule",
    attempt: 1,
    jobVersion: 1,
    attempts: [{ outcome: "succeeded", response: { status: 200, body: "ok" } }],
  });
  expect(first.headers["webhook-id"]).toBe(execution.id);
});

test("a failing call is retried with the same id and a higher attempt, then becomes a dead letter", async () => {
  target.on("/fail", (_, response) => response.writeHead(500).end("broken"));
  const job = await createJob(t.store, { ...to("/fail"), ...quick });
  const id = await triggerJob(t.store, job);
  expect(await final(id)).toMatchObject({ state: "failed", reason: { code: "attempts_exhausted" }, attempt: 3 });
  expect(
    callsTo("/fail").map(({ headers }) => [
      headers["webhook-id"],
      headers["punctual-attempt"],
      headers["idempotency-key"],
    ]),
  ).toEqual([
    [id, "1", id],
    [id, "2", id],
    [id, "3", id],
  ]);
  const { items } = await t.store.deadLetters.list(PROJECT, { jobIds: [job.id] }, { after: null, limit: 5 });
  expect(items).toMatchObject([{ id, status: "open" }]);
  expect(items[0]!.execution.attempts!.length).toBe(3);
});

test("a call that cannot succeed is not retried", async () => {
  target.on("/gone", (_, response) => response.writeHead(410).end());
  const job = await createJob(t.store, { ...to("/gone"), ...quick });
  expect(await final(await triggerJob(t.store, job))).toMatchObject({
    state: "failed",
    reason: { code: "not_retryable" },
    attempt: 1,
  });
});

test("in at_most_once a doubtful call ends unknown and is never made again", async () => {
  target.on("/doubt", (_, response) => response.destroy());
  const job = await createJob(t.store, { ...to("/doubt"), ...quick, delivery: "at_most_once" });
  expect(await final(await triggerJob(t.store, job))).toMatchObject({ state: "unknown", attempt: 1 });
  expect(callsTo("/doubt").length).toBe(1);
});

test("an attempt that takes too long is timed out and its call given up", async () => {
  target.on("/slow", () => {});
  const job = await createJob(t.store, { ...to("/slow"), timeout: "200ms", retry: { maxAttempts: 1 } });
  const execution = await final(await triggerJob(t.store, job));
  expect(execution).toMatchObject({ state: "failed", attempts: [{ outcome: "timed_out" }] });
  await until("the call is given up", () => callsTo("/slow")[0]!.aborted);
});

test("a cancelled execution's call is aborted", async () => {
  target.on("/hang", () => {});
  const job = await createJob(t.store, to("/hang"));
  const id = await triggerJob(t.store, job);
  await until("it is called", () => callsTo("/hang").length === 1);
  expect(await t.store.executions.cancel(PROJECT, id, { actor: "test" })).toMatchObject({ kind: "cancelled" });
  t.store.events.wake();
  await until("the call is given up", () => callsTo("/hang")[0]!.aborted);
  expect(await find(id)).toMatchObject({ state: "cancelled" });
});

test("a target that answers 202 reports later, once, and again gets the same answer", async () => {
  target.on("/later", (_, response) => response.writeHead(202).end());
  const job = await createJob(t.store, to("/later", { completion: "callback" }));
  const id = await triggerJob(t.store, job);
  const call = await until("it is called", () => callsTo("/later")[0]);
  const token = String(call.headers["punctual-callback-url"]).split("/").at(-1)!;
  const bytes = Buffer.from(token, "base64url").toString("hex");
  const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  expect(uuid(bytes.slice(0, 32))).toBe(id);
  const claimToken = uuid(bytes.slice(32));
  const report = { outcome: "succeeded" as const, result: { rows: 7 }, error: null, retry: true };
  expect(await running.engine.completeCallback(id, claimToken, report)).toBe("accepted");
  expect(await find(id)).toMatchObject({ state: "succeeded", result: { rows: 7 } });
  expect(await running.engine.completeCallback(id, claimToken, report)).toBe("repeated");
  expect(await running.engine.completeCallback(id, randomUUID(), report)).toBe("stale");
});

test("a host that hangs leaves room for the others", async () => {
  const other = await startTarget();
  other.on("/stuck", () => {});
  const stuck = await createJob(t.store, {
    target: { type: "http", url: `${other.url}/stuck` },
    timeout: "1m",
    overlap: "allow",
  });
  await t.store.triggers.trigger(
    PROJECT,
    Array.from({ length: 200 }, () => ({ job: stuck.id, priority: 100 })),
    { actor: "test" },
  );
  t.store.events.wake();
  await until("the hanging host has all it gets", () => other.calls.length >= 20);
  const job = await createJob(t.store, to("/fine"));
  const ids = await Promise.all(Array.from({ length: 10 }, () => triggerJob(t.store, job, { priority: 0 })));
  t.store.events.wake();
  for (const id of ids) expect(await final(id)).toMatchObject({ state: "succeeded" });
  expect(other.calls.length).toBeLessThanOrEqual(25);
  await t.store.jobs.delete(PROJECT, stuck.id, { actor: "test" });
  await other.close();
});

test("what a dead node held runs again, and the crash counts as an attempt", async () => {
  const job = await createJob(t.store, { ...to("/recovered"), ...quick }, { paused: true });
  const dead = t.another();
  // Claimed by a node that then dies, before the living one could: it is due for the dead one's eyes only a moment.
  await running.stop();
  const id = await triggerJob(t.store, job);
  const { claimed } = await claim(dead.store, dead.nodeId);
  expect(claimed.map((one) => one.id)).toContain(id);
  await t.pool.query("update punctual.node set lease_until = now() - interval '1 second' where id = $1", [dead.nodeId]);
  running = await startTestEngine(t.another(), { leaseMs: 3_000 });
  expect(await final(id)).toMatchObject({
    state: "succeeded",
    attempt: 2,
    attempts: [{ outcome: "lost", node: "test" }, { outcome: "succeeded" }],
  });
  expect(callsTo("/recovered").map(({ headers }) => headers["punctual-attempt"])).toEqual(["2"]);
});

test("a stop lets what runs end, and loses nothing", async () => {
  target.on("/draining", (_, response) => setTimeout(() => response.end("done"), 300));
  const job = await createJob(t.store, { ...to("/draining"), overlap: "allow" });
  const ids = await Promise.all(Array.from({ length: 20 }, () => triggerJob(t.store, job)));
  t.store.events.wake();
  await until("all run", () => callsTo("/draining").length >= 10);
  await running.stop();
  const states = await Promise.all(ids.map(async (id) => (await find(id))!.state));
  expect(states.filter((state) => state === "succeeded").length).toBe(callsTo("/draining").length);
  expect(states.filter((state) => state === "running")).toEqual([]);
  running = await startTestEngine(t.another());
  for (const id of ids) expect((await final(id)).state).toBe("succeeded");
  expect(callsTo("/draining").length).toBe(20);
});
