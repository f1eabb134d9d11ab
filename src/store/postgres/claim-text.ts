// The claim: what is due becomes `running` under a token of the claimer. One statement, so that a claimer that freezes
// holds no lock, and it returns narrow columns, because a large answer on its way to a frozen process would hold them.
//
// Which rows is the business of the two kinds of claim: nodes take what goes to hosts (claim-due.ts), workers take handlers
// by name (claim-handlers.ts). Both lock what they find with `skip locked`, so that claimers who come at the same moment
// share the work instead of racing for the first rows; what they lock beyond the share of a lane is free again at once.
//
// The plan is kept, so the statement must be good with any: rows are found through one index each, in its order, and are
// found again by their place in the table. What is looked up in a list of this statement's own is a condition within another
// (`(a in (…)) is true`), which is hashed; a plain one might be joined in nested loops, hundreds times hundreds.
//
// With what was claimed the answer has the database's time, the next moment at which something becomes due, and since when the
// oldest waits that is due and was not picked, so that the claimer knows how long it may sleep.
//
// What is claimed keeps its place in the indexes and is passed over by its state until it has ended, or was put aside because
// it takes long (shelve-claims.ts): a claim writes no index of the queue. Who holds what is told by a batch for every claim.
//
// What is due in a moment can be claimed ahead, to be started at its time: then it starts that moment and not when the database
// has answered. Its start, as written, is that time. One that may not start is left as it is: by its time it may.
//
// Who may start: a row that needs its job's gate to be open wins only if the gate counts nobody, and only one of a batch. Those that may not start are returned as blocked and dealt with by statements of their own.

import type { Blocked, Claimed, ClaimOptions, ClaimResult, Place } from "../port/queue.ts";
import { CLAIMED_NOW, type ClaimedColumns, claimedColumns, fromColumns } from "./claimed-columns.ts";

/**
 * Of `queue q`. Written so that statistics do not count: of a moment when everything was running they would say that hardly
 * any row is left to be claimed, and the whole index would be read where its beginning is meant.
 */
export const NOT_RUNNING = "coalesce(q.state, '') <> 'running'";

/** When the claim is made. */
export const NOW = "coalesce($1::timestamptz, now())";

/** From `queue q`, of what is found. */
export const FOUND = `q.ctid as place, q.id, q.project_id, q.job_id, q.gated, q.overlap, q.attempt, q.priority, q.run_at, q.late_after < ${NOW} as late`;

/** More than are taken, because of one share there may be more than its most. */
export const FOUND_MAX = "cardinality($3::uuid[]) * 2";

/**
 * Of `heads`, the groups that have something to be claimed: whether it will be found in its order, and no more of a share than its most. So it is if all
 * is of one lane, or no two groups have a share in common.
 */
const IN_ORDER = "(select count(distinct h.lane) = 1 or count(distinct h.share) = count(*) from heads h)";
/** Whether all is of one group, so that it lies in the order of time. */
const ONE_GROUP = "(select count(*) = 1 from heads)";
/** As many as are taken, where no more of a share than its most can be among them. */
export const FOUND_OF_HEADS_MAX = `(select case when count(distinct h.lane) = 1 then least(max(h.most), cardinality($3::uuid[]))
    when count(distinct h.share) = count(*) then cardinality($3::uuid[]) else ${FOUND_MAX} end from heads h)`;

/**
 * $1 the time (null: now), $2 the holder, $3 the tokens; further values are the business of the parts:
 * `found` CTEs that end in one of that name: locked rows of FOUND, at most FOUND_MAX, with their `share` and its `most`,
 * which is how many of one share are taken; `order` of `f`; `nextRunAt` and `oldestDue` subqueries, the latter without what was `picked`; `onward`, where there are
 * `heads`, what is due after LAST if all is of one group; `repeated`, if any, where rows `c` of CLAIMED_BEFORE come from; `ahead` for what may not be due yet.
 */
