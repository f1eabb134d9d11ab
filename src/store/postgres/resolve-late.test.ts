import { beforeEach, expect, test } from "vitest";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";
import { claimAs, forHandler, joinWorker } from "../../../tests/support/workers.ts";
import { fireId } from "../../core/ids.ts";
import type { JobRecord } from "../port/jobs.ts";

const t = useTestStore();
beforeEach(async () => void (await t.pool.query("delete from punctual.queue")));

const unserved = (misfire: object) =>
  createJob(t.store, forHandler("away", { schedule: { every: "1h" }, misfire, overlap: "allow" }));

/** A fire as the planner would have made it. */
async function fire(job: JobRecord, secondsAgo: number, graceSeconds = 1): Promise<string> {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  const id = fireId(job.id, at.getTime());
  await t.pool.query(
    `insert into punctual.queue (id, project_id, job_id, version, payload_version, trigger, state, scheduled_at, run_at, late_after,
       priority, lane, overlap, gated, root_id, created_at)
     values ($1, $2, $3, 1, 1, 'schedule', 'scheduled', $4, $4, $5, 50, '@away', 'allow', false, $1, $4)`,
    [id, PROJECT, job.id, at, new Date(at.getTime() + graceSeconds * 1_000)],
  );
  return id;
}

/** What recovery does on each of its passes. */
async function pass(): Promise<string[]> {
  const untaken = await t.store.queue.readUntaken(100);
  const { skipped } = await t.store.queue.resolveLate(untaken.map(({ id }) => id));
  return skipped.map(({ id }) => id);
}

async function waiting(): Promise<string[]> {
  const { rows } = await t.pool.query<{ id: string }>("select id from punctual.queue order by scheduled_at");
  return rows.map(({ id }) => id);
}

test("of a fire_once job that nobody serves the latest fire waits, also after an earlier one was let stand", async () => {
  const job = await unserved({ policy: "fire_once" });
  const first = await fire(job, 30);
  expect(await pass()).toEqual([]);
  expect(await waiting()).toEqual([first]);
  const [second, third] = [await fire(job, 20), await fire(job, 10)];
  expect((await pass()).toSorted()).toEqual([first, second].toSorted());
  expect(await waiting()).toEqual([third]);
  expect(await t.store.executions.find(PROJECT, first)).toMatchObject({
    state: "skipped",
    reason: { code: "misfire", message: "no worker took it within its grace" },
  });
});

test("of a skip job that nobody serves nothing waits beyond its grace", async () => {
  const job = await unserved({ policy: "skip" });
  const [old, fresh] = [await fire(job, 30), await fire(job, 20, 600)];
  expect(await pass()).toEqual([old]);
  expect(await waiting()).toEqual([fresh]);
});

test("of a fire_all job that nobody serves as many wait as its limit allows, within its window", async () => {
  const job = await unserved({ policy: "fire_all", limit: 2, window: "1m" });
  const fires = [await fire(job, 90), await fire(job, 50), await fire(job, 40), await fire(job, 30)];
  expect((await pass()).toSorted()).toEqual(fires.slice(0, 2).toSorted());
  expect(await waiting()).toEqual(fires.slice(2));
  const next = await fire(job, 20);
  expect(await pass()).toEqual([fires[2]]);
  expect(await waiting()).toEqual([fires[3], next]);
  await t.pool.query(
    "update punctual.queue set late_after = now() - interval '1 second', scheduled_at = now() - interval '2 minutes'",
  );
  expect((await pass()).length).toBe(2);
});

test("what a fire_all kept is run one after the other when a worker comes", async () => {
  const job = await unserved({ policy: "fire_all" });
  const fires = [await fire(job, 30), await fire(job, 20)];
  await pass();
  const { holder } = await joinWorker(t.store, ["away"]);
  const { claimed, blocked } = await claimAs(t.store, holder, { away: 10 });
  expect(claimed.map(({ id }) => id)).toEqual([fires[0]]);
  expect(blocked).toMatchObject([{ id: fires[1], cause: "overlap" }]);
});

test("triggers wait as long as it takes", async () => {
  const job = await unserved({ policy: "skip" });
  await t.store.triggers.trigger(PROJECT, [{ job: job.id }], { actor: "test" });
  expect(await pass()).toEqual([]);
  expect((await waiting()).length).toBe(1);
});
