import { EXECUTION_STATES, type ExecutionState } from "../../contract/execution.ts";
import { idFloor } from "../../core/ids.ts";
import { isFinal } from "../../core/states.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { CLAIMED_LATELY } from "./held-rows.ts";

// Parameters of every statement that filters executions: $1 project, $2 and $3 the ids between which the rows are (both
// excluded), $4 states in the queue, $5 final states, $6 jobs, $7 triggers, $8 tags, $9 ids. Those that are null do not count.
// A side of which no state is wanted is not looked at: the planner sees that its list is empty.
//
// Whoever wants some states only walks each by itself and names it (queueState, ledgerState). Beside its name there is no
// `state = any(…)`: an index that is searched for a list no longer counts as sorted by what follows, and a page would be
// sorted out of all rows of the state.

/** On `queue q`. */
export const QUEUE_FILTER = `cardinality($4::text[]) > 0 and q.project_id = $1 and q.id > $2 and q.id < $3
  ${conditions("q")}`;

/** On `execution e`. */
export const LEDGER_FILTER = `cardinality($5::text[]) > 0 and e.project_id = $1 and e.id > $2 and e.id < $3
  ${conditions("e")}`;

const FOUND_BY: Partial<Record<ExecutionState, string>> = {
  running: ` and (q.hold = 'running' or q.id = any(array(${CLAIMED_LATELY})))`,
  retrying: " and q.retrying",
};

/** Of one state, if it is wanted. Where running and retrying ones stand is known, and they are few among many. */
export function queueState(state: ExecutionState): string {
  return `'${state}' = any($4) and q.state = '${state}'${FOUND_BY[state] ?? ""}`;
}

export function ledgerState(state: ExecutionState): string {
  return `'${state}' = any($5) and e.state = '${state}'`;
}

function conditions(row: "q" | "e"): string {
  return `and ($6::uuid[] is null or ${row}.job_id = any($6))
  and ($7::text[] is null or ${row}.trigger = any($7))
  and ($8::text[] is null or exists (select from punctual.job t where t.id = ${row}.job_id and t.tags && $8))
  and ($9::uuid[] is null or ${row}.id = any($9))`;
}

/** Jobs that a tag stands for, if they are few; null if they are many. */
const TAGGED_MAX = 200;

export const taggedJobsSql = statement(
  "tagged_jobs",
  "select t.id from punctual.job t where t.project_id = $1 and t.tags && $2::text[] and ($3::uuid[] is null or t.id = any($3)) limit $4",
);

/** A tag that few jobs have is the same question as those jobs, and they are found much faster. */
export async function resolveTags(db: Queryable, projectId: string, filter: ExecutionFilter): Promise<ExecutionFilter> {
  if (filter.tags === undefined) return filter;
  const rows = await db.run<{ id: string }>(taggedJobsSql, [
    projectId,
    filter.tags,
    filter.jobIds ?? null,
    TAGGED_MAX + 1,
  ]);
  if (rows.length > TAGGED_MAX) return filter;
  const { tags: _, ...rest } = filter;
  return { ...rest, jobIds: rows.map((row) => row.id) };
}

const ID_MIN = "00000000-0000-0000-0000-000000000000";
const ID_MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const MS_MAX = 2 ** 48 - 1;

/** Ids begin with the time of runAt, so that a span of time is a span of ids. */
export function executionFilterValues(
  projectId: string,
  filter: ExecutionFilter,
  bounds: { above?: string; below?: string } = {},
): unknown[] {
  const states: readonly ExecutionState[] = filter.states ?? EXECUTION_STATES;
  const above = filter.from ? floor(filter.from) : ID_MIN;
  const below = filter.to ? floor(filter.to) : ID_MAX;
  return [
    projectId,
    bounds.above !== undefined && bounds.above > above ? bounds.above : above,
    bounds.below !== undefined && bounds.below < below ? bounds.below : below,
    states.filter((state) => !isFinal(state)),
    states.filter(isFinal),
    filter.jobIds ?? null,
    filter.triggers ?? null,
    filter.tags ?? null,
    filter.ids ?? null,
  ];
}

function floor(moment: Date): string {
  return idFloor(Math.min(Math.max(moment.getTime(), 0), MS_MAX));
}
