import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { executionFilterValues, LEDGER_FILTER, QUEUE_FILTER } from "./execution-filter.ts";

export const matchingExecutionsSql = statement(
  "matching_executions",
  `(select q.id from punctual.queue q where ${QUEUE_FILTER} order by q.id desc limit $10)
   union all (select e.id from punctual.execution e where ${LEDGER_FILTER} order by e.id desc limit $10)
   order by id desc limit $10`,
);

/** Newest first. */
export async function matchingExecutions(
  db: Queryable,
  projectId: string,
  filter: ExecutionFilter,
  limit: number,
): Promise<string[]> {
  const rows = await db.run<{ id: string }>(matchingExecutionsSql, [
    ...executionFilterValues(projectId, filter),
    limit,
  ]);
  return rows.map((row) => row.id);
}
