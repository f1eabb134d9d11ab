// No statement on a fire's way, nor one behind a page of the API, may read more than it needs: with thousands of rows in
// every table each is explained with real values, and the rows its scans touched are counted.

import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  claim,
  createJob,
  createTestStore,
  failed,
  PROJECT,
  succeeded,
  type TestStore,
  triggerJob,
} from "../../../tests/support/store.ts";
import { forHandler, joinWorker } from "../../../tests/support/workers.ts";
import { compileSchedule } from "../../core/compiled-job.ts";
import { IdSource } from "../../core/ids.ts";
import { secretUse } from "../../core/target-uses.ts";
import { appendLogLines } from "./append-log-lines.ts";
import { cancelExecutions } from "./cancel-execution.ts";
import { deleteJob, editJob, pauseJob, resumeJob } from "./change-job.ts";
import { claimDue } from "./claim-due.ts";
import { claimHandlers } from "./claim-handlers.ts";
import { countFiringAt } from "./count-firing-at.ts";
import type { Queryable, Statement } from "./database.ts";
import { dueHandlers } from "./due-handlers.ts";
import { findExecution } from "./find-execution.ts";
import { findJob } from "./find-job.ts";
import { servedBy } from "./handlers.ts";
import { endedAs, held, heldClaims, saveProgress } from "./held-claims.ts";
import { jobsUsing } from "./jobs-using.ts";
import { latestExecutions } from "./latest-executions.ts";
import { listDeadLetters } from "./list-dead-letters.ts";
import { listExecutions } from "./list-executions.ts";
import { listJobs } from "./list-jobs.ts";
import { promoteDue } from "./queue-look.ts";
import { readDueCursors } from "./read-due-cursors.ts";
import { readLogLines } from "./read-log-lines.ts";
import { readLost } from "./read-lost.ts";
import { readUntaken } from "./read-untaken.ts";
import { recentRuns } from "./recent-runs.ts";
import { releaseStuck, releaseWaiting } from "./release-waiting.ts";
import { resolveLate } from "./resolve-late.ts";
import { resolveOverlaps } from "./resolve-overlaps.ts";
import { retryExecution } from "./retry-execution.ts";
import { rowTypes } from "./row-types.ts";
import { settleFinal } from "./settle-final.ts";
import { settleRetry } from "./settle-retry.ts";
import { settledBefore } from "./settled-before.ts";
import { trigger } from "./trigger.ts";
import { workerStore } from "./workers.ts";
import { writePlans } from "./write-plans.ts";

const ROWS = 6_000;
/** A page, a batch, or a bounded look ahead is a few hundred rows; a whole table is thousands. */
const TOUCHED_MAX = 1_500;

let t: TestStore;
const ids = new IdSource();
const context = { ids, tzdata: "2026a", horizonMs: 2_000, retentionMs: 30 * 86_400_000 };

beforeAll(async () => {
  t = await createTestStore();
  await t.pool.query(
    `with jobs as (
       insert into punctual.job (id, project_id, name, state, version, tags, priority, lane, overlap, created_at, updated_at)
       select ('0190' || lpad(to_hex(i), 8, '0') || '70008000000000000000')::uuid, $1, 'bulk-' || i, 'active', 1, '{bulk}', 50, 'h' || i % 50, 'skip', now(), now()
       from generate_series(1, $2) i returning id
     ),
     versions as (insert into punctual.job_version (job_id, version, spec, created_at) select id, 1, $3, now() from jobs),
     cursors as (insert into punctual.cursor (job_id, version, next_fire_at, planned_until) select id, 1, now() + interval '40 days', now() from jobs)
     insert into punctual.gate (job_id) select id from jobs`,
    [PROJECT, ROWS, JSON.stringify((await createJob(t.store)).spec)],
  );
  const { rows } = await t.pool.query<{ id: string }>("select id from punctual.job where name like 'bulk-%'");
  for (let i = 0; i < ROWS; i += 1_000) {
    const jobs = rows.slice(i, i + 1_000);
    await t.store.triggers.trigger(
      PROJECT,
      jobs.map(({ id }) => ({ job: id })),
      { actor: "test" },
    );
    await t.store.queue.settleFinal((await claim(t.store, t.nodeId, { slots: 1_000 })).claimed.map(succeeded));
    await t.store.triggers.trigger(
      PROJECT,
      jobs.map(({ id }) => ({ job: id, delayMs: 3_600_000 })),
      { actor: "test" },
    );
  }
  await t.pool.query("analyze");
}, 120_000);
afterAll(async () => await t.close());

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: PlanNode[];
}

