import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../tests/support/engine.ts";
import {
  attemptOf,
  claim,
  createJob,
  createTestStore,
  PROJECT,
  succeeded,
  type TestStore,
  triggerJob,
} from "../../../tests/support/store.ts";
import { compileSchedule } from "../../core/compiled-job.ts";
import { fireId } from "../../core/ids.ts";

let t: TestStore;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());

const actor = { actor: "test" };
const queued = async (jobId: string) =>
  (
    await t.pool.query(
      "select id, state, hold, version, trigger, scheduled_at from punctual.queue where job_id = $1 order by id",
      [jobId],
    )
  ).rows;
const ledger = async (jobId: string) =>
  (
    await t.pool.query(
      "select id, state, reason_code, count, scheduled_at, scheduled_until from punctual.execution where job_id = $1 order by id",
      [jobId],
    )
  ).rows;
const cursor = async (jobId: string) =>
  (await t.pool.query("select * from punctual.cursor where job_id = $1", [jobId])).rows[0];

/** Puts the job's cursor back, as if nobody had planned for a while. */
async function fallBehind(jobId: string, ms: number): Promise<Date> {
  await t.pool.query(
    "update punctual.job set created_at = created_at - $2::bigint * interval '1 millisecond' where id = $1",
    [jobId, ms],
  );
  const { rows } = await t.pool.query(
    `update punctual.cursor set next_fire_at = next_fire_at - $2::bigint * interval '1 millisecond', planned_until = next_fire_at - $2::bigint * interval '1 millisecond' - interval '1 millisecond'
     where job_id = $1 returning next_fire_at`,
    [jobId, ms],
  );
  return rows[0].next_fire_at;
}

/** A fire that is planned and overdue, but not started. */
async function plannedFire(jobId: string, agoMs: number): Promise<string> {
  const scheduledAt = (await t.store.now()).getTime() - agoMs;
  const id = fireId(jobId, scheduledAt);
  const fire = { id, scheduledAt, lateAfter: null, lane: "127.0.0.1:9", overlap: "skip" as const, lastFire: false };
  const record = (await t.store.jobs.find(PROJECT, jobId))!;
  const { rows } = await t.pool.query("select * from punctual.cursor where job_id = $1", [jobId]);
  const { version, runs, next_fire_at: next, planned_until: plannedUntil } = rows[0];
  await t.store.planning.writePlans([
    {
      cursor: { jobId, version, nextFireAt: next.getTime(), runs },
      job: compileSchedule(record, version, record.spec),
      plan: {
        fires: [fire],
        skips: [],
        next: next.getTime(),
        plannedUntil: plannedUntil.getTime(),
        runs: runs + 1,
        completes: false,
      },
    },
  ]);
  return id;
}

describe("a new job", () => {
  test("has what is due within the horizon in the queue when its creation returns", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    const rows = await queued(job.id);
    expect(rows.map((row) => row.scheduled_at.getTime() - job.createdAt.getTime())).toEqual([1_000, 2_000]);
    expect((await cursor(job.id)).next_fire_at.getTime()).toBe(job.createdAt.getTime() + 3_000);
    expect(rows[0].id).toBe(fireId(job.id, rows[0].scheduled_at.getTime()));
  });

  test("may be set to a moment that has just passed, and is due at once", async () => {
    const at = new Date(Date.now() - 10_000).toISOString();
    const job = await createJob(t.store, { schedule: { at } });
    expect((await queued(job.id)).map((row) => row.scheduled_at.toISOString())).toEqual([at]);
  });

  test("created paused plans nothing", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } }, { paused: true });
    expect(await queued(job.id)).toEqual([]);
    expect(job).toMatchObject({ state: "paused", nextFireAt: null });
  });

  test("cannot take the name of another, but can take that of a deleted one", async () => {
    await createJob(t.store, { name: "taken" });
    const again = () =>
      t.store.jobs.create(PROJECT, (_, now) => ({ ...spec, name: "taken", updated: now }) as never, {
        ...actor,
        source: null,
        paused: false,
      });
    const spec = (await t.store.jobs.find(PROJECT, "taken"))!.spec;
    expect(await again()).toEqual({ kind: "name_taken", name: "taken" });
    await t.store.jobs.delete(PROJECT, "taken", actor);
    expect((await again()).kind).toBe("done");
  });
});

