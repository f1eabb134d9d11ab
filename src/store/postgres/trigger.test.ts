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
import type { TriggerRequest } from "../port/jobs.ts";

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

test("single triggers that come at once are written together, and each is for itself", async () => {
  const job = await createJob(t.store, { payload: { from: "job" } });
  const ask = (item: TriggerRequest) => t.store.triggers.triggerOne(PROJECT, item, actor);
  const answers = await Promise.all([
    ask({ job: job.id }),
    ask({ job: "nobody" }),
    ...Array.from({ length: 20 }, (_, n) => ask({ job: job.spec.name, payload: { n }, priority: n })),
    ask({ job: job.id, payload: null, delayMs: 3_600_000, overlap: "skip" }),
  ]);
  expect(answers[1]).toEqual({ kind: "not_found", job: "nobody" });
  const made = answers.flatMap((answer) => (answer.kind === "triggered" ? [answer] : []));
  expect(made).toHaveLength(answers.length - 1);
  expect(new Set(made.map(({ execution }) => execution.id)).size).toBe(made.length);
  expect(made.every(({ deduplicated }) => !deduplicated)).toBe(true);
  // What is told without reading it is what reading it tells.
  for (const { execution } of made) expect(await t.store.executions.find(PROJECT, execution.id)).toEqual(execution);
  expect(made[0]!.execution.payload).toEqual({ from: "job" });
  expect(made[1]!.execution).toMatchObject({ payload: { n: 0 }, priority: 0, triggeredBy: "test" });
  expect(made.at(-1)!.execution.payload).toBeNull();
});

test("what the database refuses of one trigger is not refused of those beside it", async () => {
  const { id } = await createJob(t.store);
  const ask = (job: string) => t.store.triggers.triggerOne(PROJECT, { job }, actor);
  const answers = await Promise.allSettled([id, id, "no \u0000 name", id].map(ask));
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
});

test("a single trigger with a key that was used before is told as it is now", async () => {
  const job = await createJob(t.store);
  const ask = () => t.store.triggers.triggerOne(PROJECT, { job: job.id, key: "order-8" }, actor);
  const first = await ask();
  if (first.kind !== "triggered") throw new Error(first.kind);
  await t.store.executions.cancel(PROJECT, first.execution.id, actor);
  expect(await ask()).toMatchObject({ deduplicated: true, execution: { id: first.execution.id, state: "cancelled" } });
  expect(await t.store.triggers.triggerOne(PROJECT, { job: "nobody", key: "k" }, actor)).toEqual({
    kind: "not_found",
    job: "nobody",
  });
});

test("many are cancelled in one go; those that are final or strange are left, and not told", async () => {
  const job = await createJob(t.store);
  const ids = [await triggerJob(t.store, job), await triggerJob(t.store, job), await triggerJob(t.store, job)];
  await t.store.executions.cancel(PROJECT, ids[0]!, actor);
  const cancelled = await t.store.executions.cancelMany(PROJECT, [...ids, job.id], actor);
  expect(cancelled.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
  expect(cancelled[0]).toMatchObject({ jobId: job.id, reason: { code: "cancelled", message: "cancelled by test" } });
  expect(await t.store.executions.find(PROJECT, ids[2]!)).toMatchObject({
    state: "cancelled",
    reason: cancelled[0]!.reason,
  });
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
  expect(await t.store.queue.heldClaims(t.nodeId, [mine[0]!.id])).not.toContain(mine[0]!.claim);
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
