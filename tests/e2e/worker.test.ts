// The Worker class against real nodes: what its user declares, throws, logs and stops, as it stands in the ledger afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  type Execution,
  NoRetry,
  PunctualClient,
  RetryAfter,
  type Run,
  RunCancelled,
  RunLost,
  RunTimedOut,
  Worker,
  type WorkerOptions,
} from "../../src/client/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { openFront } from "../support/front.ts";
import { ADMIN_KEY, startNode } from "../support/nodes.ts";
import { WorkerProcesses } from "../support/worker-processes.ts";

const WAIT = { timeout: 30_000, interval: 50 };
const FAST_RETRY = { maxAttempts: 3, initialDelay: "1ms", jitter: false };

/** So many nodes over one database, behind one address. */
async function begin(nodes = 1) {
  const { url: databaseUrl, drop } = await createTestDatabase();
  onTestFinished(drop);
  const start = () => startNode({ databaseUrl, leaseMs: 3_000 });
  const front = await openFront(await Promise.all(Array.from({ length: nodes }, start)));
  const client = new PunctualClient({ url: front.url, key: ADMIN_KEY, retries: 10 });
  return { front, client, startNode: start };
}

function workerAt(front: { url: string }, options: WorkerOptions = {}): Worker {
  const worker = new Worker({ url: front.url, key: ADMIN_KEY, leaseMs: 5_000, onError: () => {}, ...options });
  onTestFinished(() => worker.stop());
  return worker;
}

async function createJob(client: PunctualClient, handler: string, more: object = {}): Promise<void> {
  await client.jobs.put(handler, { target: { type: "worker", handler }, retry: FAST_RETRY, ...more });
}

async function ended(client: PunctualClient, id: string): Promise<Execution> {
  return await vi.waitUntil(async () => {
    const execution = await client.executions.get(id);
    return execution.finishedAt === null ? null : execution;
  }, WAIT);
}

/** Those that did not end as they should, of all there are, once nothing is left to do. */
async function oddOnes(client: PunctualClient, isAsExpected: (execution: Execution) => boolean): Promise<Execution[]> {
  await vi.waitUntil(async () => {
    const { scheduled, running, retrying } = await client.executions.counts();
    return scheduled + running + retrying === 0;
  }, WAIT);
  const odd: Execution[] = [];
  for await (const execution of client.executions.all({ limit: 200 }))
    if (!isAsExpected(execution)) odd.push(execution);
  return odd;
}

test("a triggered job is handled with its payload, and result, progress and log lines can be read", async () => {
  const { front, client } = await begin();
  const worker = workerAt(front, { name: "reports" });
  let go = () => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  worker.handle("report", { payload: z.object({ to: z.string() }) }, async (run) => {
    run.log.info("writing", { to: run.payload.to });
    await run.progress(0.4, "page 2");
    await told;
    run.log.warn("written");
    return { to: run.payload.to, key: run.idempotencyKey };
  });
  await worker.start();
  await createJob(client, "report");
  const { id } = await client.jobs.trigger("report", { payload: { to: "ada" } });
  await vi.waitUntil(async () => (await client.executions.get(id)).progress !== null, WAIT);
  expect(await client.executions.get(id)).toMatchObject({
    state: "running",
    progress: { fraction: 0.4, message: "page 2" },
  });
  go();
  const execution = await ended(client, id);
  expect(execution).toMatchObject({ state: "succeeded", result: { to: "ada", key: id } });
  expect(execution.attempts).toMatchObject([{ outcome: "succeeded", worker: "reports" }]);
  const { items: lines } = await client.executions.logs(id);
  expect(lines).toMatchObject([
    { attempt: 1, seq: 1, level: "info", message: "writing", fields: { to: "ada" } },
    { attempt: 1, seq: 2, level: "warn", message: "written" },
  ]);
});

