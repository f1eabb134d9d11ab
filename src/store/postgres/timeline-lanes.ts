// What there is of some jobs in a window: what ran and what was skipped, from the ledger; what runs, waits and is to come, from
// the queue. In one statement and so in one snapshot, because an execution moves from the one to the other at any moment.
//
// Many executions of a job in one step of the window are one span, added up here and not by the caller. A job has a span for
// each step and state at most, yet it may have a hundred thousand executions: only the latest are looked at, and beside them
// those that did not succeed, which have an index of their own and which a timeline is there to show.

import type { ExecutionState } from "../../contract/execution.ts";
import { idFloor } from "../../core/ids.ts";
import { FINAL_STATES, isFinal } from "../../core/states.ts";
import type { SteppedWindow } from "../port/stats.ts";
import type { LaneRecord } from "../port/timeline.ts";
import { type Queryable, statement } from "./database.ts";

/** Executions that are looked at for one answer; the lanes share them. */
const ROWS_MAX = 75_000;
/** But none needs more. */
const LANE_ROWS_MAX = 5_000;
/** Of a lane, of each state other than succeeded. */
const STATE_ROWS_MAX = 300;
/** Of a lane, of what is in the queue. */
const QUEUE_ROWS_MAX = 300;
/** What was due so long before the window may have run into it. A stretch of skipped instants is a day at most. */
const REACH_MS = 24 * 3_600_000;
/** And of what succeeded only the latest of those. */
const REACH_ROWS_MAX = 20;

// $1 project, $2 jobs, $3 the first id that is looked for, $4 the first of the window, $5 the first after it, $6 the window's
// beginning, $7 its end, $8 now, $9 the length of a step in milliseconds, $10 how many of a lane. That the jobs are the project's
// is asked of them, and not of each of their executions.

/** Everything is counted from one moment, so that steps stay where they are while the window moves on. */
const STEP = "date_bin($9::integer * interval '1 millisecond', s.starts, timestamptz 'epoch')";
/** There is no max of ids. Of a text in this order there is, and quickly. */
const LATEST = `max(s.id::text collate "C")`;

/** All of the window, whatever their state: so their number says whether there were more. */
const NEWEST = `select e.id, e.state, e.started_at as starts, e.finished_at as ends from punctual.execution e
       where e.job_id = j.id and e.id >= $4 and e.id < $5 order by e.id desc limit $10`;

const EARLIER = `select e.id, e.state, null as reason, 1 as n, e.started_at as starts, e.finished_at as ends from punctual.execution e
       where e.job_id = j.id and e.id >= $3 and e.id < $4 order by e.id desc limit ${REACH_ROWS_MAX}`;

const OTHERWISE_STATES = FINAL_STATES.filter((state) => state !== "succeeded");
const OTHERWISE = OTHERWISE_STATES.map((state) => {
  const [starts, ends] =
    state === "skipped"
      ? ["e.scheduled_at", "coalesce(e.scheduled_until, e.scheduled_at)"]
      : ["coalesce(e.started_at, e.finished_at)", "e.finished_at"];
  return `select e.id, e.state, e.reason_code, e.count, ${starts}, ${ends} from punctual.execution e
       where e.job_id = j.id and e.state = '${state}' and e.id >= $3 and e.id < $5 order by e.id desc limit ${STATE_ROWS_MAX}`;
});

const QUEUED = `select q.id, case when q.state = 'scheduled' and q.run_at > $8 then 'planned' else q.state end, null, 1,
         case q.state when 'scheduled' then q.run_at else q.first_started_at end, case when q.state = 'scheduled' and q.run_at > $8 then q.run_at end
       from punctual.queue q where q.job_id = j.id and q.id < $5 order by q.id limit ${QUEUE_ROWS_MAX}`;

