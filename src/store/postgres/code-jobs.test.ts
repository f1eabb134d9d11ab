import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createJob, createTestStore, PROJECT, specOf, type TestStore } from "../../../tests/support/store.ts";
import type { App, CodeJob } from "../port/code-jobs.ts";
import type { Store } from "../port.ts";

let t: TestStore;
let apps = 0;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());

const TEN_MINUTES = 600_000;

function appOf(release: string): App {
  apps += 1;
  return { projectId: PROJECT, name: `app-${apps}`, release };
}

function codeJob(app: App, name: string, written: object = {}): CodeJob {
  const full = `${app.name}.${name}`;
  const target = { type: "worker", handler: `${app.name}/${name}` };
  return { name: full, edit: (_, now) => specOf({ name: full, target, ...written }, now) };
}

async function declare(app: App, jobs: CodeJob[], store: Store = t.store) {
  const result = await store.codeJobs.declare(app, jobs);
  if (result.kind !== "declared") throw new Error(`taken: ${JSON.stringify(result.jobs)}`);
  return result.jobs;
}

/** As if the last instance had spoken so long ago. */
async function silentFor(app: App, ms: number): Promise<void> {
  await t.pool.query(
    "update punctual.code_job set declared_at = now() - $2::bigint * interval '1 millisecond' where app = $1",
    [app.name, ms],
  );
}

async function found(name: string) {
  return (await t.store.jobs.find(PROJECT, name))!;
}

test("declared for the first time a job is made, with the app as its source; again it stays at its version", async () => {
  const app = appOf("1");
  expect(await declare(app, [codeJob(app, "cleanup")])).toMatchObject([{ outcome: "created", resumed: false }]);
  expect(await declare(app, [codeJob(app, "cleanup")])).toMatchObject([{ outcome: "unchanged" }]);
  const job = await found(`${app.name}.cleanup`);
  expect(job).toMatchObject({ source: `code:${app.name}`, version: 1, state: "active" });
});

test("what the code says differently is a new version", async () => {
  const app = appOf("1");
  await declare(app, [codeJob(app, "cleanup")]);
  expect(await declare(app, [codeJob(app, "cleanup", { priority: 70 })])).toMatchObject([{ outcome: "updated" }]);
  expect(await found(`${app.name}.cleanup`)).toMatchObject({ version: 2, spec: { priority: 70 } });
});

test("an older release leaves what a newer one said, and keeps it alive all the same", async () => {
  const [newer, older] = [appOf("1.10"), appOf("1.9")];
  older.name = newer.name;
  await declare(newer, [codeJob(newer, "cleanup", { priority: 70 })]);
  await silentFor(newer, TEN_MINUTES + 1_000);
  expect(await declare(older, [codeJob(older, "cleanup", { priority: 30 })])).toMatchObject([{ outcome: "left" }]);
  expect(await found(`${newer.name}.cleanup`)).toMatchObject({ version: 1, spec: { priority: 70 } });
  expect(await t.store.codeJobs.sweep(older, { afterMs: TEN_MINUTES, limit: 10 })).toEqual([]);
  // Of the newer release it stays: a third one in between does not get past it either.
  expect(await declare({ ...older, release: "1.9.5" }, [codeJob(older, "cleanup")])).toMatchObject([
    { outcome: "left" },
  ]);
});

test("a job of somebody else's is refused by name and source, and then nothing at all is declared", async () => {
  const app = appOf("1");
  const byHand = await createJob(t.store, { name: `${app.name}.report` });
  const result = await t.store.codeJobs.declare(app, [codeJob(app, "cleanup"), codeJob(app, "report")]);
  expect(result).toEqual({ kind: "taken", jobs: [{ name: byHand.spec.name, source: null }] });
  expect(await t.store.jobs.find(PROJECT, `${app.name}.cleanup`)).toBeNull();
  expect(await found(byHand.spec.name)).toMatchObject({ version: 1, source: null, spec: byHand.spec });
});

test("instances that start at the same moment make each job once", async () => {
  const app = appOf("1");
  const names = ["a", "b", "c", "d", "e"];
  const stores = [t.store, ...Array.from({ length: 4 }, () => t.another().store)];
  const results = await Promise.all(
    stores.map((store, n) => {
      // Whatever order each has them in.
      const jobs = names.map((name) => codeJob(app, name));
      return declare(app, n % 2 === 0 ? jobs : jobs.reverse(), store);
    }),
  );
  const created = results.flat().filter(({ outcome }) => outcome === "created");
  expect(created.map(({ name }) => name).sort()).toEqual(names.map((name) => `${app.name}.${name}`));
  const { rows } = await t.pool.query("select count(*)::integer as n from punctual.job where source = $1", [
    `code:${app.name}`,
  ]);
  expect(rows[0].n).toBe(names.length);
});

test("what nobody declares for ten minutes is paused, and goes on when it is declared again", async () => {
  const app = appOf("1");
  const [job] = await declare(app, [codeJob(app, "cleanup", { schedule: { every: "1h" } })]);
  await silentFor(app, TEN_MINUTES - 5_000);
  expect(await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 })).toEqual([]);
  await silentFor(app, TEN_MINUTES + 5_000);
  expect(await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 })).toEqual([
    { jobId: job!.jobId, name: job!.name, paused: true },
  ]);
  expect(await found(job!.name)).toMatchObject({
    state: "paused",
    pause: { reason: "not_in_code", by: `code:${app.name}`, until: null },
  });
  expect(await declare(app, [codeJob(app, "cleanup", { schedule: { every: "1h" } })])).toMatchObject([
    { outcome: "unchanged", resumed: true },
  ]);
  expect(await found(job!.name)).toMatchObject({ state: "active", pause: null, version: 1 });
});