function touched(node: PlanNode): [string, number][] {
  const inner = (node.Plans ?? []).flatMap(touched);
  const table = node["Relation Name"];
  if (table === undefined || node["Node Type"] === "ModifyTable") return inner;
  const rows =
    node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return [[table.replace(/_\d{8}$/, ""), rows * node["Actual Loops"]], ...inner];
}

/** The database tells the plan of every statement it has run, with what its scans touched. */
const TELLING = `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_format = json;
  set auto_explain.log_level = notice; set jit = off; set enable_seqscan = off`;

/** Runs statements on one connection as the store does, and keeps what each touched. */
async function explaining(work: (db: Queryable) => Promise<unknown>): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: t.url, types: rowTypes });
  await client.connect();
  const plans: PlanNode[] = [];
  client.on("notice", ({ message }) => plans.push(JSON.parse(message!.slice(message!.indexOf("{"))).Plan));
  const most: Record<string, number> = {};
  try {
    await client.query(`${TELLING}; begin`);
    const db: Queryable = {
      run: async <Row extends object>({ name, text, plan }: Statement, values: readonly unknown[]) => {
        const mode = plan === "kept" ? "force_generic_plan" : "force_custom_plan";
        await client.query(`discard plans; set local plan_cache_mode = ${mode}`);
        plans.length = 0;
        const { rows } = await client.query<Row>({ name, text, values: values as unknown[] });
        // The plan is told when the statement is put away, and that is when the next one comes.
        await client.query("discard plans");
        expect(plans).toHaveLength(1);
        for (const [table, count] of touched(plans[0]!)) {
          const key = `${name.replace(/_[\w-]{8}$/, "")} reads ${table}`;
          most[key] = Math.max(most[key] ?? 0, count);
        }
        return rows;
      },
      transaction: (inner) => inner(db),
    };
    await work(db);
  } finally {
    await client.query("rollback");
    await client.end();
  }
  return Object.fromEntries(Object.entries(most).filter(([, count]) => count > TOUCHED_MAX));
}

test("nothing on the way from cursor to ledger reads a whole table", async () => {
  const job = await createJob(t.store, { schedule: { every: "1s" }, overlap: "queue_one" });
  for (let i = 0; i < 3; i += 1) await triggerJob(t.store, job, { overlap: "queue_one" });
  const tooMuch = await explaining(async (db) => {
    const compiled = compileSchedule(job, job.version, job.spec);
    for (const completes of [false, true]) {
      const cursors = await readDueCursors(db, { horizonMs: 60_000, limit: 100 });
      await readDueCursors(db, { horizonMs: 60_000, limit: 100, after: cursors[0]! });
      const plans = cursors.map((cursor) => {
        const { nextFireAt: plannedUntil } = cursor;
        const plan = { fires: [], skips: [], next: plannedUntil + 1, plannedUntil, runs: 0, completes };
        return { cursor, job: compiled, plan };
      });
      expect(await writePlans(db, plans)).toEqual(plans);
    }
    const tokens = Array.from({ length: 20 }, () => crypto.randomUUID());
    const options = { nodeId: t.nodeId, tokens, lanes: [{ name: "h1", limit: 1 }], laneLimit: 10 };
    const { claimed, blocked } = await claimDue(db, { ...options, order: "priority" });
    expect(claimed.length).toBe(1);
    await claimDue(db, { ...options, order: "oldest" });
    await claimDue(db, { ...options, order: "priority", aheadMs: 250 });
    await resolveOverlaps(
      db,
      blocked.map(({ id }) => id),
    );
    await resolveLate(
      db,
      blocked.map(({ id }) => id),
    );
    await heldClaims(
      db,
      t.nodeId,
      claimed.map(({ id }) => id),
    );
    await readLost(db, { limit: 100, heardMs: 60_000 });
    await settleRetry(
      db,
      claimed.map((one) => ({ ...one, delayMs: 0, attempt: failed(one).attempt })),
      2_000,
    );
    const again = await claimDue(db, { ...options, order: "priority" });
    await settleFinal(db, again.claimed.map(failed));
    await releaseWaiting(db, [job.id]);
    await releaseStuck(db, 100);
    await promoteDue(db, { horizonMs: 2_000, limit: 100 });
  });
  expect(tooMuch).toEqual({});
});