export const timelineLanesSql = statement(
  "timeline_lanes",
  `select lane.job_id, lane.part, lane.state, lane.reason, lane.n, lane.rows, lane.latest, lane.starts, lane.ends from punctual.job j
   cross join lateral (
     select c.job_id, 'cursor' as part, null as state, null as reason, c.runs as n, 0 as rows, null as latest, c.planned_until as starts, null as ends
     from punctual.cursor c where c.job_id = j.id
     union all
     select j.id, 'newest', s.state, null, count(*), count(*), ${LATEST}, min(s.starts), max(s.ends)
     from (${NEWEST}) as s group by s.state, ${STEP}
     union all
     select j.id, 'rare', s.state, (array_agg(s.reason order by s.id desc))[1], sum(s.n), count(*), ${LATEST}, min(s.starts), max(s.ends)
     from (
       (select * from (${EARLIER}) as e where e.state = 'succeeded')
       union all (${[...OTHERWISE, QUEUED].join(")\n       union all (")})
     ) as s
     where s.starts < $7 and coalesce(s.ends, $8) >= $6 group by s.state, case s.state when 'skipped' then s.reason end, ${STEP}
   ) as lane
   where j.id = any($2::uuid[]) and j.project_id = $1`,
);

interface Row {
  job_id: string;
  /** Of a cursor `n` are the runs, and `starts` is until when instants are planned. */
  part: "cursor" | "newest" | "rare";
  state: ExecutionState | "planned";
  reason: string | null;
  n: number;
  rows: number;
  latest: string;
  starts: Date;
  ends: Date | null;
}

export async function timelineLanes(
  db: Queryable,
  projectId: string,
  jobIds: readonly string[],
  window: SteppedWindow & { now: Date },
): Promise<Map<string, LaneRecord>> {
  const [from, to] = [window.from.getTime(), window.to.getTime()];
  const perLane = Math.min(LANE_ROWS_MAX, Math.floor(ROWS_MAX / Math.max(1, jobIds.length)));
  const rows = await db.run<Row>(timelineLanesSql, [
    projectId,
    jobIds,
    idFloor(Math.max(0, from - REACH_MS)),
    idFloor(from),
    idFloor(to),
    window.from,
    window.to,
    window.now,
    window.stepMs,
    perLane,
  ]);
  const lanes = new Map(jobIds.map((id): [string, Row[]] => [id, []]));
  for (const row of rows) lanes.get(row.job_id)!.push(row);
  return new Map([...lanes].map(([id, ofLane]) => [id, laneOf(ofLane, { perLane, to: window.to })]));
}

function laneOf(rows: readonly Row[], { perLane, to }: { perLane: number; to: Date }): LaneRecord {
  const cursor = rows.find(({ part }) => part === "cursor");
  const shown = rows
    .filter(({ part, state, starts }) => part === "rare" || (part === "newest" && state === "succeeded" && starts < to))
    .sort((a, b) => a.starts.getTime() - b.starts.getTime());
  return {
    spans: shown.filter(({ state }) => state !== "planned").map(spanOf),
    queued: shown
      .filter(({ state }) => state === "planned")
      .map(({ starts, ends, n }) => ({ from: starts.toISOString(), to: ends!.toISOString(), count: n })),
    plannedUntil: cursor?.starts ?? new Date(0),
    runs: cursor?.n ?? 0,
    complete: isComplete(rows, perLane),
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

/** Whether nothing that was looked for was cut off. */
function isComplete(rows: readonly Row[], perLane: number): boolean {
  const seen = (matches: (row: Row) => boolean) => rows.reduce((sum, row) => (matches(row) ? sum + row.rows : sum), 0);
  const isQueued = (state: Row["state"]) => state === "planned" || !isFinal(state);
  return (
    seen(({ part }) => part === "newest") < perLane &&
    seen(({ part, state }) => part === "rare" && isQueued(state)) < QUEUE_ROWS_MAX &&
    OTHERWISE_STATES.every((each) => seen(({ part, state }) => part === "rare" && state === each) < STATE_ROWS_MAX)
  );
}
