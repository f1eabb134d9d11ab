// What there is of some jobs in a window: what ran and what was skipped, from the ledger; what runs, waits and is to come, from
// the queue. In one statement and so in one snapshot, because an execution moves from the one to the other at any moment.
//
// Many executions of a job in one step of the window are one span, added up here and not by the caller: a job has a few spans
// for each step at most. Yet it may have a hundred thousand executions. Only the latest are looked at; of lanes that have more,
// timeline-gaps.ts finds what is worth showing of the others.

import type { ExecutionState } from "../../contract/execution.ts";
import { idFloor } from "../../core/ids.ts";
import { isFinal } from "../../core/states.ts";
import type { SteppedWindow } from "../port/stats.ts";
import type { LaneRecord } from "../port/timeline.ts";
import { type Queryable, statement } from "./database.ts";
import { timelineGaps } from "./timeline-gaps.ts";
import { MARKED, SPAN, type SpanRow, spansBy } from "./timeline-span.ts";

/** Executions that are looked at for one answer; the lanes share them. */
const ROWS_MAX = 75_000;
/** But none needs more. */
const LANE_ROWS_MAX = 5_000;
/** Of a lane, of what is in the queue. */
const QUEUE_ROWS_MAX = 300;
/** What was due so long before the window may have run into it. A stretch of skipped instants is a day at most. */
const REACH_MS = 24 * 3_600_000;
/** But only the latest of those are looked at. */
const REACH_ROWS_MAX = 20;

// $1 project, $2 jobs, $3 the first id that is looked for, $4 the first of the window, $5 the first after it, $6 the window's
// beginning, $7 its end, $8 now, $9 the length of a step, $10 how many of a lane. That the jobs are the project's is asked of
// them, and not of each of their executions.
const OF_LANE = "from punctual.execution e where e.job_id = j.id";

/** All of them, so that their number says whether there are more. */
const WITHIN = `select ${MARKED} ${OF_LANE} and e.id >= $4 and e.id < $5 order by e.id desc limit $10`;

/** The latest before it, and the latest stretches, which may have begun long before those; what is both is one. */
const REACHING = ["", "and e.state = 'skipped'"]
  .map(
    (only) =>
      `(select ${MARKED} ${OF_LANE} and e.id >= $3 and e.id < $4 ${only} order by e.id desc limit ${REACH_ROWS_MAX})`,
  )
  .join("\n      union ");

const QUEUED = `(select q.id, case when q.state = 'scheduled' and q.run_at > $8 then 'planned' else q.state end, null, 1,
        case q.state when 'scheduled' then q.run_at else q.first_started_at end, case when q.state = 'scheduled' and q.run_at > $8 then q.run_at end
      from punctual.queue q where q.job_id = j.id and q.id < $5 order by q.id limit ${QUEUE_ROWS_MAX})`;

export const timelineLanesSql = statement(
  "timeline_lanes",
  `select lane.job_id, lane.part, lane.state, lane.reason, lane.n, lane.rows, lane.latest, lane.starts, lane.ends from punctual.job j
   cross join lateral (
     select c.job_id, 'cursor' as part, null as state, null as reason, c.runs as n, 0 as rows, null as latest, c.planned_until as starts, null as ends
     from punctual.cursor c where c.job_id = j.id
     union all
     select j.id, 'within', ${SPAN} from (${WITHIN}) as s group by ${spansBy("$9")}
     union all
     select j.id, 'around', ${SPAN} from (${REACHING}
      union all ${QUEUED}) as s
     where s.starts < $7 and coalesce(s.ends, $8) >= $6 group by ${spansBy("$9")}
   ) as lane
   where j.id = any($2::uuid[]) and j.project_id = $1`,
);

interface Row extends SpanRow {
  /** Of a cursor `n` are the runs, and `starts` is until when instants are planned. */
  part: "cursor" | "within" | "around";
}

export async function timelineLanes(
  db: Queryable,
  projectId: string,
  jobIds: readonly string[],
  window: SteppedWindow & { now: Date },
): Promise<Map<string, LaneRecord>> {
  const [from, to] = [window.from.getTime(), window.to.getTime()];
  const perLane = Math.min(LANE_ROWS_MAX, Math.floor(ROWS_MAX / Math.max(1, jobIds.length)));
  const ids = [Math.max(0, from - REACH_MS), from, to].map(idFloor);
  const times = [window.from, window.to, window.now];
  const rows = await db.run<Row>(timelineLanesSql, [projectId, jobIds, ...ids, ...times, window.stepMs, perLane]);
  const lanes = new Map(jobIds.map((id): [string, Row[]] => [id, []]));
  for (const row of rows) lanes.get(row.job_id)!.push(row);
  const cut = jobIds.filter((id) => seen(lanes.get(id)!, ({ part }) => part === "within") >= perLane);
  fillGaps(lanes, await timelineGaps(db, projectId, cut, window), window.stepMs);
  return new Map([...lanes].map(([id, ofLane]) => [id, laneOf(ofLane, { isCut: cut.includes(id), to: window.to })]));
}

/** Adds what was found otherwise, where a lane has nothing of its kind in the same step. */
function fillGaps(lanes: ReadonlyMap<string, Row[]>, gaps: readonly SpanRow[], stepMs: number): void {
  const kindOf = ({ job_id, state, starts }: SpanRow) => `${job_id} ${state} ${Math.floor(starts.getTime() / stepMs)}`;
  const filled = new Set(gaps.map(({ job_id }) => job_id));
  const known = new Set([...filled].flatMap((id) => lanes.get(id)!.map(kindOf)));
  for (const gap of gaps) {
    const kind = kindOf(gap);
    if (!known.has(kind)) lanes.get(gap.job_id)!.push({ ...gap, part: "within" });
    known.add(kind);
  }
}

function laneOf(rows: readonly Row[], { isCut, to }: { isCut: boolean; to: Date }): LaneRecord {
  const cursor = rows.find(({ part }) => part === "cursor");
  const shown = rows
    .filter(({ part, starts }) => part !== "cursor" && starts < to)
    .sort((a, b) => a.starts.getTime() - b.starts.getTime());
  const queued = seen(rows, ({ part, state }) => part === "around" && (state === "planned" || !isFinal(state)));
  return {
    spans: shown.filter(({ state }) => state !== "planned").map(spanOf),
    queued: shown
      .filter(({ state }) => state === "planned")
      .map(({ starts, ends, n }) => ({ from: starts.toISOString(), to: ends!.toISOString(), count: n })),
    plannedUntil: cursor?.starts ?? new Date(0),
    runs: cursor?.n ?? 0,
    complete: !isCut && queued < QUEUE_ROWS_MAX,
  };
}

function spanOf({ starts, ends, state, n, latest, reason }: Row): LaneRecord["spans"][number] {
  return {
    from: starts.toISOString(),
    to: ends?.toISOString() ?? null,
    state: state as ExecutionState,
    count: n,
    executionId: latest,
    reason,
  };
}

function seen(rows: readonly Row[], matches: (row: Row) => boolean): number {
  return rows.reduce((sum, row) => (matches(row) ? sum + row.rows : sum), 0);
}
