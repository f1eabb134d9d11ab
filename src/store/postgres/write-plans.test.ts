import { afterAll, beforeAll, expect, test } from "vitest";
import { createJob, createTestStore, HORIZON_MS, type TestStore } from "../../../tests/support/store.ts";
import { compileSchedule } from "../../core/compiled-job.ts";
import { DatabaseClock } from "../../engine/database-clock.ts";
import { Planner } from "../../engine/planner.ts";
import { createLog } from "../../telemetry/log.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import type { Store } from "../port.ts";

let t: TestStore;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());

const planner = (store: Store) =>
  new Planner(
    {
      store,
      clock: new DatabaseClock(() => performance.now()),
      log: createLog({ level: "silent" }),
      metrics: new Metrics(),
    },
    { horizonMs: HORIZON_MS, retentionMs: 30 * 86_400_000, tzdata: "2026a" },
  );

/** As if nobody had planned since then: cursors and creation go back, planned fires vanish. */
async function fallBehind(ms: number): Promise<void> {
  await t.pool.query("delete from punctual.queue");
  await t.pool.query("update punctual.job set created_at = created_at - $1::bigint * interval '1 millisecond'", [ms]);
  await t.pool.query(
    "update punctual.cursor set next_fire_at = next_fire_at - $1::bigint * interval '1 millisecond', planned_until = planned_until - ($1::bigint + 10000) * interval '1 millisecond'",
    [ms],
  );
}

test("three planners at once plan every instant once", async () => {
  const jobs = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      createJob(t.store, { schedule: { every: `${1 + (i % 3)}s` }, misfire: { policy: "fire_all", limit: 1000 } }),
    ),
  );
  await fallBehind(120_000);
  const planners = [planner(t.store), planner(t.another().store), planner(t.another().store)];
  const rounds = await Promise.all(planners.map((one) => one.planOnce()));
  expect(rounds.reduce((sum, { planned }) => sum + planned, 0)).toBe(jobs.length);
  const { rows } = await t.pool.query(
    "select job_id, count(*)::int as n, count(distinct scheduled_at)::int as distinct_n, max(scheduled_at) - min(scheduled_at) as span from punctual.queue group by job_id",
  );
  expect(rows.length).toBe(jobs.length);
  for (const row of rows) expect(row.n).toBe(row.distinct_n);
  const { rows: gaps } = await t.pool.query(
    `select count(*)::int as n from (select scheduled_at - lag(scheduled_at) over (partition by job_id order by scheduled_at) as step, job_id from punctual.queue) s
     join punctual.job_version v on v.job_id = s.job_id where s.step <> (v.spec -> 'schedule' ->> 'every')::interval`,
  );
  expect(gaps[0].n).toBe(0);
});

test("a year of missed seconds of many jobs is a bounded number of rows, and the queue goes on", async () => {
  await t.pool.query("truncate punctual.queue");
  const job = await createJob(t.store, { schedule: { every: "1s" }, misfire: { policy: "fire_once" } });
  await fallBehind(365 * 86_400_000);
  const before = await t.pool.query("select count(*)::int as n from punctual.execution");
  const { fires, skipped } = await planner(t.store).planOnce();
  const after = await t.pool.query("select count(*)::int as n from punctual.execution where job_id = $1", [job.id]);
  expect(fires).toBeGreaterThan(0);
  expect(skipped).toBeGreaterThan(86_400 * 25);
  expect(after.rows[0].n).toBeLessThanOrEqual(32);
  expect(before.rows[0].n).toBe(0);
});

test("a plan made for an older version or instant changes nothing", async () => {
  await t.pool.query("truncate punctual.queue");
  const made = await createJob(t.store, { schedule: { every: "1s" } });
  await fallBehind(2_000);
  const read = await t.store.planning.readDueCursors({ horizonMs: HORIZON_MS, limit: 1_000 });
  await planner(t.store).planOnce();
  const queued = await t.pool.query("select count(*)::int as n from punctual.queue");
  const job = compileSchedule(made, made.version, made.spec);
  const left = { fires: [], skips: [], next: null, runs: 9 };
  for (const completes of [false, true]) {
    const stale = read.map((cursor) => ({
      cursor,
      job,
      plan: { ...left, plannedUntil: cursor.nextFireAt, completes },
    }));
    expect(await t.store.planning.writePlans(stale)).toEqual([]);
  }
  expect((await t.pool.query("select count(*)::int as n from punctual.queue")).rows).toEqual(queued.rows);
});

test("a job that fires every second is planned several instants at a time, and not looked at again before the next", async () => {
  await t.pool.query("truncate punctual.queue");
  await t.pool.query("update punctual.cursor set parked = true");
  const job = await createJob(t.store, { schedule: { every: "1s" } });
  await t.pool.query("truncate punctual.queue");
  await t.pool.query(
    `update punctual.cursor c set next_fire_at = j.created_at + interval '1 second', planned_until = j.created_at
     from punctual.job j where j.id = c.job_id and c.job_id = $1`,
    [job.id],
  );
  const { planned, fires } = await planner(t.store).planOnce();
  expect(planned).toBe(1);
  expect(fires).toBeGreaterThanOrEqual((2 * HORIZON_MS) / 1_000 - 1);
  const { rows } = await t.pool.query("select scheduled_at from punctual.queue where job_id = $1 order by 1", [job.id]);
  const instants = rows.map(({ scheduled_at }) => scheduled_at.getTime() - job.createdAt.getTime());
  expect(instants).toEqual(Array.from({ length: fires }, (_, n) => (n + 1) * 1_000));
  expect((await planner(t.store).planOnce()).planned).toBe(0);
});

test("one pass plans all that is due, however many pages that are, and each once", async () => {
  await t.pool.query("truncate punctual.queue");
  await t.pool.query("update punctual.cursor set parked = true");
  const { id } = await createJob(t.store, { schedule: { every: "1h" } });
  const copies = 1_700;
  await t.pool.query(`create table copied as select gen_random_uuid() as id, n from generate_series(1, ${copies}) n`);
  const columns = "project_id, state, version, tags, priority, lane, overlap, created_at, updated_at";
  await t.pool.query(
    `insert into punctual.job (id, name, ${columns})
     select c.id, 'copy-' || c.n, ${columns
       .split(", ")
       .map((column) => `j.${column}`)
       .join(", ")} from punctual.job j, copied c where j.id = $1`,
    [id],
  );
  await t.pool.query(
    `insert into punctual.job_version (job_id, version, spec, created_at)
     select c.id, 1, v.spec, v.created_at from punctual.job_version v, copied c where v.job_id = $1`,
    [id],
  );
  // Crowds that are due in one instant, so that pages end within one.
  await t.pool.query(
    `update punctual.job j set created_at = date_trunc('second', now()) - interval '1 hour' + (c.n % 3 + 1) * interval '500 milliseconds'
     from copied c where c.id = j.id`,
  );
  await t.pool.query(
    `insert into punctual.cursor (job_id, version, next_fire_at, planned_until)
     select c.id, 1, j.created_at + interval '1 hour', j.created_at from copied c join punctual.job j on j.id = c.id`,
  );
  const { planned, fires, full } = await planner(t.store).planOnce();
  expect({ planned, fires, full }).toEqual({ planned: copies, fires: copies, full: false });
  const { rows } = await t.pool.query("select count(distinct job_id)::integer as n from punctual.queue");
  expect(rows[0].n).toBe(copies);
});
