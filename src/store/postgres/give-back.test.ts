import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import {
  attemptOf,
  claim,
  createJob,
  PROJECT,
  succeeded,
  triggerJob,
  useTestStore,
} from "../../../tests/support/store.ts";
import { handlerLane } from "../../core/lane.ts";

const t = useTestStore();
const actor = { actor: "test" };

beforeEach(async () => {
  await t.pool.query("delete from punctual.queue");
});

/** The whole row. */
const row = async (id: string) => (await t.pool.query("select * from punctual.queue where id = $1", [id])).rows[0];
const gate = async (jobId: string) =>
  (await t.pool.query("select active, waiting from punctual.gate where job_id = $1", [jobId])).rows[0];

async function claimOne() {
  const { claimed } = await claim(t.store, t.nodeId);
  expect(claimed).toHaveLength(1);
  return claimed[0]!;
}

test("a claim that is given back was never made: the row and its job's gate are as before", async () => {
  const job = await createJob(t.store, { overlap: "skip" });
  const id = await triggerJob(t.store, job, { payload: { n: 1 }, key: "once" });
  const before = await row(id);
  const first = await claimOne();
  expect(await gate(job.id)).toEqual({ active: 1, waiting: 0 });
  expect(await t.store.queue.giveBack([first])).toEqual({ returned: [id], deleted: [], waiting: [] });
  expect(await row(id)).toEqual(before);
  expect(await gate(job.id)).toEqual({ active: 0, waiting: 0 });
  const again = await claimOne();
  expect(again).toMatchObject({ id, attempt: 1 });
  await t.store.queue.settleFinal([succeeded(again)]);
  expect(await t.store.executions.find(PROJECT, id)).toMatchObject({ state: "succeeded", attempt: 1 });
});

test("one that had been attempted before keeps that, and counts in the gate as before", async () => {
  const job = await createJob(t.store, { overlap: "skip" });
  const id = await triggerJob(t.store, job);
  const first = await claimOne();
  await t.store.queue.settleRetry([{ ...first, delayMs: 0, attempt: attemptOf(first, "failed") }]);
  const { started_at: _, ...before } = await row(id);
  const second = await claimOne();
  expect((await t.store.queue.giveBack([second])).returned).toEqual([id]);
  expect(await row(id)).toMatchObject(before);
  expect(await gate(job.id)).toEqual({ active: 1, waiting: 0 });
  expect(await claimOne()).toMatchObject({ id, attempt: 2, firstStartedAt: first.firstStartedAt });
});

test("what was put aside meanwhile can be claimed again", async () => {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job);
  const before = await row(id);
  const first = await claimOne();
  await t.pool.query("update punctual.claim_batch set claimed_at = now() - interval '1 minute'");
  await t.store.queue.shelveClaims(100);
  expect(await row(id)).toMatchObject({ hold: "running" });
  await t.store.queue.giveBack([first]);
  expect(await row(id)).toEqual(before);
});

test("nobody gives back what another holds, or what has ended", async () => {
  const job = await createJob(t.store, { overlap: "allow" });
  await triggerJob(t.store, job);
  await triggerJob(t.store, job);
  const [ended, held] = (await claim(t.store, t.nodeId)).claimed;
  await t.store.queue.settleFinal([succeeded(ended!)]);
  const before = await row(held!.id);
  const nothing = { returned: [], deleted: [], waiting: [] };
  expect(await t.store.queue.giveBack([ended!, { ...held!, claim: randomUUID() }])).toEqual(nothing);
  expect(await row(held!.id)).toEqual(before);
});

test("of a job that was paused meanwhile it is held, of one that was edited it goes where that goes", async () => {
  const paused = await createJob(t.store);
  await triggerJob(t.store, paused);
  const first = await claimOne();
  await t.store.jobs.pause(PROJECT, paused.id, { ...actor, reason: null, until: null });
  await t.store.queue.giveBack([first]);
  expect(await row(first.id)).toMatchObject({ state: "scheduled", hold: "paused" });
  await t.store.jobs.resume(PROJECT, paused.id, actor);
  expect(await claimOne()).toMatchObject({ id: first.id, attempt: 1 });

  const edited = await createJob(t.store);
  await triggerJob(t.store, edited);
  const second = await claimOne();
  const target = { type: "worker" as const, handler: "there" };
  await t.store.jobs.edit(PROJECT, edited.id, (current) => ({ ...current!.spec, target }), actor);
  await t.store.queue.giveBack([second]);
  expect(await row(second.id)).toMatchObject({ state: "scheduled", version: 2, lane: handlerLane("there") });
});

test("of a job that was deleted meanwhile it stays held, and that is told", async () => {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job);
  const first = await claimOne();
  await t.store.jobs.delete(PROJECT, job.id, actor);
  expect(await t.store.queue.giveBack([first])).toEqual({ returned: [], deleted: [id], waiting: [] });
  expect(await row(id)).toMatchObject({ state: "running", claim: first.claim });
});

test("runs of its job that waited for it are told, to be let go", async () => {
  const job = await createJob(t.store, { overlap: "queue_all" });
  await triggerJob(t.store, job);
  const first = await claimOne();
  await t.pool.query("update punctual.gate set waiting = 1 where job_id = $1", [job.id]);
  expect((await t.store.queue.giveBack([first])).waiting).toEqual([job.id]);
});