describe("a pause", () => {
  test("takes the fires that have not started out of the queue, and those that were due into the ledger", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    const overdue = await plannedFire(job.id, 500);
    await t.store.jobs.pause(PROJECT, job.id, { ...actor, reason: "maintenance", until: null });
    expect(await queued(job.id)).toEqual([]);
    expect(await ledger(job.id)).toMatchObject([{ id: overdue, state: "skipped", reason_code: "paused", count: 1 }]);
    expect(await cursor(job.id)).toMatchObject({ parked: true, runs: 0 });
  });

  test("covers its instants when it ends, one row a day, and the next fire comes after it", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    await t.store.jobs.pause(PROJECT, job.id, { ...actor, reason: null, until: null });
    const first = await fallBehind(job.id, 2 * 86_400_000);
    await t.store.jobs.resume(PROJECT, job.id, actor);
    const rows = await ledger(job.id);
    const skipped = rows.filter((row) => row.state === "skipped");
    expect(skipped.length).toBeGreaterThanOrEqual(2);
    expect(skipped.length).toBeLessThanOrEqual(4);
    expect(skipped[0].scheduled_at).toEqual(first);
    const last = skipped.at(-1)!;
    const total = skipped.reduce((sum, row) => sum + row.count, 0);
    expect(total).toBe((last.scheduled_until.getTime() - first.getTime()) / 1_000 + 1);
    const [next] = await queued(job.id);
    expect(next.scheduled_at.getTime()).toBe(last.scheduled_until.getTime() + 1_000);
  });

  test("holds retries and triggers that wait, but not a trigger made during it", async () => {
    const job = await createJob(t.store);
    const before = await triggerJob(t.store, job);
    await t.store.jobs.pause(PROJECT, job.id, { ...actor, reason: null, until: null });
    const during = await triggerJob(t.store, job);
    const { claimed } = await claim(t.store, t.nodeId);
    expect(claimed.filter(({ jobId }) => jobId === job.id).map(({ id }) => id)).toEqual([during]);
    await t.store.jobs.resume(PROJECT, job.id, actor);
    const again = await claim(t.store, t.nodeId);
    expect(again.claimed.filter(({ jobId }) => jobId === job.id).map(({ id }) => id)).toEqual([before]);
  });

  test("holds the retry of a run that it found running", async () => {
    const job = await createJob(t.store);
    await triggerJob(t.store, job);
    const { claimed } = await claim(t.store, t.nodeId);
    const mine = claimed.filter(({ jobId }) => jobId === job.id);
    await t.store.jobs.pause(PROJECT, job.id, { ...actor, reason: null, until: null });
    await t.store.queue.settleRetry(mine.map((one) => ({ ...one, delayMs: 0, attempt: attemptOf(one, "failed") })));
    expect(await queued(job.id)).toMatchObject([{ state: "retrying", hold: "paused" }]);
  });

  test("that is set to end ends by itself", async () => {
    const job = await createJob(t.store, { schedule: { every: "1h" } });
    await t.store.jobs.pause(PROJECT, job.id, { ...actor, reason: null, until: new Date(Date.now() - 1) });
    expect(await t.store.retention.resumeElapsedPauses(100)).toContain(job.id);
    expect(await t.store.jobs.find(PROJECT, job.id)).toMatchObject({ state: "active", pause: null });
  });
});

