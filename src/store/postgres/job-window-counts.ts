// How a job did in each of many windows, such as days. A job that runs every second has 86,400 executions a day, so that counting
// goes only so far. What succeeded is not looked at: it is what is left of all that an index knows of the window when what ended
// otherwise, which has an index of its own, is taken away.

import { idFloor } from "../../core/ids.ts";
import { FINAL_STATES } from "../../core/states.ts";
import type { StateCounts, StatsWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";

/** Executions of a window that are counted. */
export const WINDOW_ROWS_MAX = 5_000;
/** Of those, which ended in one way other than well. */
const STATE_ROWS_MAX = 1_000;

const OTHERWISE = FINAL_STATES.filter((state) => state !== "succeeded");

const ARMS = OTHERWISE.map(
  (state) => `select '${state}' as state, count(*) as rows, sum(x.count) as n from (
       select e.count from punctual.execution e
       where e.job_id = $2 and e.state = '${state}' and e.id >= span.floor and e.id < span.ceiling limit ${STATE_ROWS_MAX}
     ) as x`,
);

/** That the job is the project's is asked once, and not of every row: so the others are counted without being read. */
export const jobWindowCountsSql = statement(
  "job_window_counts",
  `select (span.n - 1)::integer as span, s.state, s.rows, s.n
   from unnest($3::uuid[], $4::uuid[]) with ordinality as span (floor, ceiling, n)
   cross join lateral (
     select 'any' as state, count(*) as rows, count(*)::numeric as n from (
       select e.id from punctual.execution e where e.job_id = $2 and e.id >= span.floor and e.id < span.ceiling limit ${WINDOW_ROWS_MAX}
     ) as x
     union all ${ARMS.join("\n     union all ")}
   ) as s
   where s.rows > 0 and exists (select from punctual.job j where j.id = $2 and j.project_id = $1)`,
);

interface Row {
  /** Which of the windows, from 0. */
  span: number;
  state: keyof StateCounts | "any";
  rows: number;
  n: number;
}

export async function jobWindowCounts(
  db: Queryable,
  projectId: string,
  jobId: string,
  windows: readonly StatsWindow[],
): Promise<(StateCounts & { complete: boolean })[]> {
  const floors = windows.map(({ from }) => idFloor(from.getTime()));
  const ceilings = windows.map(({ to }) => idFloor(to.getTime()));
  const rows = windows.map((): Row[] => []);
  for (const row of await db.run<Row>(jobWindowCountsSql, [projectId, jobId, floors, ceilings]))
    rows[row.span]!.push(row);
  return rows.map(countsOf);
}

function countsOf(rows: readonly Row[]): StateCounts & { complete: boolean } {
  const counts = { succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unknown: 0 };
  let left = 0;
  for (const { state, rows: seen, n } of rows) {
    left += state === "any" ? seen : -seen;
    if (state !== "any") counts[state] = n;
  }
  const complete = rows.every(({ state, rows: seen }) => seen < (state === "any" ? WINDOW_ROWS_MAX : STATE_ROWS_MAX));
  return { ...counts, succeeded: Math.max(0, left), complete };
}
