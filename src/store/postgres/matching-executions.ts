import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, type Statement, statement } from "./database.ts";
import { executionFilterValues, resolveTags } from "./execution-filter.ts";
import { fromLedger, fromQueue, WAYS, type Way, wayFor } from "./execution-walk.ts";

function matching(way: Way): Statement {
  return statement(
    `matching_executions_${way}`,
    `select x.id from (${fromQueue("q.id", way, "desc")} union all ${fromLedger("e.id", way, "desc")}) as x order by x.id desc limit $10`,
  );
}

export const matchingExecutionsSql = Object.fromEntries(WAYS.map((way) => [way, matching(way)])) as Record<
  Way,
  Statement
>;

/** Newest first. */
export async function matchingExecutions(
  db: Queryable,
  projectId: string,
  asked: ExecutionFilter,
  limit: number,
): Promise<string[]> {
  const filter = await resolveTags(db, projectId, asked);
  const values = [...executionFilterValues(projectId, filter), limit];
  const rows = await db.run<{ id: string }>(matchingExecutionsSql[wayFor(filter)], values);
  return rows.map((row) => row.id);
}
