import { EXECUTION_STATES, type ExecutionState } from "../../contract/execution.ts";
import { COUNT_MAX } from "../../contract/execution-list.ts";
import { isFinal } from "../../core/states.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, type Statement, statement } from "./database.ts";
import {
  executionFilterValues,
  LEDGER_FILTER,
  ledgerState,
  QUEUE_FILTER,
  queueState,
  resolveTags,
} from "./execution-filter.ts";

/** Each state by itself, along its own index, and no further than the bound. */
function counting(name: string, order: "order by id desc" | ""): Statement {
  const counts = EXECUTION_STATES.map((state) => {
    const from = isFinal(state)
      ? `punctual.execution e where ${LEDGER_FILTER} and ${ledgerState(state)}`
      : `punctual.queue q where ${QUEUE_FILTER} and ${queueState(state)}`;
    return `select '${state}' as state, count(*) as n from (select id from ${from} ${order} limit ${COUNT_MAX}) as c`;
  });
  return statement(name, counts.join("\n union all "));
}

/**
 * Of a whole project in the order of the index that has all of its rows, because the bound alone does not keep the planner
 * from gathering the places of all of them first. Of some jobs in no order, because that would lead it to the same index, in
 * which theirs may be few.
 */
export const countExecutionsSql = {
  ofProject: counting("count_executions", "order by id desc"),
  ofJobs: counting("count_executions_of_jobs", ""),
};

export async function countExecutions(
  db: Queryable,
  projectId: string,
  asked: ExecutionFilter,
): Promise<Record<ExecutionState, number>> {
  const filter = await resolveTags(db, projectId, asked);
  const rows = await db.run<{ state: ExecutionState; n: number }>(
    countExecutionsSql[filter.jobIds === undefined ? "ofProject" : "ofJobs"],
    executionFilterValues(projectId, filter),
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.n])) as Record<ExecutionState, number>;
}
