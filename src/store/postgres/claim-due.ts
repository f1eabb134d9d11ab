// The claim: what is due becomes `running` under a token of the claimer. One statement, so that a claimer that freezes
// holds no lock, and it returns narrow columns, because a large answer on its way to a frozen process would hold them.
//
// Which rows: per (priority, lane) group that is present, best first, lanes at their limit left out; or, now and then, the
// oldest first, so that nothing starves under a flood of higher priority. Candidates are found without locks, then locked
// with `skip locked`; a few more candidates than slots leave something for whoever loses the race for the first ones.
//
// The first row of the answer is no execution: it carries the database's time, the next moment at which something becomes
// due, and since when the oldest waits that is due and was not picked, so that the claimer knows how long it may sleep.
//
// Who may start: a row that needs its job's gate to be open wins only if the gate, locked here, counts nobody, and only
// one of a batch. Those that may not start are returned as blocked and dealt with by statements of their own.

import type { Blocked, Claimed, ClaimOptions, ClaimResult } from "../port/queue.ts";
import { type Queryable, type Statement, statement } from "./database.ts";

/** Groups looked at in one claim. What lies beyond comes when those before it are drained, or by the turn of the oldest. */
const GROUPS_MAX = 400;

const CLAIMABLE = "q.state <> 'running' and q.hold is null and q.lane not like '@%'";

const BY_PRIORITY = `
groups as (
  (select q.priority, q.lane, 1 as n from punctual.queue q where ${CLAIMABLE} order by q.priority desc, q.lane desc limit 1)
  union all
  select following.priority, following.lane, g.n + 1
  from groups g cross join lateral (
    select q.priority, q.lane from punctual.queue q
    where ${CLAIMABLE} and (q.priority, q.lane) < (g.priority, g.lane)
    order by q.priority desc, q.lane desc limit 1
  ) following
  where g.n < ${GROUPS_MAX}
),
found as (
  select c.id, c.priority, c.run_at, g.lane, coalesce(l.most, $6) as most
  from groups g left join lanes l on l.lane = g.lane cross join lateral (
    select q.id, q.priority, q.run_at from punctual.queue q
    where ${CLAIMABLE} and q.priority = g.priority and q.lane = g.lane and q.run_at <= coalesce($1::timestamptz, now())
    order by q.run_at, q.id limit coalesce(l.most, $6)
  ) c
),`;

const OLDEST = `
found as (
  select q.id, q.priority, q.run_at, q.lane, coalesce(l.most, $6) as most
  from (
    select q.id, q.priority, q.run_at, q.lane from punctual.queue q
    where ${CLAIMABLE} and q.run_at <= coalesce($1::timestamptz, now())
    order by q.run_at, q.id limit cardinality($3::uuid[]) * 8
  ) q left join lanes l on l.lane = q.lane
),`;

function claimText(found: string, order: string): string {
  return `with recursive
lanes as (select * from unnest($4::text[], $5::integer[]) as l (lane, most)),
${found}
candidates as materialized (
  select array_agg(f.id order by ${order}, f.id) as ids from (
    select f.* from (select f.*, row_number() over (partition by f.lane order by ${order}, f.id) as nth from found f) f
    where f.nth <= f.most order by ${order}, f.id limit cardinality($3::uuid[]) * 2
  ) f
),
picked as materialized (
  select q.id, q.project_id, q.job_id, q.gated, q.overlap, q.attempt, q.run_at, q.late_after < coalesce($1::timestamptz, now()) as late
  from punctual.queue q
  where q.id = any((select ids from candidates)::uuid[]) and ${CLAIMABLE}
  -- By their place among the candidates, which no index knows: so that they are fetched by their ids and nothing else.
  order by array_position((select ids from candidates), q.id) limit cardinality($3::uuid[])
  for update skip locked
),
gates as materialized (
  select t.job_id, t.active from punctual.gate t
  where t.job_id = any(array(select job_id from picked where gated and attempt = 0 and late is not true))
  order by t.job_id for update
),
entering as (
  select p.*, p.gated and p.attempt = 0 and p.overlap <> 'allow' as needs_gate from picked p where p.late is not true
),
judged as (
  select e.id, e.job_id, e.gated and e.attempt = 0 as counts,
    not e.needs_gate
      or (t.active = 0
          and row_number() over (partition by e.job_id, e.needs_gate order by e.run_at, e.id) = 1
          and count(*) filter (where e.gated and e.attempt = 0 and not e.needs_gate) over (partition by e.job_id) = 0) as goes
  from entering e left join gates t on t.job_id = e.job_id
),
entered as (
  update punctual.gate t set active = t.active + n.n
  from (select job_id, count(*) as n from judged where goes and counts group by job_id) n
  where t.job_id = n.job_id
),
claimed as (
  update punctual.queue q set state = 'running', attempt = q.attempt + 1, claim = ($3::uuid[])[w.nth], holder = $2, deadline = null,
    started_at = coalesce($1::timestamptz, now()), first_started_at = coalesce(q.first_started_at, $1::timestamptz, now()),
    lateness_ms = coalesce(q.lateness_ms, extract(epoch from coalesce($1::timestamptz, now()) - q.run_at) * 1000)
  from (select id, row_number() over () as nth from judged where goes) w
  where q.id = w.id
  returning q.id, q.claim, q.project_id, q.job_id, q.version, q.payload_version, q.payload is not null as has_payload, q.trigger,
    q.scheduled_at, q.run_at, q.lane, q.priority, q.attempt, q.root_id, q.started_at, q.first_started_at
)
select null::uuid as id, null::uuid as claim, null::uuid as project_id, null::uuid as job_id, null::integer as version,
  null::integer as payload_version, null::boolean as has_payload, null as trigger,
  (select q.run_at from punctual.queue q where ${CLAIMABLE} and q.run_at > now() order by q.run_at limit 1) as scheduled_at,
  (select q.run_at from punctual.queue q where ${CLAIMABLE} and q.run_at <= now() and q.id <> all(array(select id from picked))
   order by q.run_at limit 1) as run_at,
  null as lane, null::smallint as priority, null::integer as attempt, null::uuid as root_id, clock_timestamp() as started_at,
  null::timestamptz as first_started_at, null as blocked
union all
select c.*, null from claimed c
union all
select p.id, null, p.project_id, p.job_id, null, null, null, null, null, null, null, null, null, null, null, null,
  case when p.late then 'late' else 'overlap' end
from picked p where p.late or p.id in (select id from judged where not goes)`;
}

