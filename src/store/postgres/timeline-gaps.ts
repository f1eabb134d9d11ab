// Of jobs with more executions in a window than a timeline looks at: the latest of every step, so that a lane shows when the job
// ran though not how often, and those that did not succeed, as many as are worth showing, which have an index of their own.

import { idFloor } from "../../core/ids.ts";
import { FINAL_STATES } from "../../core/states.ts";
import type { SteppedWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";
import { MARKED, SPAN, type SpanRow, spansBy } from "./timeline-span.ts";

/** Of a lane, of each state other than succeeded. */
const STATE_ROWS_MAX = 300;

// $1 project, $2 jobs, $3 the smallest ids of the steps, $4 the smallest after them, $5 the first id of all, $6 the first after
// all, which tell the planner which days they lie in, $7 the length of a step.
const OF_LANE = "from punctual.execution e where e.job_id = j.id and e.id >= $5 and e.id < $6";

const OTHERWISE = FINAL_STATES.filter((state) => state !== "succeeded").map(
  (state) => `(select ${MARKED} ${OF_LANE} and e.state = '${state}' order by e.id desc limit ${STATE_ROWS_MAX})`,
);

/** What did not succeed comes first: of its steps it knows more than the one that is their latest. */
export const timelineGapsSql = statement(
  "timeline_gaps",
  `select j.id as job_id, gap.state, gap.reason, gap.n, gap.rows, gap.latest, gap.starts, gap.ends from punctual.job j
   cross join lateral (
     select 1 as turn, ${SPAN} from (${OTHERWISE.join("\n      union all ")}) as s group by ${spansBy("$7")}
     union all
     select 2, s.state, s.reason, s.n, 1, s.id::text, s.starts, s.ends from unnest($3::uuid[], $4::uuid[]) as step (floor, ceiling)
     cross join lateral (select ${MARKED} ${OF_LANE} and e.id >= step.floor and e.id < step.ceiling order by e.id desc limit 1) as s
   ) as gap
   where j.id = any($2::uuid[]) and j.project_id = $1 order by gap.turn`,
);

export async function timelineGaps(
  db: Queryable,
  projectId: string,
  jobIds: readonly string[],
  { from, to, stepMs }: SteppedWindow,
): Promise<SpanRow[]> {
  if (jobIds.length === 0) return [];
  const [first, end] = [from.getTime(), to.getTime()];
  const steps: number[] = [];
  for (let at = Math.floor(first / stepMs) * stepMs; at < end; at += stepMs) steps.push(at);
  const floors = steps.map((at) => idFloor(Math.max(first, at)));
  const ceilings = steps.map((at) => idFloor(Math.min(end, at + stepMs)));
  const bounds = [idFloor(first), idFloor(end)];
  return await db.run<SpanRow>(timelineGapsSql, [projectId, jobIds, floors, ceilings, ...bounds, stepMs]);
}
