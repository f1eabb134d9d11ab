// Work that ends at once: more of it is claimed than there are slots, and what cannot begin in time goes back.

import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTarget, startTestEngine, type TestTarget, until } from "../../tests/support/engine.ts";
import { createJob, PROJECT, useTestStore } from "../../tests/support/store.ts";
import type { JobRecord } from "../store/port/jobs.ts";

/** Of which one host gets half. */
const SLOTS = 8;

const t = useTestStore();
let target: TestTarget;
/** Calls that were not answered yet. */
let hanging: ServerResponse[] = [];
let answersLeft = Number.POSITIVE_INFINITY;
let atOnce = 0;

beforeAll(async () => {
  target = await startTarget();
  target.on("/work", (_, response) => {
    hanging.push(response);
    atOnce = Math.max(atOnce, hanging.length);
    if (answersLeft > 0) answerAll();
  });
});
afterAll(async () => await target.close());
beforeEach(async () => {
  await t.pool.query("delete from punctual.queue");
  target.calls.length = 0;
  hanging = [];
  answersLeft = Number.POSITIVE_INFINITY;
  atOnce = 0;
});

function answerAll(): void {
  answersLeft -= hanging.length;
  for (const response of hanging.splice(0)) response.end();
}

async function triggerMany(count: number): Promise<{ job: JobRecord; ids: string[] }> {
  const job = await createJob(t.store, { target: { type: "http", url: `${target.url}/work` }, overlap: "allow" });
  const triggered = await t.store.triggers.trigger(
    PROJECT,
    Array.from({ length: count }, () => ({ job: job.id })),
    { actor: "test" },
  );
  return { job, ids: triggered.map((one) => (one.kind === "triggered" ? one.executionId : "")) };
}

async function states(job: JobRecord): Promise<Record<string, number>> {
  const { rows } = await t.pool.query(
    `select state, count(*)::integer as n from (
       select state from punctual.queue where job_id = $1 union all select state from punctual.execution where job_id = $1) s
     group by state`,
    [job.id],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

const ended = (job: JobRecord, count: number) =>
  until("all have ended", async () => (await states(job)).succeeded === count);

/** Everything was called once, and its first attempt is its last. */
async function expectOnce(ids: string[]): Promise<void> {
  expect(target.calls.map(({ headers }) => headers["punctual-execution-id"]).sort()).toEqual([...ids].sort());
  const { rows } = await t.pool.query(
    "select max(attempt) as attempt from punctual.execution where id = any($1::uuid[])",
    [ids],
  );
  expect(rows).toEqual([{ attempt: 1 }]);
}

test("a claim takes more than there are slots, and no more run at once than there are", async () => {
  const claims: number[] = [];
  const { queue } = t.store;
  const claimDue: typeof queue.claimDue = async (options) => {
    const result = await queue.claimDue(options);
    claims.push(result.claimed.length);
    return result;
  };
  const { job, ids } = await triggerMany(600);
  const { stop, metrics } = await startTestEngine(
    { store: { ...t.store, queue: { ...queue, claimDue } }, nodeId: t.nodeId },
    { concurrency: SLOTS },
  );
  await ended(job, 600);
  await stop();
  await expectOnce(ids);
  expect(atOnce).toBeLessThanOrEqual(SLOTS / 2);
  expect(Math.max(...claims)).toBeGreaterThan(SLOTS * 2);
  expect((await metrics.executionsFinished.get()).values).toMatchObject([{ value: 600 }]);
});

test("when work takes long of a sudden, what waits goes back, and another node may take it", async () => {
  const { job, ids } = await triggerMany(600);
  answersLeft = 300;
  const first = await startTestEngine(t, { concurrency: SLOTS });
  const givenBack = async () => (await first.metrics.claimsGivenBack.get()).values[0]!.value;
  await until("what waits is given back", async () => (await givenBack()) > 0);
  await until("only what runs is held", async () => ((await states(job)).running ?? 0) <= SLOTS / 2);
  const heldBefore = hanging.length;
  const second = await startTestEngine(t.another(), { concurrency: SLOTS });
  await until("the other takes some", () => hanging.length > heldBefore);
  answersLeft = Number.POSITIVE_INFINITY;
  answerAll();
  await ended(job, 600);
  await Promise.all([first.stop(), second.stop()]);
  await expectOnce(ids);
});

test("a stop gives back what waits, at once", async () => {
  const { job, ids } = await triggerMany(600);
  answersLeft = 300;
  const first = await startTestEngine(t, { concurrency: SLOTS, drainMs: 10_000 });
  await until("all slots hang", () => hanging.length === SLOTS / 2);
  const stopping = first.stop();
  await until("only what runs is held", async () => ((await states(job)).running ?? 0) <= SLOTS / 2);
  answersLeft = Number.POSITIVE_INFINITY;
  answerAll();
  await stopping;
  expect((await states(job)).running).toBeUndefined();
  const second = await startTestEngine(t.another(), { concurrency: SLOTS });
  await ended(job, 600);
  await second.stop();
  await expectOnce(ids);
});

test("nothing of a paused job starts after the pause, whatever was claimed before", async () => {
  const { job } = await triggerMany(1_000);
  const { stop } = await startTestEngine(t, { concurrency: SLOTS });
  await until("much of it has run", () => target.calls.length > 200);
  await t.store.jobs.pause(PROJECT, job.id, { actor: "test", reason: null, until: null });
  const { pause } = (await t.store.jobs.find(PROJECT, job.id))!;
  await until("nothing runs", async () => (await states(job)).running === undefined);
  await stop();
  const { rows } = await t.pool.query(
    "select count(*)::integer as n from punctual.execution where job_id = $1 and started_at > $2",
    [job.id, pause!.at],
  );
  expect(rows).toEqual([{ n: 0 }]);
  expect(Object.values(await states(job)).reduce((sum, n) => sum + n, 0)).toBe(1_000);
});

test("of a job that is deleted meanwhile what waits is cancelled", async () => {
  const { job } = await triggerMany(600);
  answersLeft = 300;
  const { stop } = await startTestEngine(t, { concurrency: SLOTS });
  await until("all slots hang", () => hanging.length === SLOTS / 2);
  await t.store.jobs.delete(PROJECT, job.id, { actor: "test" });
  answersLeft = Number.POSITIVE_INFINITY;
  answerAll();
  await until("all have ended", async () => {
    const { running = 0, scheduled = 0 } = await states(job);
    return running + scheduled === 0;
  });
  await stop();
  const { succeeded = 0, cancelled = 0 } = await states(job);
  expect(succeeded).toBe(target.calls.length);
  expect(succeeded + cancelled).toBe(600);
});
