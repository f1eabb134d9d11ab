import { type JobRecent, RECENT_FINAL, RECENT_RUNS } from "../../contract/job-recent.ts";
import { type Queryable, statement } from "./database.ts";
import { HAS_COME } from "./latest-executions.ts";

/**
 * The days of the ledger are walked from the newest back, along the index by job, until a job has enough: one that runs
 * every second has it within minutes, and one that has not run for a month costs a look into the index of every day.
 *
 * Left to itself the planner reckons with as many executions as an average job has, and reads and sorts all of them where a
 * busy job has a hundred thousand (600 ms instead of 5). Of a limit that it cannot see it expects a tenth to be asked for,
 * and walks. `is true` keeps it off the index by project, along which a job that seldom runs would be looked for among all.
 */
export const recentRunsSql = statement(
  "recent_runs",
  `select wanted.job_id, each.runs, each.succeeded, each.counted, each.p95_duration_ms
   from unnest($2::uuid[]) as wanted (job_id) cross join lateral (
     with final as materialized (
       select e.id, e.state, e.scheduled_at, e.duration_ms, e.lateness_ms, e.attempt, e.count from punctual.execution e
       where e.job_id = wanted.job_id and (e.project_id = $1) is true order by e.id desc limit (select ${RECENT_FINAL})
     ),
     newest as (
       (select q.id, q.state, q.scheduled_at, null::integer as duration_ms, q.lateness_ms, q.attempt, 1 as count from punctual.queue q
        where q.job_id = wanted.job_id and q.project_id = $1 and ${HAS_COME} order by q.id desc limit ${RECENT_RUNS})
       union all
       (select f.id, f.state, f.scheduled_at, f.duration_ms, f.lateness_ms, f.attempt, f.count from final f limit ${RECENT_RUNS})
       order by id desc limit ${RECENT_RUNS}
     )
     select count(*) filter (where f.state = 'succeeded') as succeeded,
       count(*) filter (where f.state in ('succeeded', 'failed', 'unknown')) as counted,
       percentile_cont(0.95) within group (order by f.duration_ms) as p95_duration_ms,
       (select json_agg(json_build_object('executionId', n.id, 'state', n.state, 'scheduledAt', punctual.iso(n.scheduled_at),
          'durationMs', n.duration_ms, 'latenessMs', n.lateness_ms, 'attempt', n.attempt, 'count', n.count) order by n.id) from newest n) as runs
     from final f
   ) as each`,
);

interface Row {
  job_id: string;
  runs: JobRecent["runs"] | null;
  succeeded: number;
  counted: number;
  p95_duration_ms: number | null;
}

/** How each job has been doing of late, in one statement. */
export async function recentRuns(db: Queryable, projectId: string, jobIds: string[]): Promise<Map<string, JobRecent>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db.run<Row>(recentRunsSql, [projectId, jobIds]);
  return new Map(rows.map((row) => [row.job_id, toRecent(row)]));
}

function toRecent({ runs, succeeded, counted, p95_duration_ms: p95 }: Row): JobRecent {
  return {
    runs: runs ?? [],
    successRate: counted === 0 ? null : succeeded / counted,
    p95DurationMs: p95 === null ? null : Math.round(p95),
    counted,
  };
}
