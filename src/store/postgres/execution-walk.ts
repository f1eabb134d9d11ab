// How executions are found in the order of their ids, so that a page costs the same among a thousand and among millions: each
// side is walked along an index and stops at the limit. What was asked for decides along which:
//   all:        the project's; other conditions are looked at on the way
//   states:     each wanted state by itself, with its name in the text: the planner knows how rare it is
//   jobs:       each wanted job by itself, so that one that runs once a year is found among millions of other runs
//   job_states: each wanted job and state by itself
//   triggers:   each wanted trigger by itself; most rows are `schedule`, which has no index of its own

import { EXECUTION_STATES, TRIGGERS } from "../../contract/execution.ts";
import { isFinal } from "../../core/states.ts";
import type { ExecutionFilter } from "../port/executions.ts";
import { LEDGER_FILTER, ledgerState, QUEUE_FILTER, queueState } from "./execution-filter.ts";

export const WAYS = ["all", "states", "jobs", "job_states", "triggers"] as const;
export type Way = (typeof WAYS)[number];
export type Order = "asc" | "desc";

/** More jobs than these are not worth a walk each. */
const JOBS_WALKED_ALONE_MAX = 200;

export function wayFor({ states, jobIds, triggers }: ExecutionFilter): Way {
  if (jobIds !== undefined && jobIds.length <= JOBS_WALKED_ALONE_MAX)
    return states === undefined ? "jobs" : "job_states";
  if (states !== undefined) return "states";
  return triggers !== undefined && !triggers.includes("schedule") ? "triggers" : "all";
}

interface Side {
  from: string;
  row: "q" | "e";
  /** The condition of each state that rows of this side have. */
  states: string[];
}

const QUEUE: Side = {
  from: `punctual.queue q where ${QUEUE_FILTER}`,
  row: "q",
  states: EXECUTION_STATES.filter((state) => !isFinal(state)).map(queueState),
};

const LEDGER: Side = {
  from: `punctual.execution e where ${LEDGER_FILTER}`,
  row: "e",
  states: EXECUTION_STATES.filter(isFinal).map(ledgerState),
};

/** The conditions of each part that is walked by itself; those that were not asked for are false before they are run. */
function armsFor(way: Way, { row, states }: Side): string[] {
  if (way === "states" || way === "job_states") return states;
  if (way !== "triggers") return [""];
  return TRIGGERS.filter((trigger) => trigger !== "schedule").map(
    (trigger) => `'${trigger}' = any($7) and ${row}.trigger = '${trigger}'`,
  );
}

/** Rows of the queue that match, at most $10 for each part that is walked. */
export function fromQueue(columns: string, way: Way, order: Order): string {
  return walk(QUEUE, columns, way, order);
}

/** The same of the ledger. */
export function fromLedger(columns: string, way: Way, order: Order): string {
  return walk(LEDGER, columns, way, order);
}

function walk(side: Side, columns: string, way: Way, order: Order): string {
  const perJob = way === "jobs" || way === "job_states";
  const arms = armsFor(way, side).map((condition) => {
    const conditions = [condition, perJob ? `${side.row}.job_id = wanted.job_id` : ""].filter((text) => text !== "");
    return `(select ${columns} from ${[side.from, ...conditions].join(" and ")} order by ${side.row}.id ${order} limit $10)`;
  });
  const found = arms.join("\n union all ");
  return perJob
    ? `select each.* from unnest($6::uuid[]) as wanted (job_id) cross join lateral (${found}) as each`
    : found;
}
