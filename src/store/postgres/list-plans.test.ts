// Lists must cost the same among ten rows and among a million. A database with some thousands of jobs and executions is
// enough to see from the plans that every list goes along an index.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestStore, PROJECT, type TestStore } from "../../../tests/support/store.ts";
import { JOB_STATES } from "../../contract/job.ts";
import { bucketOf } from "../../core/histogram.ts";
import { idFloor } from "../../core/ids.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import type { JobFilter } from "../port/jobs.ts";
import { countExecutionsSql } from "./count-executions.ts";
import { countFiringAtSql } from "./count-firing-at.ts";
import { countJobsByStateSql } from "./count-jobs-by-state.ts";
import type { Statement } from "./database.ts";
import { executionFilterValues } from "./execution-filter.ts";
import { wayFor } from "./execution-walk.ts";
import { failingJobsSql } from "./failing-jobs.ts";
import { jobFilterValues, searchJobsSql } from "./job-filter.ts";
import { jobStepSamplesSql } from "./job-step-samples.ts";
import { jobStepsSql } from "./job-steps.ts";
import { jobWindowCountsSql } from "./job-window-counts.ts";
import { latestExecutionsSql } from "./latest-executions.ts";
import { listDeadLettersSql } from "./list-dead-letters.ts";
import { listExecutionsSql } from "./list-executions.ts";
import { listJobsSql } from "./list-jobs.ts";
import { recentRunsSql } from "./recent-runs.ts";
import { timelineGapsSql } from "./timeline-gaps.ts";
import { timelineLanesSql } from "./timeline-lanes.ts";

const JOBS = 20_000;
const EXECUTIONS = 40_000;
let database: TestStore;
let jobIds: string[];

beforeAll(async () => {
  database = await createTestStore();
  await fill();
  const { rows } = await database.pool.query("select id from punctual.job order by id limit 3");
  jobIds = rows.map(({ id }) => id);
}, 120_000);
afterAll(async () => await database.close());