export function claimText(parts: {
  found: string;
  order: string;
  onward?: string;
  nextRunAt: string;
  oldestDue: string;
  repeated?: string;
  ahead?: boolean;
}): string {
  const { order, ahead = false } = parts;
  const start = ahead ? `greatest(${NOW}, q.run_at)` : NOW;
  const [inOrder, onward] =
    parts.onward === undefined ? ["false", "false"] : [IN_ORDER, `${ONE_GROUP} and exists (${parts.onward})`];
  return `with recursive
${parts.found},
ranked as (
  select ${PICKED} from (select f.*, row_number() over (partition by f.share collate "C" order by ${order}, f.id) as nth from found f where not ${inOrder}) f
  where f.nth <= f.most order by ${order}, f.id limit cardinality($3::uuid[])
),
-- Mostly they were found in their order and no more than there may be.
picked as materialized (
  select * from ranked union all (select ${PICKED} from found f where ${inOrder} limit cardinality($3::uuid[]))
),
-- The gates of those that count, in order: such as may enter without asking do, and of those that need the gate to be open one,
-- if nobody counts in it. Checked and set under the lock of its row, which whoever comes second waits for.
entered as (
  update punctual.gate t set active = t.active + greatest(n.free, 1)
  from (select p.job_id, count(*) filter (where not p.needs_gate) as free from picked p where p.counts group by p.job_id order by p.job_id) n
  where t.job_id = n.job_id and (n.free > 0 or t.active = 0)
  returning t.job_id, n.free
),
opened as (
  select e.id from (
    select p.id, p.job_id, row_number() over (partition by p.job_id order by p.run_at, p.id) as nth from picked p where p.needs_gate
  ) e
  where e.nth = 1 and (e.job_id in (select n.job_id from entered n where n.free = 0)) is true
),
claimed as (
  update punctual.queue q set state = 'running', attempt = q.attempt + 1, claim = ($3::uuid[])[w.nth], holder = $2, deadline = null,
    progress = null, retrying = false,
    started_at = ${start}, first_started_at = coalesce(q.first_started_at, ${start}),
    lateness_ms = coalesce(q.lateness_ms, least(2147483647, date_part('epoch', ${start} - q.run_at) * 1000))
  from (select p.place, row_number() over () as nth from picked p where ${GOES}) w
  where q.ctid = w.place
  returning ${CLAIMED_NOW}
),
-- What follows the last of one group is found at once; the oldest of all lies behind everything that was claimed a moment ago.
onward as materialized (select ${onward} as more),
batch as (
  insert into punctual.claim_batch (holder, claimed_at, token, executions)
  select $2, now(), ($3::uuid[])[1], array_agg(c.id) from claimed c having count(*) > 0
)
select clock_timestamp() as now, ${NOW}::timestamptz(3) as started_at,
  ${parts.nextRunAt} as next_run_at,
  (select o.more from onward o) as more,
  case when not (select o.more from onward o) then ${parts.oldestDue} end as oldest_due,
  (select ${claimedColumns("nth")} from claimed c) as claimed,
  ${parts.repeated === undefined ? "null::json" : `(select ${claimedColumns("claim")} from ${parts.repeated})`} as repeated,
  ${ahead ? "null::json" : BLOCKED} as blocked`;
}

/** From `found f`. */
const PICKED = `f.place, f.id, f.project_id, f.job_id, f.run_at, f.late is true as late, f.late is not true and f.gated and f.attempt = 0 as counts,
    f.late is not true and f.gated and f.attempt = 0 and f.overlap <> 'allow' as needs_gate`;

/** The last of what was picked, by time. */
export const LAST = "(select p.run_at, p.id from picked p order by p.run_at desc, p.id desc limit 1) last";

/** Of `picked p`. */
const GOES = "not p.late and (not p.needs_gate or p.id in (select o.id from opened o))";

const BLOCKED = `(select json_agg(json_build_object('id', p.id, 'projectId', p.project_id, 'jobId', p.job_id,
     'cause', case when p.late then 'late' else 'overlap' end)) from picked p where not (${GOES}))`;

export interface ClaimAnswer {
  now: Date;
  started_at: Date;
  next_run_at: Date | null;
  more: boolean;
  oldest_due: Date | null;
  claimed: ClaimedColumns;
  repeated: ClaimedColumns | null;
  blocked: Blocked[] | null;
}

export function toClaimResult(answer: ClaimAnswer, tokens: readonly string[]): ClaimResult {
  const before = answer.repeated === null ? [] : fromColumns(answer.repeated, tokens, answer.started_at);
  const claimed = fromColumns(answer.claimed, tokens, answer.started_at);
  return {
    claimed: before.length === 0 ? claimed : [...claimed, ...before],
    repeated: before.length > 0,
    blocked: answer.blocked ?? [],
    now: answer.now,
    decidedAt: answer.started_at,
    nextRunAt: answer.next_run_at,
    oldestDue: answer.oldest_due,
    moreIsDue: answer.more || answer.oldest_due !== null,
    onward: answer.more ? lastOf(claimed) : null,
  };
}

/** Claims answer in the order in which they took. */
function lastOf(claimed: Claimed[]): Place | null {
  const last = claimed.at(-1);
  return last === undefined ? null : { runAt: last.runAt, id: last.id };
}

/** The beginning, for a claim that is to pass over nothing. */
const BEGINNING = { runAt: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/** Which of the statements a claim is, and what it is given beside what all are given. */
export function wayOf({ order, from, aheadMs = 0 }: Pick<ClaimOptions, "order" | "from" | "aheadMs">): {
  way: "oldest" | "due" | "ahead";
  values: unknown[];
} {
  if (order === "oldest") return { way: "oldest", values: [] };
  const place = from ? [from.runAt.toISOString(), from.id] : [BEGINNING.runAt, BEGINNING.id];
  return aheadMs > 0 ? { way: "ahead", values: [...place, aheadMs] } : { way: "due", values: place };
}
