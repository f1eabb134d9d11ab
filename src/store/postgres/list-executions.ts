// Pages of executions, newest first unless asked otherwise. Queue and ledger are each walked in the order of their ids and
// stop at the page's size. A statement for each way to walk, chosen by what was asked for:
//   all:    by project; other conditions are looked at on the way
//   jobs:   each job by itself, so that a job which runs once a year is found among millions of other runs
//   states: each state by itself, for the same reason; `succeeded` has no index of its own, being what most rows are

import type { Execution, ExecutionState } from "../../contract/execution.ts";
import type { ExecutionFilter, ExecutionInclude } from "../port/executions.ts";
import { type Queryable, type Statement, statement } from "./database.ts";
import { executionFilterValues, LEDGER_FILTER, QUEUE_FILTER } from "./execution-filter.ts";
import { type ExecutionRow, FINAL, QUEUED, toExecution, wholeExecutions } from "./execution-row.ts";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";

type Order = "asc" | "desc";
type Way = "all" | "jobs" | "states";

/** $10 is the size of the page, $11 to $13 say what to include. */
function listing(way: Way, order: Order): Statement {
  const queue = `select ${QUEUED} from punctual.queue q where ${QUEUE_FILTER}`;
  const ledger = `select ${FINAL} from punctual.execution e where ${LEDGER_FILTER}`;
  const limited = (select: string, row: string) => `${select} order by ${row}.id ${order} limit $10`;
  const eachJob = (select: string, row: string) =>
    `select each.* from unnest($6::uuid[]) as wanted (job_id) cross join lateral (${limited(`${select} and ${row}.job_id = wanted.job_id`, row)}) as each`;
  const sides: Record<Way, () => [string, string]> = {
    all: () => [limited(queue, "q"), limited(ledger, "e")],
    jobs: () => [eachJob(queue, "q"), eachJob(ledger, "e")],
    states: () => [
      limited(queue, "q"),
      `select each.* from unnest($5::text[]) as wanted (state) cross join lateral (
         ${limited(`${ledger} and e.state = wanted.state and e.state <> 'succeeded'`, "e")}) as each`,
    ],
  };
  const [queueSide, ledgerSide] = sides[way]();
  const page = `select merged.* from ((${queueSide}) union all (${ledgerSide})) as merged order by merged.id ${order} limit $10`;
  const wanted = { payload: "$11::boolean", result: "$12::boolean", attempts: "$13::boolean" };
  return statement(`list_executions_${way}_${order}`, `${wholeExecutions(page, wanted)} order by x.id ${order}`);
}

export const listExecutionsSql = {
  all: { asc: listing("all", "asc"), desc: listing("all", "desc") },
  jobs: { asc: listing("jobs", "asc"), desc: listing("jobs", "desc") },
  states: { asc: listing("states", "asc"), desc: listing("states", "desc") },
};

interface Page {
  order: Order;
  after: string | null;
  limit: number;
  include: ExecutionInclude[];
}

export async function listExecutions(
  db: Queryable,
  projectId: string,
  filter: ExecutionFilter,
  { order, after, limit, include }: Page,
): Promise<{ items: Execution[]; next: string | null }> {
  const last = after === null ? undefined : cursorId(decodeCursor(order, after)[0], after);
  const bounds = last === undefined ? {} : order === "desc" ? { below: last } : { above: last };
  const included = {
    payload: include.includes("payload"),
    result: include.includes("result"),
    attempts: include.includes("attempts"),
  };
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

const JOBS_WALKED_ALONE_MAX = 200;

function wayFor(filter: ExecutionFilter): Way {
  const rareStates = filter.states !== undefined && !(filter.states as ExecutionState[]).includes("succeeded");
  if (filter.jobIds !== undefined && filter.jobIds.length <= JOBS_WALKED_ALONE_MAX && !rareStates) return "jobs";
  return rareStates && filter.jobIds === undefined ? "states" : "all";
}
