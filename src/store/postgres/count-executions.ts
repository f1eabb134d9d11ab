import { EXECUTION_STATES, type ExecutionState } from "../../contract/execution.ts";
import { COUNT_MAX } from "../../contract/execution-list.ts";
import { isFinal } from "../../core/states.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { executionFilterValues, LEDGER_FILTER, QUEUE_FILTER, resolveTags } from "./execution-filter.ts";

/** Each state by itself, along its own index, and no further than the bound. */
const counts = EXECUTION_STATES.map((state) => {
  const [from, wanted] = isFinal(state)
    ? [`punctual.execution e where ${LEDGER_FILTER} and e.state = '${state}'`, "$5"]
    : [`punctual.queue q where ${QUEUE_FILTER} and q.state = '${state}'`, "$4"];
  return `select '${state}' as state, count(*) as n from (select from ${from} and '${state}' = any(${wanted}) limit ${COUNT_MAX}) as c`;
});

export const countExecutionsSql = statement("count_executions", counts.join("\n union all "));

export async function countExecutions(
  db: Queryable,
  projectId: string,
  asked: ExecutionFilter,
): Promise<Record<ExecutionState, number>> {
  const filter = await resolveTags(db, projectId, asked);
  const rows = await db.run<{ state: ExecutionState; n: number }>(
    countExecutionsSql,
    executionFilterValues(projectId, filter),
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.n])) as Record<ExecutionState, number>;
}