describe("a change while a fire is claimed ahead of its time", () => {
  /** The fire of the job that is next, claimed. */
  async function claimNext(jobId: string) {
    const { claimed } = await claim(t.store, t.nodeId, { aheadMs: 2_000 });
    const mine = claimed.filter((one) => one.jobId === jobId);
    expect(mine).toMatchObject([{ trigger: "schedule", attempt: 1 }]);
    return mine[0]!;
  }

  test("waits for it and leaves it its instant: the schedule goes on after it", async () => {
    for (const change of [
      (id: string) => t.store.jobs.edit(PROJECT, id, (current) => ({ ...current!.spec, priority: 80 }), actor),
      async (id: string) => {
        await t.store.jobs.pause(PROJECT, id, { ...actor, reason: null, until: null });
        await t.store.jobs.resume(PROJECT, id, actor);
      },
    ]) {
      const job = await createJob(t.store, { schedule: { every: "1s" } });
      const fire = await claimNext(job.id);
      await change(job.id);
      expect((await t.store.now()).getTime()).toBeGreaterThanOrEqual(fire.scheduledAt.getTime());
      const [running, ...planned] = await queued(job.id);
      expect(running).toMatchObject({ id: fire.id, state: "running", version: 1 });
      const { next_fire_at: next } = await cursor(job.id);
      for (const instant of [...planned.map((row) => row.scheduled_at), next])
        expect(instant.getTime()).toBeGreaterThan(fire.scheduledAt.getTime());
      expect((planned[0]?.scheduled_at ?? next).getTime()).toBe(fire.scheduledAt.getTime() + 1_000);
      await t.store.queue.settleFinal([succeeded(fire)]);
      expect(await ledger(job.id)).toMatchObject([{ id: fire.id, state: "succeeded" }]);
    }
  });

  test("lets nothing else of the job be claimed while it waits", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    const trigger = await triggerJob(t.store, job, { runAt: new Date(Date.now() + 1_800) });
    const mine = async () => (await claim(t.store, t.nodeId, { aheadMs: 2_000, slots: 1 })).claimed;
    await t.pool.query(
      "update punctual.queue set hold = 'later' where (job_id <> $1 or id = $2) and state <> 'running'",
      [job.id, trigger],
    );
    expect(await mine()).toMatchObject([{ jobId: job.id, trigger: "schedule" }]);
    await t.pool.query("update punctual.queue set hold = null where id = $1", [trigger]);
    let paused = false;
    const pausing = t.store.jobs.pause(PROJECT, job.id, { ...actor, reason: null, until: null }).then(() => {
      paused = true;
    });
    const waits = async () =>
      (
        await t.pool.query(
          "select from pg_stat_activity where wait_event = 'PgSleep' and query like '%punctual.queue%'",
        )
      ).rowCount;
    await until("the pause waits", async () => ((await waits()) ?? 0) > 0);
    expect(paused).toBe(false);
    expect(await mine()).toEqual([]);
    await pausing;
    expect(await queued(job.id)).toMatchObject([
      { state: "running" },
      { id: trigger, state: "scheduled", hold: "paused" },
    ]);
  });

  test("counts it among the runs there may be", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s", maxRuns: 1 } });
    const fire = await claimNext(job.id);
    await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, priority: 80 }), actor);
    expect(await queued(job.id)).toMatchObject([{ id: fire.id }]);
    expect(await cursor(job.id)).toMatchObject({ next_fire_at: null, runs: 1 });
  });

  test("that gives a job another moment is not undone by the end of the one before", async () => {
    const at = (ms: number) => ({ at: new Date(Date.now() + ms).toISOString() });
    const job = await createJob(t.store, { schedule: at(1_500) });
    const fire = await claimNext(job.id);
    const schedule = at(3_600_000);
    await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, schedule }), actor);
    await t.store.queue.settleFinal([succeeded(fire)]);
    expect(await t.store.jobs.find(PROJECT, job.id)).toMatchObject({ state: "active", version: 2 });
    expect((await cursor(job.id)).next_fire_at).toEqual(new Date(schedule.at));
  });
});