export const claimByPrioritySql = statement("claim_by_priority", claimText(BY_PRIORITY, "f.priority desc, f.run_at"));
export const claimOldestSql = statement("claim_oldest", claimText(OLDEST, "f.run_at"));

/** What a node claimed although the answer to the claim was lost. */
export const readClaimsSql = statement(
  "read_claims",
  `select q.id, q.claim, q.project_id, q.job_id, q.version, q.payload_version, q.payload is not null as has_payload, q.trigger,
     q.scheduled_at, q.run_at, q.lane, q.priority, q.attempt, q.root_id, q.started_at, q.first_started_at
   from punctual.queue q where q.holder = $1 and q.claim = any($2::uuid[]) and q.state = 'running'`,
);

export interface ClaimedRow {
  id: string;
  claim: string;
  project_id: string;
  job_id: string;
  version: number;
  payload_version: number;
  has_payload: boolean;
  trigger: Claimed["trigger"];
  scheduled_at: Date;
  run_at: Date;
  lane: string;
  priority: number;
  attempt: number;
  root_id: string;
  started_at: Date;
  first_started_at: Date;
}

/** The first row, read as what it is. */
interface Outlook {
  started_at: Date;
  scheduled_at: Date | null;
  run_at: Date | null;
}

export async function claimDue(db: Queryable, options: ClaimOptions & { at?: Date }): Promise<ClaimResult> {
  const text: Statement = options.order === "priority" ? claimByPrioritySql : claimOldestSql;
  const rows = await db.run<ClaimedRow & { blocked: Blocked["cause"] | null }>(text, [
    options.at?.toISOString() ?? null,
    options.nodeId,
    options.tokens,
    options.lanes.map((lane) => lane.name),
    options.lanes.map((lane) => lane.limit),
    options.laneLimit,
  ]);
  const [outlook, ...executions] = rows as [Outlook, ...typeof rows];
  const claimed: Claimed[] = [];
  const blocked: Blocked[] = [];
  for (const row of executions) {
    if (row.blocked === null) claimed.push(toClaimed(row));
    else blocked.push({ id: row.id, projectId: row.project_id, jobId: row.job_id, cause: row.blocked });
  }
  return { claimed, blocked, now: outlook.started_at, nextRunAt: outlook.scheduled_at, oldestDue: outlook.run_at };
}

export async function readClaims(db: Queryable, nodeId: string, tokens: string[]): Promise<Claimed[]> {
  return (await db.run<ClaimedRow>(readClaimsSql, [nodeId, tokens])).map(toClaimed);
}

export function toClaimed(row: ClaimedRow): Claimed {
  return {
    id: row.id,
    claim: row.claim,
    projectId: row.project_id,
    jobId: row.job_id,
    version: row.version,
    payloadVersion: row.payload_version,
    hasPayload: row.has_payload,
    trigger: row.trigger,
    scheduledAt: row.scheduled_at,
    runAt: row.run_at,
    lane: row.lane,
    priority: row.priority,
    attempt: row.attempt,
    rootId: row.root_id,
    startedAt: row.started_at,
    firstStartedAt: row.first_started_at,
  };
}
