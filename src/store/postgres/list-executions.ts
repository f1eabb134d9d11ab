import type { Execution } from "../../contract/execution.ts";
import type { ExecutionInclude } from "../../contract/execution-list.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, type Statement, statement } from "./database.ts";
import { executionFilterValues, resolveTags } from "./execution-filter.ts";
import { type ExecutionRow, FINAL, QUEUED, toExecution, wholeExecutions } from "./execution-row.ts";
import { fromLedger, fromQueue, type Order, WAYS, type Way, wayFor } from "./execution-walk.ts";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";

/** $10 is the size of the page, $11 to $13 say what to include. */
function listing(way: Way, order: Order): Statement {
  const page = `select x.* from (${fromQueue(QUEUED, way, order)} union all ${fromLedger(FINAL, way, order)}) as x order by x.id ${order} limit $10`;
  const wanted = { payload: "$11::boolean", result: "$12::boolean", attempts: "$13::boolean" };
  return statement(`list_executions_${way}_${order}`, `${wholeExecutions(page, wanted)} order by x.id ${order}`);
}

export const listExecutionsSql = Object.fromEntries(
  WAYS.map((way) => [way, { asc: listing(way, "asc"), desc: listing(way, "desc") }]),
) as Record<Way, Record<Order, Statement>>;

interface Page {
  order: Order;
  after: string | null;
  limit: number;
  include: ExecutionInclude[];
}

export async function listExecutions(
  db: Queryable,
  projectId: string,
  asked: ExecutionFilter,
  { order, after, limit, include }: Page,
): Promise<{ items: Execution[]; next: string | null }> {
  const last = after === null ? undefined : cursorId(decodeCursor(order, after)[0], after);
  const bounds = last === undefined ? {} : order === "desc" ? { below: last } : { above: last };
  const included = {
    payload: include.includes("payload"),
    result: include.includes("result"),
    attempts: include.includes("attempts"),
  };
  const filter = await resolveTags(db, projectId, asked);
  const rows = await db.run<ExecutionRow>(listExecutionsSql[wayFor(filter)][order], [
    ...executionFilterValues(projectId, filter, bounds),
    limit + 1,
    included.payload,
    included.result,
    included.attempts,
  ]);
  const items = rows.slice(0, limit).map((row) => toExecution(row, included));
  return { items, next: rows.length > limit ? encodeCursor(order, [items.at(-1)!.id]) : null };
}
