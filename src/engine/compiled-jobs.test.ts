import { afterAll, beforeAll, expect, test } from "vitest";
import { createJob, createTestStore, HORIZON_MS, PROJECT, type TestStore } from "../../tests/support/store.ts";
import { createLog } from "../telemetry/log.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { CompiledJobs } from "./compiled-jobs.ts";
import { DatabaseClock } from "./database-clock.ts";
import { Planner } from "./planner.ts";

let t: TestStore;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());

test("what was planned is at hand when it is due, without another look at the database", async () => {
  const jobs = new CompiledJobs(t.store.planning);
  let prepared: Promise<void> | null = null;
  const planner = new Planner(
    {
      store: t.store,
      clock: new DatabaseClock(() => performance.now()),
      log: createLog({ level: "silent" }),
      metrics: new Metrics(),
      prepare: (keys) => {
        prepared = jobs.prepare(keys);
        return prepared;
      },
    },
    { horizonMs: HORIZON_MS, retentionMs: 30 * 86_400_000, tzdata: "2026a" },
  );
  const soon = await createJob(t.store, { schedule: { every: "1s" } });
  const later = await createJob(t.store, { schedule: { cron: "0 0 29 2 *" } });
  // As if its creation had planned nothing.
  await t.pool.query("delete from punctual.queue");
  await t.pool.query(
    "update punctual.cursor set next_fire_at = now() + interval '1 second', planned_until = now() where job_id = $1",
    [soon.id],
  );
  await planner.planOnce();
  await prepared;
  await t.pool.query("delete from punctual.job_version");
  const [planned, sleeping] = await jobs.loadEach([soon, later].map(({ id }) => ({ jobId: id, version: 1 })));
  expect(planned).toMatchObject({ id: soon.id, timeoutMs: expect.any(Number) });
  expect(sleeping).toBeUndefined();
});

test("versions of one job are told apart, and each is read once", async () => {
  const jobs = new CompiledJobs(t.store.planning);
  const job = await createJob(t.store, { timeout: "1s" });
  await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, timeout: "2s" }), { actor: "test" });
  const keys = [2, 1, 2, 3].map((version) => ({ jobId: job.id, version }));
  const timeouts = async () => (await jobs.loadEach(keys)).map((compiled) => compiled?.timeoutMs);
  expect(await timeouts()).toEqual([2_000, 1_000, 2_000, undefined]);
  const find = await jobs.load(keys);
  expect(keys.map((key) => find(key)?.version)).toEqual([2, 1, 2, undefined]);
  await t.pool.query("delete from punctual.job_version");
  expect(await timeouts()).toEqual([2_000, 1_000, 2_000, undefined]);
});
