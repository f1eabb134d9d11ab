// What nodes claim: all that goes to hosts, as described in claim-text.ts. Per (priority, lane) group that is present, best
// first, lanes at their limit left out; or, now and then, the oldest first, so that nothing starves under a flood of higher
// priority. Lanes of handlers have indexes of their own and are never looked at here.

import type { Claimed, ClaimOptions, ClaimResult } from "../port/queue.ts";
import { type ClaimAnswer, claimText, toClaimResult } from "./claim-text.ts";
import { CLAIMED, type ClaimedRow, toClaimed } from "./claimed-row.ts";
import { type Queryable, type Statement, statement } from "./database.ts";

/** Groups looked at in one claim. What lies beyond comes when those before it are drained, or by the turn of the oldest. */
const GROUPS_MAX = 400;

const CLAIMABLE = "q.state <> 'running' and q.hold is null and q.lane not like '@%'";

const LANES = "lanes as (select * from unnest($4::text[], $5::integer[]) as l (lane, most))";

const BY_PRIORITY = `${LANES},
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
  select c.id, c.priority, c.run_at, g.lane as share, coalesce(l.most, $6) as most
  from groups g left join lanes l on l.lane = g.lane cross join lateral (
    select q.id, q.priority, q.run_at from punctual.queue q
    where ${CLAIMABLE} and q.priority = g.priority and q.lane = g.lane and q.run_at <= coalesce($1::timestamptz, now())
    order by q.run_at, q.id limit coalesce(l.most, $6)
  ) c
)`;

const OLDEST = `${LANES},
found as (
  select q.id, q.priority, q.run_at, q.lane as share, coalesce(l.most, $6) as most
  from (
    select q.id, q.priority, q.run_at, q.lane from punctual.queue q
    where ${CLAIMABLE} and q.run_at <= coalesce($1::timestamptz, now())
    order by q.run_at, q.id limit cardinality($3::uuid[]) * 8
  ) q left join lanes l on l.lane = q.lane
)`;

const OUTLOOK = {
  claimable: CLAIMABLE,
  nextRunAt: `(select q.run_at from punctual.queue q where ${CLAIMABLE} and q.run_at > now() order by q.run_at limit 1)`,
  oldestDue: `(select q.run_at from punctual.queue q where ${CLAIMABLE} and q.run_at <= now() and q.id <> all(array(select id from picked))
   order by q.run_at limit 1)`,
};

export const claimByPrioritySql = statement(
  "claim_by_priority",
  claimText({ ...OUTLOOK, found: BY_PRIORITY, order: "f.priority desc, f.run_at" }),
);
export const claimOldestSql = statement("claim_oldest", claimText({ ...OUTLOOK, found: OLDEST, order: "f.run_at" }));

/** What a holder claimed although the answer to the claim was lost. */
export const readClaimsSql = statement(
  "read_claims",
  `select ${CLAIMED} from punctual.queue q where q.holder = $1 and q.claim = any($2::uuid[]) and q.state = 'running'`,
);

export async function claimDue(db: Queryable, options: ClaimOptions & { at?: Date }): Promise<ClaimResult> {
  const text: Statement = options.order === "priority" ? claimByPrioritySql : claimOldestSql;
  return toClaimResult(
    await db.run<ClaimAnswer>(text, [
      options.at?.toISOString() ?? null,
      options.nodeId,
      options.tokens,
      options.lanes.map((lane) => lane.name),
      options.lanes.map((lane) => lane.limit),
      options.laneLimit,
    ]),
  );
}

export async function readClaims(db: Queryable, nodeId: string, tokens: string[]): Promise<Claimed[]> {
  return (await db.run<ClaimedRow>(readClaimsSql, [nodeId, tokens])).map(toClaimed);
}