test("payloads that do not fit and NoRetry end in a dead letter at once, errors after their attempts, RetryAfter comes when it says", async () => {
  const { front, client } = await begin();
  const worker = workerAt(front);
  const calls: Record<string, number[]> = {};
  const note = ({ id }: Run<unknown>) => {
    calls[id] = [...(calls[id] ?? []), performance.now()];
  };
  worker.handle("typed", { payload: z.object({ n: z.number() }) }, (run) => note(run));
  worker.handle("final", (run) => {
    note(run);
    throw new NoRetry("the customer is gone", { cause: new Error("410") });
  });
  worker.handle("failing", (run) => {
    note(run);
    throw Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });
  });
  worker.handle("later", (run) => {
    note(run);
    if (run.attempt === 1) throw new RetryAfter("1500ms");
    return "done";
  });
  await worker.start();
  const ids: Record<string, string> = {};
  for (const name of ["typed", "final", "failing", "later"]) {
    // A backoff of an hour: whoever comes again sooner was asked to.
    const retry = name === "later" ? { ...FAST_RETRY, initialDelay: "1h", maxDelay: "1h" } : FAST_RETRY;
    await createJob(client, name, { retry });
    ids[name] = (await client.jobs.trigger(name, { payload: { n: "one" } })).id;
  }
  expect(await ended(client, ids.typed!)).toMatchObject({
    state: "failed",
    reason: { code: "not_retryable" },
    attempt: 1,
    error: { code: "invalid_payload", message: expect.stringMatching(/^payload\.n: /) },
  });
  expect(await ended(client, ids.final!)).toMatchObject({
    state: "failed",
    reason: { code: "not_retryable" },
    attempt: 1,
    error: { code: "NoRetry", message: "the customer is gone", cause: "Error: 410" },
  });
  expect(await ended(client, ids.failing!)).toMatchObject({
    state: "failed",
    reason: { code: "attempts_exhausted" },
    attempt: 3,
    error: { code: "ECONNREFUSED", stack: expect.stringContaining("worker.test.ts") },
  });
  expect(await ended(client, ids.later!)).toMatchObject({ state: "succeeded", attempt: 2, result: "done" });
  const [first, second] = calls[ids.later!]!;
  expect(second! - first!).toBeGreaterThan(1_450);
  expect([ids.typed, ids.final, ids.failing].map((id) => calls[id!]?.length ?? 0)).toEqual([0, 1, 3]);
  const { items: dead } = await client.deadLetters.list();
  expect(dead.map(({ id }) => id).sort()).toEqual([ids.typed!, ids.final!, ids.failing!].sort());
});

test("a cancelled execution aborts its run through the signal, and one out of time too", async () => {
  const { front, client } = await begin();
  const worker = workerAt(front);
  const reasons: Record<string, unknown> = {};
  worker.handle("long", { concurrency: 2 }, async (run) => {
    try {
      await sleep(60_000, undefined, { signal: run.signal });
    } finally {
      reasons[run.id] = run.signal.reason;
    }
  });
  await worker.start();
  await createJob(client, "long", { retry: { ...FAST_RETRY, maxAttempts: 1 }, overlap: "allow" });
  const { id: cancelled } = await client.jobs.trigger("long");
  await vi.waitUntil(async () => (await client.executions.get(cancelled)).state === "running", WAIT);
  await client.executions.cancel(cancelled);
  expect(await ended(client, cancelled)).toMatchObject({ state: "cancelled" });
  await vi.waitUntil(() => cancelled in reasons, WAIT);
  expect(reasons[cancelled]).toBeInstanceOf(RunCancelled);

  await createJob(client, "long", { retry: { ...FAST_RETRY, maxAttempts: 1 }, timeout: "1s", overlap: "allow" });
  const { id: late } = await client.jobs.trigger("long");
  expect(await ended(client, late)).toMatchObject({ state: "failed", error: { code: "timeout" } });
  await vi.waitUntil(() => late in reasons, WAIT);
  expect(reasons[late]).toBeInstanceOf(RunTimedOut);
});

