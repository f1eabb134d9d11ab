// How a job did on each of many days. A job that runs every second has 86,400 executions a day, so that counting goes only so
// far. What succeeded is not looked at: it is what is left of all that an index knows of the day when what ended otherwise,
// which has an index of its own, is taken away.

import { idFloor } from "../../core/ids.ts";
import { FINAL_STATES } from "../../core/states.ts";
import type { StateCounts, StatsWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";

/** Executions of a day that are counted. */
export const DAY_ROWS_MAX = 5_000;
/** Of those, which ended in one way other than well. */
const STATE_ROWS_MAX = 1_000;

const OTHERWISE = FINAL_STATES.filter((state) => state !== "succeeded");

const ARMS = OTHERWISE.map(
  (state) => `select '${state}' as state, count(*) as rows, sum(x.count) as n from (
       select e.count from punctual.execution e
       where e.job_id = $2 and e.state = '${state}' and e.id >= day.floor and e.id < day.ceiling limit ${STATE_ROWS_MAX}
     ) as x`,
);

/** That the job is the project's is asked once, and not of every row: so the day's are counted without being read. */
export const jobDaysSql = statement(
  "job_days",
  `select (day.n - 1)::integer as day, s.state, s.rows, s.n
   from unnest($3::uuid[], $4::uuid[]) with ordinality as day (floor, ceiling, n)
   cross join lateral (
     select 'any' as state, count(*) as rows, count(*)::numeric as n from (
       select e.id from punctual.execution e where e.job_id = $2 and e.id >= day.floor and e.id < day.ceiling limit ${DAY_ROWS_MAX}
     ) as x
     union all ${ARMS.join("\n     union all ")}
   ) as s
   where s.rows > 0 and exists (select from punctual.job j where j.id = $2 and j.project_id = $1)`,
);

interface Row {
  day: number;
  state: keyof StateCounts | "any";
  rows: number;
  n: number;
}

export async function jobDays(
  db: Queryable,
  projectId: string,
  jobId: string,
  days: readonly StatsWindow[],
): Promise<(StateCounts & { complete: boolean })[]> {
  const floors = days.map(({ from }) => idFloor(from.getTime()));
  const ceilings = days.map(({ to }) => idFloor(to.getTime()));
  const rows = days.map((): Row[] => []);
  for (const row of await db.run<Row>(jobDaysSql, [projectId, jobId, floors, ceilings])) rows[row.day]!.push(row);
  return rows.map(countsOf);
}

function countsOf(rows: readonly Row[]): StateCounts & { complete: boolean } {
  const counts = { succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unknown: 0 };
  let left = 0;
  for (const { state, rows: seen, n } of rows) {
    left += state === "any" ? seen : -seen;
    if (state !== "any") counts[state] = n;
  }
  const complete = rows.every(({ state, rows: seen }) => seen < (state === "any" ? DAY_ROWS_MAX : STATE_ROWS_MAX));
  return { ...counts, succeeded: Math.max(0, left), complete };
}
