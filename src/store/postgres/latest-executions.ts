import type { Execution } from "../../contract/execution.ts";
import { type Queryable, statement } from "./database.ts";
import { type ExecutionRow, FINAL, QUEUED, toExecution, wholeExecutions } from "./execution-row.ts";

/**
 * Of `queue q`: a fire that is planned but lies ahead is not what anybody calls the last execution. Ids begin with the time
 * of runAt, so that the index passes over what lies ahead, of which there may be thousands; a second more, because what is
 * due is started by another clock.
 */
export const HAS_COME = `q.id < (lpad(to_hex((extract(epoch from now() + interval '1 second') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
  and (q.state <> 'scheduled' or q.run_at <= now())`;

export const latestExecutionsSql = statement(
  "latest_executions",
  `${wholeExecutions(
    `select each.* from unnest($2::uuid[]) as wanted (job_id) cross join lateral (
       select merged.* from (
         (select ${QUEUED} from punctual.queue q
          where q.job_id = wanted.job_id and q.project_id = $1 and ${HAS_COME} order by q.id desc limit $3)
         union all
         (select ${FINAL} from punctual.execution e where e.job_id = wanted.job_id and e.project_id = $1 order by e.id desc limit $3)
       ) as merged order by merged.id desc limit $3
     ) as each`,
    { payload: "false", result: "false", attempts: "false" },
  )} order by x.id desc`,
);

/** The latest of each job, newest first, in one statement. */
export async function latestExecutions(
  db: Queryable,
  projectId: string,
  jobIds: string[],
  perJob: number,
): Promise<Map<string, Execution[]>> {
  const latest = new Map<string, Execution[]>();
  if (jobIds.length === 0) return latest;
  const rows = await db.run<ExecutionRow>(latestExecutionsSql, [projectId, jobIds, perJob]);
  for (const row of rows) {
    const execution = toExecution(row, { payload: false, result: false, attempts: false });
    latest.set(row.job_id, [...(latest.get(row.job_id) ?? []), execution]);
  }
  return latest;
}
