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