test("SIGTERM drains a worker: what runs is finished, nothing is lost and nothing is tried twice", async () => {
  const { front, client } = await begin();
  const processes = new WorkerProcesses(front.url);
  const [first, second] = [await processes.start({ concurrency: 5 }), await processes.start({ concurrency: 5 })];
  await createJob(client, "work", { overlap: "allow" });
  let triggered = 0;
  const trigger = async (count: number) => {
    await client.triggers.create(Array.from({ length: count }, () => ({ job: "work", payload: { ms: 300 } })));
    triggered += count;
  };
  const handledBy = ({ id }: { id: string }) => processes.handlings().some(({ worker }) => worker === id);
  await trigger(60);
  await vi.waitUntil(() => handledBy(first) && handledBy(second), WAIT);
  expect(await first.stop()).toEqual({ code: 0 });
  expect(first.err).toBe("");
  const third = await processes.start({ concurrency: 5 });
  // More until it has some of it, for the second alone may be quick enough to leave it nothing.
  await vi.waitUntil(async () => handledBy(third) || (await trigger(10)), WAIT);
  expect(await second.stop()).toEqual({ code: 0 });
  expect(second.err).toBe("");
  expect(await oddOnes(client, ({ state, attempt }) => state === "succeeded" && attempt === 1)).toEqual([]);
  expect(processes.handlings()).toHaveLength(triggered);
  expect(third.running).toBe(true);
  const { items: workers } = await client.workers.list();
  expect(workers.filter(({ alive }) => alive).map(({ id }) => id)).toEqual([third.id]);
});

test("a worker outlives the restart of its only node: what it had in hand is settled, and it goes on", async () => {
  const { front, client, startNode } = await begin();
  const worker = workerAt(front, { leaseMs: 60_000 });
  let go = () => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  const attempts: number[] = [];
  worker.handle("steady", { concurrency: 2 }, async (run) => {
    attempts.push(run.attempt);
    await told;
  });
  await worker.start();
  await createJob(client, "steady", { overlap: "allow" });
  const { id } = await client.jobs.trigger("steady");
  await vi.waitUntil(() => attempts.length === 1, WAIT);
  const [node] = front.nodes;
  await node!.kill9();
  go();
  front.nodes = [await startNode()];
  expect(await ended(client, id)).toMatchObject({ state: "succeeded", attempt: 1 });
  const { id: next } = await client.jobs.trigger("steady");
  expect(await ended(client, next)).toMatchObject({ state: "succeeded", attempt: 1 });
});

test("what a worker finished while its only node was away for longer than the lease is settled in its first attempt", async () => {
  const { front, client, startNode } = await begin();
  const worker = workerAt(front);
  const runs: Run<unknown>[] = [];
  let go = () => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  worker.handle("steady", async (run) => {
    runs.push(run);
    await told;
    return "done";
  });
  await worker.start();
  await createJob(client, "steady");
  const { id } = await client.jobs.trigger("steady");
  await vi.waitUntil(() => runs.length === 1, WAIT);
  await front.nodes[0]!.kill9();
  await vi.waitUntil(() => runs[0]!.signal.aborted, WAIT);
  expect(runs[0]!.signal.reason).toBeInstanceOf(RunLost);
  go();
  front.nodes = [await startNode()];
  expect(await ended(client, id)).toMatchObject({ state: "succeeded", attempt: 1, result: "done" });
  expect(runs).toHaveLength(1);
});

test("with two nodes behind one address, one killed, workers go on with the other", async () => {
  const { front, client } = await begin(2);
  const worker = workerAt(front);
  worker.handle("steady", { concurrency: 20 }, () => sleep(20));
  await worker.start();
  await createJob(client, "steady", { overlap: "allow" });
  await client.triggers.create(Array.from({ length: 300 }, () => ({ job: "steady" })));
  await vi.waitUntil(async () => (await client.executions.counts()).succeeded > 20, WAIT);
  await front.nodes[0]!.kill9();
  expect(await oddOnes(client, ({ state }) => state === "succeeded")).toEqual([]);
});