test("a job that was given up and resumed by hand is not paused a second time", async () => {
  const app = appOf("1");
  const [job] = await declare(app, [codeJob(app, "cleanup")]);
  await silentFor(app, TEN_MINUTES + 5_000);
  await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 });
  await t.store.jobs.resume(PROJECT, job!.jobId, { actor: "ada" });
  expect(await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 })).toEqual([]);
  expect(await found(job!.name)).toMatchObject({ state: "active" });
});

test("a pause made by a person is nobody else's business: neither given up nor declared does it end", async () => {
  const app = appOf("1");
  const [job] = await declare(app, [codeJob(app, "cleanup")]);
  await t.store.jobs.pause(PROJECT, job!.jobId, { actor: "ada", reason: "holidays", until: null });
  await silentFor(app, TEN_MINUTES + 5_000);
  expect(await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 })).toMatchObject([{ paused: false }]);
  expect(await declare(app, [codeJob(app, "cleanup", { priority: 70 })])).toMatchObject([
    { outcome: "updated", resumed: false },
  ]);
  expect(await found(job!.name)).toMatchObject({ state: "paused", pause: { reason: "holidays", by: "ada" } });
});

test("an instance that was away too long is told so and may declare its jobs again", async () => {
  const app = appOf("1");
  const [job] = await declare(app, [codeJob(app, "cleanup")]);
  expect(await t.store.codeJobs.refresh([job!.jobId])).toEqual([]);
  await silentFor(app, TEN_MINUTES + 5_000);
  await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 });
  expect(await t.store.codeJobs.refresh([job!.jobId])).toEqual([job!.jobId]);
});

test("a sweep that waits for an instance's word hears it", async () => {
  const app = appOf("1");
  const [job] = await declare(app, [codeJob(app, "cleanup")]);
  await silentFor(app, TEN_MINUTES + 5_000);
  // The instance has said that the job is declared, and its commit is still to come.
  const instance = await t.pool.connect();
  try {
    await instance.query("begin");
    await instance.query("update punctual.code_job set declared_at = clock_timestamp() where job_id = $1", [
      job!.jobId,
    ]);
    const sweep = t.another().store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 });
    await sweepWaits();
    await instance.query("commit");
    expect(await sweep).toEqual([]);
  } finally {
    instance.release();
  }
  expect(await found(job!.name)).toMatchObject({ state: "active" });
});

test("apps and projects are kept apart: only the app's own jobs are swept", async () => {
  const [one, other] = [appOf("1"), appOf("1")];
  await declare(one, [codeJob(one, "cleanup")]);
  await declare(other, [codeJob(other, "cleanup")]);
  for (const app of [one, other]) await silentFor(app, TEN_MINUTES + 5_000);
  const elsewhere = { ...one, projectId: "00000000-0000-7000-8000-00000000dead" };
  expect(await t.store.codeJobs.sweep(elsewhere, { afterMs: TEN_MINUTES, limit: 10 })).toEqual([]);
  expect(await t.store.codeJobs.sweep(one, { afterMs: TEN_MINUTES, limit: 10 })).toHaveLength(1);
  expect(await found(`${other.name}.cleanup`)).toMatchObject({ state: "active" });
});

test("a one-time job that has run is kept as long as the code declares it, and swept when it does not", async () => {
  const app = appOf("1");
  const schedule = { at: new Date(Date.now() + 3_600_000).toISOString() };
  const [job] = await declare(app, [codeJob(app, "once", { schedule })]);
  await t.pool.query(
    "update punctual.job set state = 'completed', expires_at = now() - interval '1 second' where id = $1",
    [job!.jobId],
  );
  await t.store.retention.sweep({ retentionMs: 86_400_000, limit: 100 });
  expect(await found(job!.name)).toMatchObject({ state: "completed" });
  await silentFor(app, TEN_MINUTES + 5_000);
  expect(await t.store.codeJobs.sweep(app, { afterMs: TEN_MINUTES, limit: 10 })).toMatchObject([{ paused: false }]);
  await t.store.retention.sweep({ retentionMs: 86_400_000, limit: 100 });
  expect(await t.store.jobs.find(PROJECT, job!.name)).toBeNull();
  // When its last traces go, what was declared goes with them.
  await t.pool.query("update punctual.job set expires_at = now() - interval '1 second' where id = $1", [job!.jobId]);
  await t.store.retention.sweep({ retentionMs: 86_400_000, limit: 100 });
  const { rows } = await t.pool.query("select from punctual.code_job where job_id = $1", [job!.jobId]);
  expect(rows).toEqual([]);
});

async function sweepWaits(): Promise<void> {
  await vi.waitUntil(
    async () => {
      const { rowCount } = await t.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%set undeclared_at%'",
      );
      return rowCount === 1;
    },
    { timeout: 20_000 },
  );
}