describe("an edit", () => {
  test("moves what waits to the new version, and skips what was due as edited", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    const overdue = await plannedFire(job.id, 300);
    await triggerJob(t.store, job, { delayMs: 60_000 });
    const edited = await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, priority: 80 }), actor);
    expect(edited).toMatchObject({ kind: "done", value: "updated", job: { version: 2 } });
    const rows = await queued(job.id);
    expect(rows.map((row) => row.version)).toEqual(rows.map(() => 2));
    expect(await ledger(job.id)).toMatchObject([{ id: overdue, reason_code: "edited" }]);
  });

  test("that changes nothing is no version and touches nothing", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    const before = await queued(job.id);
    const same = await t.store.jobs.edit(PROJECT, job.id, (current) => structuredClone(current!.spec), actor);
    expect(same).toMatchObject({ value: "unchanged", job: { version: 1 } });
    expect(await queued(job.id)).toEqual(before);
  });

  test("with another version in mind is refused", async () => {
    const job = await createJob(t.store);
    const result = await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, priority: 1 }), {
      ...actor,
      expectedVersion: 7,
    });
    expect(result).toEqual({ kind: "version_mismatch", version: 1 });
  });

  test("does not let a claim that is under way start the old version after it has returned", async () => {
    const job = await createJob(t.store, { schedule: { every: "1s" } });
    const fire = await plannedFire(job.id, 100);
    // A claim has locked the row and is about to commit.
    const claimer = await t.pool.connect();
    await claimer.query("begin");
    await claimer.query("select from punctual.queue where id = $1 for update", [fire]);
    let returned = false;
    const edit = t.store.jobs
      .edit(PROJECT, job.id, (current) => ({ ...current!.spec, priority: 3 }), actor)
      .then(() => {
        returned = true;
      });
    await waitsForLock();
    expect(returned).toBe(false);
    await claimer.query(
      "update punctual.queue set state = 'running', attempt = 1, claim = gen_random_uuid(), started_at = now(), first_started_at = now() where id = $1",
      [fire],
    );
    await claimer.query("commit");
    claimer.release();
    await edit;
    // The claim was first: its row is left alone, and its instant is neither skipped nor planned again.
    const rows = await queued(job.id);
    expect(rows.find((row) => row.id === fire)).toMatchObject({ state: "running", version: 1 });
    expect(await ledger(job.id)).toEqual([]);
  });
});

/** Until some session waits for a lock. */
async function waitsForLock(): Promise<void> {
  for (;;) {
    const { rows } = await t.pool.query(
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    if (rows[0].n > 0) return;
  }
}

describe("a delete", () => {
  test("cancels what waits, skips what was due, frees the name and keeps the history", async () => {
    const job = await createJob(t.store, { name: "to-delete", schedule: { every: "1s" } });
    const overdue = await plannedFire(job.id, 200);
    const waiting = await triggerJob(t.store, job, { delayMs: 60_000 });
    await t.store.jobs.delete(PROJECT, job.id, actor);
    expect(await queued(job.id)).toEqual([]);
    expect(await ledger(job.id)).toMatchObject([
      { id: overdue, state: "skipped", reason_code: "deleted" },
      { id: waiting, state: "cancelled", reason_code: "job_deleted" },
    ]);
    expect(await t.store.jobs.find(PROJECT, "to-delete")).toBeNull();
    expect(await t.store.jobs.find(PROJECT, job.id)).toMatchObject({ state: "deleted" });
    expect(await t.store.triggers.trigger(PROJECT, [{ job: job.id }], actor)).toEqual([
      { kind: "not_found", job: job.id },
    ]);
  });

  test("leaves a run to its end, but gives it no further attempt", async () => {
    const job = await createJob(t.store);
    await triggerJob(t.store, job);
    const { claimed } = await claim(t.store, t.nodeId);
    const mine = claimed.filter(({ jobId }) => jobId === job.id);
    await t.store.jobs.delete(PROJECT, job.id, actor);
    const { retrying, jobDeleted } = await t.store.queue.settleRetry(
      mine.map((one) => ({ ...one, delayMs: 0, attempt: attemptOf(one, "failed") })),
    );
    expect({ retrying, jobDeleted }).toEqual({ retrying: [], jobDeleted: [mine[0]!.id] });
    expect((await t.store.queue.settleFinal(mine.map(succeeded))).length).toBe(1);
  });
});

describe("a one-time job", () => {
  test("is completed with its only execution, and goes when its time of keeping is over", async () => {
    const job = await createJob(t.store, {
      schedule: { at: new Date(Date.now() - 1_000).toISOString() },
      retainFor: "0s",
    });
    const { claimed } = await claim(t.store, t.nodeId);
    const mine = claimed.filter(({ jobId }) => jobId === job.id);
    const [settled] = await t.store.queue.settleFinal(mine.map(succeeded));
    expect(settled!.jobCompleted).toBe(true);
    expect(await t.store.jobs.find(PROJECT, job.id)).toMatchObject({ state: "completed", nextFireAt: null });
    await t.store.retention.sweep({ retentionMs: 1_000, limit: 100 });
    expect(await t.store.jobs.find(PROJECT, job.id)).toMatchObject({ state: "deleted" });
  });
});
