import { EXECUTION_STATES, type ExecutionState } from "../../contract/execution.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { executionFilterValues, LEDGER_FILTER, QUEUE_FILTER } from "./execution-filter.ts";

export const countExecutionsSql = statement(
  "count_executions",
  `select q.state, count(*) as n from punctual.queue q where ${QUEUE_FILTER} group by q.state
   union all
   select e.state, count(*) from punctual.execution e where ${LEDGER_FILTER} group by e.state`,
);

export async function countExecutions(
  db: Queryable,
  projectId: string,
  filter: ExecutionFilter,
): Promise<Record<ExecutionState, number>> {
  const rows = await db.run<{ state: ExecutionState; n: number }>(
    countExecutionsSql,
    executionFilterValues(projectId, filter),
  );
  const counts = Object.fromEntries(EXECUTION_STATES.map((state) => [state, 0])) as Record<ExecutionState, number>;
  for (const row of rows) counts[row.state] = row.n;
  return counts;
}