/** Executions for handlers that nobody serves: of this project and of another, with all priorities, late, long waiting. */
async function fillUnservedLanes(rows: number): Promise<void> {
  await t.pool.query(
    `insert into punctual.queue (id, project_id, job_id, version, payload_version, trigger, state, scheduled_at, run_at, late_after, priority, lane,
       overlap, gated, root_id, created_at)
     select id, project, job, 1, 1, 'manual', 'scheduled', now(), now() - interval '1 minute', case when i % 3 = 0 then now() + interval '1 day' end,
       i % 101, lane, 'allow', false, id, now()
     from (select i, gen_random_uuid() as id, gen_random_uuid() as job, case when i % 2 = 0 then $1::uuid else gen_random_uuid() end as project,
             case when i % 4 = 0 then '@unserved' else '@served' end as lane
           from generate_series(1, $2::integer) i) made where lane <> '@served' or project <> $1`,
    [PROJECT, rows],
  );
  await t.pool.query("analyze punctual.queue");
}

test("work that nobody takes is in the way of neither nodes nor the workers of other handlers", async () => {
  await fillUnservedLanes(10_000);
  const { id, holder } = await joinWorker(t.store, ["served"]);
  const job = await createJob(t.store, forHandler("served", { schedule: { every: "1h" } }));
  for (let priority = 10; priority < 60; priority += 10) await triggerJob(t.store, job, { priority });
  const late = await triggerJob(t.store, job, { priority: 0 });
  await t.pool.query(
    "update punctual.queue set late_after = now() - interval '1 second', trigger = 'schedule' where id = $1",
    [late],
  );
  const plain = await triggerJob(t.store, await createJob(t.store));
  const tooMuch = await explaining(async (db) => {
    const tokens = () => Array.from({ length: 500 }, () => crypto.randomUUID());
    const nodes = { nodeId: t.nodeId, lanes: [], laneLimit: 250 };
    const { claimed } = await claimDue(db, { ...nodes, tokens: tokens(), order: "priority" });
    expect(claimed.map((one) => one.id)).toContain(plain);
    await claimDue(db, { ...nodes, tokens: tokens(), order: "oldest" });
    await claimDue(db, { ...nodes, tokens: tokens(), order: "priority", aheadMs: 250 });
    await dueHandlers(db, [{ projectId: PROJECT, handler: "served" }]);
    const workers = { projectId: PROJECT, holder, tokensAre: "perhaps repeated" as const };
    const few = { ...workers, handlers: [{ name: "served", free: 2 }] };
    const first = await claimHandlers(db, { ...few, tokens: tokens(), order: "priority" });
    expect(first.claimed.length).toBe(2);
    expect((await claimHandlers(db, { ...few, tokens: tokens(), order: "oldest" })).claimed.length).toBe(2);
    const soon = { ...few, tokens: tokens(), order: "priority" as const, from: { runAt: new Date(), id: plain } };
    expect((await claimHandlers(db, { ...soon, aheadMs: 250 })).claimed.length).toBe(0);
    const many = { ...workers, handlers: [{ name: "served", free: 500 }] };
    expect(await claimHandlers(db, { ...many, tokens: tokens(), order: "priority" })).toMatchObject({
      claimed: [{}],
      blocked: [{ id: late }],
    });
    expect((await held(db, holder)).length).toBe(5);
    await saveProgress(
      db,
      first.claimed.map((one) => ({ ...one, progress: 0.5 })),
    );
    await endedAs(db, PROJECT, first.claimed);
    await settledBefore(
      db,
      first.claimed.map((one) => ({ ...one, outcome: "failed" })),
    );
    await readUntaken(db, 100);
    expect((await resolveLate(db, [late])).accepted).toBe(1);
    await readLost(db, { limit: 100, heardMs: 60_000 });
    await servedBy(db, PROJECT, ["served", "unserved"]);
    const workerTable = workerStore(db);
    await workerTable.renew(PROJECT, id);
    await workerTable.find(PROJECT, id);
    await workerTable.forgetDead();
    await workerTable.leave(PROJECT, id);
  });
  expect(tooMuch).toEqual({});
  await t.pool.query("delete from punctual.queue where lane like '@%'");
});

