import type { FailingJob } from "../../contract/failing-jobs.ts";
import { idFloor } from "../../core/ids.ts";
import type { StatsWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";

/** Of each state, the latest: among more than these the worst jobs are the worst jobs too. */
const LOOKED_AT_MAX = 10_000;

const latest = (state: "failed" | "unknown") => `(
       select e.id, e.job_id, e.state from punctual.execution e
       where e.project_id = $1 and e.state = '${state}' and e.id >= $2 and e.id < $3 order by e.id desc limit ${LOOKED_AT_MAX}
     )`;

export const failingJobsSql = statement(
  "failing_jobs",
  `with failures as materialized (${latest("failed")} union all ${latest("unknown")}),
   worst as materialized (
     select f.job_id, count(*) as failed, max(f.id::text)::uuid as latest from failures f
     group by f.job_id order by failed desc, latest desc limit $4
   )
   select w.job_id, coalesce(j.name, w.job_id::text) as job_name, w.failed, w.latest, e.error, e.finished_at,
     not exists (select from failures f group by f.state having count(*) >= ${LOOKED_AT_MAX}) as complete
   from worst w
   join punctual.execution e on e.project_id = $1 and e.id = w.latest
   left join punctual.job j on j.id = w.job_id
   order by w.failed desc, w.latest desc`,
);

interface Row {
  job_id: string;
  job_name: string;
  failed: number;
  latest: string;
  error: { code: string; message: string } | null;
  finished_at: Date;
  complete: boolean;
}

/** Those with the most failed and unknown executions, each with its latest. */
export async function failingJobs(
  db: Queryable,
  projectId: string,
  window: StatsWindow,
  limit: number,
): Promise<{ items: FailingJob[]; complete: boolean }> {
  const bounds = [idFloor(window.from.getTime()), idFloor(window.to.getTime())];
  const rows = await db.run<Row>(failingJobsSql, [projectId, ...bounds, limit]);
  const items = rows.map((row) => ({
    jobId: row.job_id,
    jobName: row.job_name,
    failed: row.failed,
    executionId: row.latest,
    error: row.error && { code: row.error.code, message: row.error.message },
    at: row.finished_at.toISOString(),
  }));
  return { items, complete: rows[0]?.complete ?? true };
}
