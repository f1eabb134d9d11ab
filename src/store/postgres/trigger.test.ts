import { expect, test } from "vitest";
import {
  claim,
  createJob,
  failed,
  PROJECT,
  succeeded,
  triggerJob,
  useTestStore,
} from "../../../tests/support/store.ts";
import { idTime } from "../../core/ids.ts";

const t = useTestStore();

const actor = { actor: "test" };

test("a trigger's id begins with the moment of its run by the database's clock", async () => {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job, { delayMs: 90_000 });
  const execution = await t.store.executions.find(PROJECT, id);
  expect(idTime(id)).toBe(Date.parse(execution!.runAt));
  expect(execution).toMatchObject({ state: "scheduled", trigger: "manual", triggeredBy: "test" });
});

test("the same key for the same job is the same execution, also when many ask at once", async () => {
  const job = await createJob(t.store);
  const ask = () => t.store.triggers.trigger(PROJECT, [{ job: job.id, key: "order-7" }], actor);
  const answers = (await Promise.all(Array.from({ length: 8 }, ask))).flat();
  const ids = new Set(answers.map((answer) => answer.kind === "triggered" && answer.executionId));
  expect(ids.size).toBe(1);
  expect(answers.filter((answer) => answer.kind === "triggered" && !answer.deduplicated).length).toBe(1);
  const other = await createJob(t.store);
  expect(await t.store.triggers.trigger(PROJECT, [{ job: other.id, key: "order-7" }], actor)).toMatchObject([
    { deduplicated: false },
  ]);
});

test("a key given twice in one call is one execution", async () => {
  const job = await createJob(t.store);
  const answers = await t.store.triggers.trigger(
    PROJECT,
    [{ job: job.id, key: "a" }, { job: job.spec.name, key: "a" }, { job: job.id }],
    actor,
  );
  const ids = answers.map((answer) => answer.kind === "triggered" && answer.executionId);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

test("all or none: one unknown job and nothing is triggered, with keys and without", async () => {
  const job = await createJob(t.store);
  const items = [{ job: job.id }, { job: "nobody" }];
  expect(await t.store.triggers.trigger(PROJECT, items, actor)).toEqual([{ kind: "not_found", job: "nobody" }]);
  expect(
    await t.store.triggers.trigger(
      PROJECT,
      items.map((item) => ({ ...item, key: "k" })),
      actor,
    ),
  ).toEqual([{ kind: "not_found", job: "nobody" }]);
  const { rows } = await t.pool.query(
    "select (select count(*) from punctual.queue where job_id = $1)::int as queued, (select count(*) from punctual.trigger_key where job_id = $1)::int as keys",
    [job.id],
  );
  expect(rows[0]).toEqual({ queued: 0, keys: 0 });
});

test("what is due beyond the horizon waits outside the claim's index until its time is near", async () => {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job, { delayMs: 3_600_000 });
  const hold = async () => (await t.pool.query("select hold from punctual.queue where id = $1", [id])).rows[0].hold;
  expect(await hold()).toBe("later");
  expect(await t.store.queue.promoteDue({ horizonMs: 2_000, limit: 100 })).toBe(0);
  await t.pool.query("update punctual.queue set run_at = now() + interval '1 second' where id = $1", [id]);
  expect(await t.store.queue.promoteDue({ horizonMs: 2_000, limit: 100 })).toBe(1);
  expect(await hold()).toBeNull();
});

test("a cancelled execution is cancelled at once, running or not, and its holder's answer is refused", async () => {
  const job = await createJob(t.store);
  await triggerJob(t.store, job);
  const { claimed } = await claim(t.store, t.nodeId);
  const mine = claimed.filter(({ jobId }) => jobId === job.id);
  const cancelled = await t.store.executions.cancel(PROJECT, mine[0]!.id, actor);
  expect(cancelled).toMatchObject({
    kind: "cancelled",
    execution: { state: "cancelled", attempts: [{ outcome: "cancelled" }] },
  });
  expect(await t.store.queue.heldClaims(t.nodeId)).not.toContain(mine[0]!.claim);
  expect(await t.store.queue.settleFinal(mine.map(succeeded))).toEqual([]);
  expect(await t.store.executions.cancel(PROJECT, mine[0]!.id, actor)).toEqual({
    kind: "wrong_state",
    state: "cancelled",
  });
  expect(await t.store.executions.cancel(PROJECT, "0195501c-8400-7000-8000-00000000abcd", actor)).toEqual({
    kind: "not_found",
  });
});

test("a final execution is retried as a new one with the first one's idempotency key, unless that succeeded", async () => {
  const job = await createJob(t.store);
  const run = async (end: typeof succeeded) => {
    const id = await triggerJob(t.store, job, { payload: [1] });
    const mine = (await claim(t.store, t.nodeId)).claimed.filter(({ jobId }) => jobId === job.id);
    await t.store.queue.settleFinal(mine.map(end));
    return id;
  };
  const rootOf = async (id: string) =>
    (await t.pool.query("select root_id from punctual.queue where id = $1", [id])).rows[0].root_id;
  const bad = await run(failed);
  const retried = await t.store.executions.retry(PROJECT, bad, { ...actor, version: "current" });
  if (retried.kind !== "created") throw new Error(retried.kind);
  expect(await rootOf(retried.executionId)).toBe(bad);
  expect(await t.store.executions.find(PROJECT, retried.executionId)).toMatchObject({
    retryOf: bad,
    trigger: "retry",
    payload: [1],
  });
  await t.pool.query("delete from punctual.queue where job_id = $1", [job.id]);
  const good = await run(succeeded);
  const again = await t.store.executions.retry(PROJECT, good, { ...actor, version: "current" });
  if (again.kind !== "created") throw new Error(again.kind);
  expect(await rootOf(again.executionId)).toBe(again.executionId);
});

test("a retry of the original version keeps it through edits", async () => {
  const job = await createJob(t.store);
  await triggerJob(t.store, job);
  const mine = (await claim(t.store, t.nodeId)).claimed.filter(({ jobId }) => jobId === job.id);
  await t.store.queue.settleFinal(mine.map(failed));
  await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, priority: 1 }), actor);
  await t.store.executions.retry(PROJECT, mine[0]!.id, { ...actor, version: "original" });
  await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, priority: 2 }), actor);
  const again = (await claim(t.store, t.nodeId)).claimed.filter(({ jobId }) => jobId === job.id);
  expect(again.map(({ version }) => version)).toEqual([1]);
});

test("one that is retrying gets its next attempt now", async () => {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job);
  const mine = (await claim(t.store, t.nodeId)).claimed.filter(({ jobId }) => jobId === job.id);
  await t.store.queue.settleRetry(mine.map((one) => ({ ...one, delayMs: 3_600_000, attempt: failed(one).attempt })));
  expect(await t.store.executions.retry(PROJECT, id, { ...actor, version: "current" })).toEqual({
    kind: "hastened",
    executionId: id,
  });
  const again = (await claim(t.store, t.nodeId)).claimed.filter(({ jobId }) => jobId === job.id);
  expect(again.map(({ attempt }) => attempt)).toEqual([2]);
});