test("nothing behind a change, a trigger or a page of a list reads a whole table", async () => {
  const job = await createJob(t.store, { schedule: { every: "1h" } });
  const ran = await triggerJob(t.store, job);
  await t.store.queue.settleFinal((await claim(t.store, t.nodeId)).claimed.map(failed));
  const page = { after: null, limit: 50 };
  const tooMuch = await explaining(async (db) => {
    const actor = { actor: "test" };
    await trigger(db, ids, PROJECT, [{ job: job.id }, { job: job.spec.name }], { ...actor, horizonMs: 2_000 });
    await trigger(db, ids, PROJECT, [{ job: job.id, key: "k" }], { ...actor, horizonMs: 2_000 });
    await editJob(db, context, PROJECT, job.spec.name, (current) => ({ ...current!.spec, priority: 7 }), actor);
    await pauseJob(db, context, PROJECT, job.id, { ...actor, reason: null, until: null });
    await resumeJob(db, context, PROJECT, job.id);
    await retryExecution(db, ids, PROJECT, ran, { ...actor, version: "current" });
    await cancelExecutions(db, PROJECT, [ran], "test");
    await findJob(db, PROJECT, job.spec.name);
    await findExecution(db, PROJECT, ran);
    for (const sort of ["created", "-created", "name", "-name", "nextFireAt", "-nextFireAt"] as const)
      await listJobs(db, PROJECT, {}, { ...page, sort });
    await listJobs(db, PROJECT, { states: ["paused"] }, { ...page, sort: "-created" });
    for (const order of ["asc", "desc"] as const) {
      await listExecutions(db, PROJECT, {}, { ...page, order, include: [] });
      await listExecutions(db, PROJECT, { states: ["failed"] }, { ...page, order, include: ["payload"] });
      await listExecutions(db, PROJECT, { jobIds: [job.id] }, { ...page, order, include: ["attempts"] });
    }
    await latestExecutions(db, PROJECT, [job.id], 20);
    await recentRuns(db, PROJECT, [job.id]);
    await countFiringAt(db, PROJECT, new Date(), { except: job.id, limit: 1_000 });
    await listDeadLetters(db, PROJECT, { statuses: ["open"] }, page);
    await jobsUsing(db, PROJECT, secretUse("TOKEN"));
    await deleteJob(db, context, PROJECT, job.id, {});
  });
  expect(tooMuch).toEqual({});
});

test("writing and reading one execution's log touches no other's", async () => {
  await t.pool.query(
    `insert into punctual.execution_log (execution_id, attempt, seq, at, level, message)
     select id, 1, seq, now(), 'info', 'line' from (select id from punctual.execution limit 60) e, generate_series(1, 100) seq`,
  );
  await t.pool.query("analyze punctual.execution_log");
  await triggerJob(t.store, await createJob(t.store));
  const { claimed } = await claim(t.store, t.nodeId);
  const lines = Array.from({ length: 100 }, (_, i) => ({
    seq: i + 1,
    level: "info" as const,
    message: "m",
    fields: null,
  }));
  const tooMuch = await explaining(async (db) => {
    const [{ id, claim: token }] = claimed as [(typeof claimed)[number]];
    for (let times = 0; times < 2; times += 1) await appendLogLines(db, [{ id, claim: token, lines }]);
    const page = { after: { attempt: 1, seq: 5 }, level: "debug", limit: 50 } as const;
    expect((await readLogLines(db, PROJECT, id, page))?.lines).toHaveLength(50);
  });
  expect(tooMuch).toEqual({});
});
