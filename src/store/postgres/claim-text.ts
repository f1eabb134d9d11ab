// The claim: what is due becomes `running` under a token of the claimer. One statement, so that a claimer that freezes
// holds no lock, and it returns narrow columns, because a large answer on its way to a frozen process would hold them.
//
// Which rows is the business of the two kinds of claim: nodes take what goes to hosts (claim-due.ts), workers take handlers
// by name (claim-handlers.ts). Both lock what they find with `skip locked`, so that claimers who come at the same moment
// share the work instead of racing for the first rows; what they lock beyond the share of a lane is free again at once.
//
// The plan is kept, so the statement must be good with any: rows are found through one index each, in its order, and are
// found again by their place in the table.
//
// The first row of the answer is no execution: it carries the database's time, the next moment at which something becomes
// due, and since when the oldest waits that is due and was not picked, so that the claimer knows how long it may sleep.
//
// Who may start: a row that needs its job's gate to be open wins only if the gate, locked here, counts nobody, and only
// one of a batch. Those that may not start are returned as blocked and dealt with by statements of their own.

import type { Blocked, Claimed, ClaimResult } from "../port/queue.ts";
import { CLAIMED, type ClaimedRow, toClaimed } from "./claimed-row.ts";

/** From `queue q`, of what is found. */
export const FOUND =
  "q.ctid as place, q.id, q.project_id, q.job_id, q.gated, q.overlap, q.attempt, q.priority, q.run_at, q.late_after < coalesce($1::timestamptz, now()) as late";

/** More than are taken, because of one share there may be more than its most. */
export const FOUND_MAX = "cardinality($3::uuid[]) * 2";

/**
 * $1 the time (null: now), $2 the holder, $3 the tokens; further values are the business of the parts:
 * `found` CTEs that end in one of that name: locked rows of FOUND, at most FOUND_MAX, with their `share` and its `most`,
 * which is how many of one share are taken; `order` of `f`; `nextRunAt` and `oldestDue` subqueries, the latter without what was `picked`; `repeated`
 * rows that were claimed before, if any.
 */
export function claimText(parts: {
  found: string;
  order: string;
  nextRunAt: string;
  oldestDue: string;
  repeated?: string;
}): string {
  const { order } = parts;
  return `with recursive
${parts.found},
picked as materialized (
  select f.* from (select f.*, row_number() over (partition by f.share order by ${order}, f.id) as nth from found f) f
  where f.nth <= f.most order by ${order}, f.id limit cardinality($3::uuid[])
),
gates as materialized (
  select t.job_id, t.active from punctual.gate t
  where t.job_id = any(array(select job_id from picked where gated and attempt = 0 and late is not true))
  order by t.job_id for update
),
entering as (
  select p.*, p.gated and p.attempt = 0 as counts, p.gated and p.attempt = 0 and p.overlap <> 'allow' as needs_gate from picked p where p.late is not true
),
-- Of those that need the gate to be open the first, if nobody counts in it and nobody of this batch enters without asking.
opened as (
  select e.id from (
    select e.id, e.job_id, row_number() over (partition by e.job_id order by e.run_at, e.id) as nth from entering e where e.needs_gate
  ) e
  where e.nth = 1 and e.job_id in (select t.job_id from gates t where t.active = 0)
    and e.job_id not in (select o.job_id from entering o where o.counts and not o.needs_gate)
),
judged as (
  select e.id, e.place, e.job_id, e.counts, not e.needs_gate or e.id in (select o.id from opened o) as goes from entering e
),
entered as (
  update punctual.gate t set active = t.active + n.n
  from (select job_id, count(*) as n from judged where goes and counts group by job_id) n
  where t.job_id = n.job_id
),
claimed as (
  update punctual.queue q set state = 'running', attempt = q.attempt + 1, claim = ($3::uuid[])[w.nth], holder = $2, deadline = null,
    progress = null,
    started_at = coalesce($1::timestamptz, now()), first_started_at = coalesce(q.first_started_at, $1::timestamptz, now()),
    lateness_ms = coalesce(q.lateness_ms, least(2147483647, date_part('epoch', coalesce($1::timestamptz, now()) - q.run_at) * 1000))
  from (select place, row_number() over () as nth from judged where goes) w
  where q.ctid = w.place
  returning ${CLAIMED}
)
select null::uuid as id, null::uuid as claim, null::uuid as project_id, null::uuid as job_id, null::integer as version,
  null::integer as payload_version, null::boolean as has_payload, null::json as payload, null as trigger,
  ${parts.nextRunAt} as scheduled_at,
  ${parts.oldestDue} as run_at,
  null as lane, null::smallint as priority, null::integer as attempt, null::uuid as root_id, clock_timestamp() as started_at,
  null::timestamptz as first_started_at, null as blocked
union all
select c.*, null from claimed c
union all${parts.repeated === undefined ? "" : `\n${parts.repeated}\nunion all`}
select p.id, null, p.project_id, p.job_id, null, null, null, null, null, null, null, null, null, null, null, null, null,
  case when p.late then 'late' else 'overlap' end
from picked p where p.late or p.id in (select id from judged where not goes)`;
}

/** `blocked` says what a row is: null for what was claimed now. */
export type ClaimAnswer = ClaimedRow & { blocked: Blocked["cause"] | "repeated" | null };

/** The first row, read as what it is. */
interface Outlook {
  started_at: Date;
  scheduled_at: Date | null;
  run_at: Date | null;
}

export function toClaimResult(rows: ClaimAnswer[]): ClaimResult {
  const [outlook, ...executions] = rows as [Outlook, ...ClaimAnswer[]];
  const claimed: Claimed[] = [];
  const blocked: Blocked[] = [];
  for (const row of executions) {
    if (row.blocked === null || row.blocked === "repeated") claimed.push(toClaimed(row));
    else blocked.push({ id: row.id, projectId: row.project_id, jobId: row.job_id, cause: row.blocked });
  }
  return {
    claimed,
    repeated: executions.some((row) => row.blocked === "repeated"),
    blocked,
    now: outlook.started_at,
    nextRunAt: outlook.scheduled_at,
    oldestDue: outlook.run_at,
  };
}
