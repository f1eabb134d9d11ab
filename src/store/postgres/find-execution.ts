import type { Execution } from "../../contract/execution.ts";
import { type Queryable, statement } from "./database.ts";
import { type ExecutionRow, FINAL, QUEUED, toExecution, wholeExecutions } from "./execution-row.ts";

export const findExecutionSql = statement(
  "find_execution",
  wholeExecutions(
    `select ${QUEUED} from punctual.queue q where q.id = $2 and q.project_id = $1
     union all select ${FINAL} from punctual.execution e where e.id = $2 and e.project_id = $1`,
    { payload: "true", result: "true", attempts: "true" },
  ),
);

/** The whole: payload, result, every attempt, also the running one. */
export async function findExecution(db: Queryable, projectId: string, id: string): Promise<Execution | null> {
  const [row] = await db.run<ExecutionRow>(findExecutionSql, [projectId, id]);
  return row ? toExecution(row, { payload: true, result: true, attempts: true }) : null;
}
