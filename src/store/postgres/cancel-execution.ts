// A cancellation is in force when it returns, whatever the state: the row leaves the queue at once, and a holder that is
// still at work finds its claim gone, aborts the call, and has its answer refused.

import type { ExecutionState } from "../../contract/execution.ts";
import { type Queryable, statement } from "./database.ts";
import { COMPLETE_JOBS, endWithoutAnswer, LEAVING } from "./ledger-row.ts";

export const cancelExecutionSql = statement(
  "cancel_execution",
  `with found as materialized (
     select q.id from punctual.queue q where q.project_id = $1 and q.id = any($2::uuid[]) order by q.id for update
   ),
   gone as (delete from punctual.queue q using found f where q.id = f.id returning ${LEAVING}),
   ${endWithoutAnswer({ state: "'cancelled'", code: "'cancelled'", message: "$3::text" })},
   ${COMPLETE_JOBS}
   select g.id, g.job_id, g.state = 'running' as was_running, coalesce(t.active = 0 and t.waiting > 0, false) as waiting
   from gone g left join left_gate t on t.job_id = g.job_id`,
);

export const finalStateSql = statement(
  "final_state",
  "select e.state from punctual.execution e where e.project_id = $1 and e.id = $2",
);

export interface Cancelled {
  id: string;
  jobId: string;
  wasRunning: boolean;
  waiting: boolean;
}

export async function cancelExecutions(
  db: Queryable,
  projectId: string,
  ids: string[],
  message: string,
): Promise<Cancelled[]> {
  const rows = await db.run<{ id: string; job_id: string; was_running: boolean; waiting: boolean }>(
    cancelExecutionSql,
    [projectId, ids, message],
  );
  return rows.map((row) => ({ id: row.id, jobId: row.job_id, wasRunning: row.was_running, waiting: row.waiting }));
}

export async function finalState(db: Queryable, projectId: string, id: string): Promise<ExecutionState | null> {
  const [row] = await db.run<{ state: ExecutionState }>(finalStateSql, [projectId, id]);
  return row?.state ?? null;
}