async function plan({ text }: Statement, values: unknown[]): Promise<string> {
  const { rows } = await database.pool.query({ text: `explain ${text}`, values });
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

function expectWalk(text: string): void {
  // A day without rows costs nothing to look through.
  const scans =
    text.match(/Seq Scan on (job|job_version|cursor|queue|execution_\d+|dead_letter)\b.*\.\.(?!0\.0\d ).*/g) ?? [];
  expect(scans, text).toEqual([]);
}

const JOB_FILTERS: JobFilter[] = [
  {},
  { states: ["paused"] },
  { states: ["deleted"] },
  { tags: ["rare"] },
  { tags: ["common"] },
  { source: "x" },
];

test.each(JOB_FILTERS)("jobs with %j are listed along an index, in every order", async (filter) => {
  const values = [...jobFilterValues(PROJECT, filter), 51];
  for (const order of ["asc", "desc"] as const) {
    expectWalk(await plan(listJobsSql.byId[order], [...values, null]));
    expectWalk(await plan(listJobsSql.byName[order], [...values, jobIds[1], "job-5"]));
    expectWalk(await plan(listJobsSql.byNextFire[order], [...values, null, null]));
  }
  expectWalk(await plan(listJobsSql.idle, [...values, null]));
});

test("a text is found through its pieces", async () => {
  expect(await plan(searchJobsSql, [PROJECT, "needle", "%needle%"])).toContain("job_version_search");
  const { items } = await database.store.jobs.list(
    PROJECT,
    { text: "NEEDLE in" },
    { sort: "-created", after: null, limit: 10 },
  );
  expect(items.map((job) => job.spec.name)).toEqual(["job-777"]);
});

const EXECUTION_FILTERS: ExecutionFilter[] = [
  {},
  { states: ["failed"] },
  { states: ["running"] },
  { states: ["retrying"] },
  { states: ["succeeded"] },
  { triggers: ["retry"] },
  { from: new Date(Date.now() - 3_600_000) },
];

test.each(EXECUTION_FILTERS)("executions with %j are listed along an index, also of a few jobs", async (filter) => {
  for (const order of ["asc", "desc"] as const)
    for (const asked of [filter, { ...filter, jobIds }]) {
      const values = [...executionFilterValues(PROJECT, asked), 51, false, false, false];
      expectWalk(await plan(listExecutionsSql[wayFor(asked)][order], values));
    }
});

test("a list looks at nothing that it cannot contain", async () => {
  const values = (filter: ExecutionFilter) => [...executionFilterValues(PROJECT, filter), 51, false, false, false];
  expect(await plan(listExecutionsSql.states.desc, values({ states: ["running"] }))).not.toContain("execution_");
  expect(await plan(listExecutionsSql.states.desc, values({ states: ["failed"] }))).not.toMatch(/on queue\b/);
  const yesterday = { from: new Date(Date.now() - 2 * 86_400_000), to: new Date(Date.now() - 86_400_000) };
  expect(
    new Set((await plan(listExecutionsSql.all.desc, values(yesterday))).match(/execution_\d{8}/g)).size,
  ).toBeLessThanOrEqual(2);
});

test("a page of one state is walked in its order and not sorted out of all that have it", async () => {
  for (const order of ["asc", "desc"] as const) {
    const values = [...executionFilterValues(PROJECT, { states: ["failed"] }), 51, false, false, false];
    const text = await plan(listExecutionsSql.states[order], values);
    expect(text).toContain("project_id_state_id");
    expect(text, text).not.toMatch(/Sort Key: e\w*\.id/);
  }
});

test("counts of some jobs are found along an index", async () => {
  expectWalk(await plan(countExecutionsSql.ofJobs, executionFilterValues(PROJECT, { jobIds })));
});

test.each([{}, { tags: ["rare"] }, { tags: ["common"] }, { source: "x" }, { text: "report" }])(
  "jobs with %j are counted along an index, and so are those that fire at one instant",
  async (filter) => {
    const values = jobFilterValues(PROJECT, { ...filter, states: [...JOB_STATES] });
    expectWalk(await plan(countJobsByStateSql, [...values, 1_000]));
    expectWalk(await plan(countFiringAtSql, [PROJECT, new Date(), null, null, 1_000]));
  },
);

test("the latest executions of a page of jobs and the dead letters are found along an index", async () => {
  expectWalk(await plan(latestExecutionsSql, [PROJECT, jobIds, 1]));
  expectWalk(await plan(recentRunsSql, [PROJECT, jobIds]));
  expectWalk(await plan(listDeadLettersSql, [PROJECT, ["open"], null, null, null, 51, null]));
});

test("what a job did over time and by days, which jobs fail, and a timeline are found along an index", async () => {
  const ago = (hours: number) => idFloor(Date.now() - hours * 3_600_000);
  const [job] = jobIds;
  expectWalk(await plan(jobStepsSql, [PROJECT, job, ago(24), ago(0), [ago(24), ago(12)]]));
  expectWalk(await plan(jobWindowCountsSql, [PROJECT, job, [ago(48), ago(24)], [ago(24), ago(0)]]));
  expectWalk(await plan(jobStepSamplesSql, [PROJECT, job, [ago(48), ago(24)], [ago(24), ago(0)], 300]));
  expectWalk(await plan(failingJobsSql, [PROJECT, ago(24), ago(0), 10]));
  const now = new Date();
  const bounds = [ago(42), ago(18), ago(-6)];
  const text = await plan(timelineLanesSql, [PROJECT, jobIds, ...bounds, now, now, now, 300_000, 1_500]);
  expectWalk(text);
  const gaps = await plan(timelineGapsSql, [
    PROJECT,
    jobIds,
    [ago(2), ago(1)],
    [ago(1), ago(0)],
    ago(2),
    ago(0),
    300_000,
  ]);
  expectWalk(gaps);
  // By their jobs, and never along all that the project did.
  expect(text + gaps).not.toMatch(/using execution_\d+_pkey/);
});

test("the database and the code put a value into the same bucket", async () => {
  const values = [0, 1, 2, 3, 4, 7, 8, 9, 100, 1_000, 12_345, 86_400_000, 2_147_483_647];
  const { rows } = await database.pool.query("select punctual.bucket_of(v) as bucket from unnest($1::integer[]) v", [
    values,
  ]);
  expect(rows.map(({ bucket }) => bucket)).toEqual(values.map(bucketOf));
});

async function fill(): Promise<void> {
  const { pool } = database;
  const id = (n: string) => `('0198a000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const spec = `json_build_object('name', 'job-' || g, 'description', case when g = 777 then 'the Needle in the hay' else 'a report' end)`;
  await pool.query(
    `insert into punctual.job (id, project_id, name, state, version, tags, priority, lane, overlap, created_at, updated_at, paused_at)
     select ${id("g")}, $1, 'job-' || g, case when g % 2000 = 1 then 'paused' else 'active' end, 1,
       array['common'] || case when g % 5000 = 2 then array['rare'] else '{}'::text[] end, 50, 'l', 'skip', now(), now(), case when g % 2000 = 1 then now() end
     from generate_series(1, ${JOBS}) g`,
    [PROJECT],
  );
  await pool.query(
    `insert into punctual.job_version (job_id, version, spec, created_at) select ${id("g")}, 1, ${spec}, now() from generate_series(1, ${JOBS}) g`,
  );
  await pool.query(
    `insert into punctual.cursor (job_id, version, next_fire_at, planned_until, parked)
     select ${id("g")}, 1, case when g % 100 > 0 then now() + interval '1 day' end, now(), g % 2000 = 1 from generate_series(1, ${JOBS}) g`,
  );
  const executionId =
    "(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - g), 12, '0') || '70008000' || lpad(to_hex(g), 12, '0'))::uuid";
  await pool.query(
    `insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, scheduled_at, run_at, priority, attempt,
       finished_at, root_id, created_at)
     select ${executionId}, $1, ${id(`g % ${JOBS}`)}, 1, 1, 'schedule', case when g % 500 = 1 then 'failed' else 'succeeded' end, null, now(), now(), 50, 1, now(),
       ${executionId}, now() from generate_series(1, ${EXECUTIONS}) g`,
    [PROJECT],
  );
  await pool.query(
    `insert into punctual.queue (id, project_id, job_id, version, payload_version, trigger, state, hold, scheduled_at, run_at, priority, lane, overlap, gated, root_id, created_at)
     select ${executionId.replace("- g", "+ g")}, $1, ${id(`g % ${JOBS}`)}, 1, 1, 'manual', 'scheduled', 'later', now(), now() + g * interval '1 second', 50, 'l', 'allow', false,
       ${executionId}, now() from generate_series(1, ${EXECUTIONS}) g`,
    [PROJECT],
  );
  await pool.query(
    `insert into punctual.dead_letter (execution_id, project_id, job_id, fingerprint, execution, created_at)
     select e.id, e.project_id, e.job_id, 'f', to_jsonb(e), now() from punctual.execution e where e.state = 'failed' or e.id::text like '%00'`,
  );
  await pool.query("vacuum analyze");
}
