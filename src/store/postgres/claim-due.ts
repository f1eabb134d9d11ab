// What nodes claim: all that goes to hosts, as described in claim-text.ts. Per (priority, lane) group that is present, best
// first and among equals the one that waits longest, lanes at their limit left out; or, now and then, the oldest first, so that nothing starves under a flood of higher
// priority. Lanes of handlers have indexes of their own and are never looked at here.

import type { Claimed, ClaimOptions, ClaimResult } from "../port/queue.ts";
import { uuidArray } from "./array-parameter.ts";
import {
  type ClaimAnswer,
  claimText,
  FOUND,
  FOUND_MAX,
  FOUND_OF_HEADS_MAX,
  LAST,
  NOT_RUNNING,
  NOW,
  toClaimResult,
  wayOf,
} from "./claim-text.ts";
import { CLAIMED, type ClaimedRow, toClaimed } from "./claimed-row.ts";
import { type Queryable, statement } from "./database.ts";
import { heldRows } from "./held-rows.ts";

/** The oldest that are looked at, at least: those of lanes that are full stay where they are. */
const AGED_MIN = 400;

/** Groups looked at in one claim. What lies beyond comes when those before it are drained, or by the turn of the oldest. */
const GROUPS_MAX = 400;

/** As the indexes have it: with what was claimed a moment ago. */
const PRESENT = "q.hold is null and q.lane not like '@%'";
const CLAIMABLE = `${PRESENT} and ${NOT_RUNNING}`;

/** The index by priority and lane, which nothing else may use, whatever the statistics say. */
const GROUPED = `${PRESENT} and q.priority <= 100`;

/** The index by time alone, which nothing else may use: among a thousand lanes it would be the wrong one. */
const BY_TIME = `${CLAIMABLE} and q.priority >= 0`;
const DUE = `q.run_at <= ${NOW}`;
const DUE_SOON = `q.run_at <= ${NOW} + $9::integer * interval '1 millisecond'`;
const FROM = "(q.run_at, q.id) > ($7::timestamptz, $8::uuid)";
const LANES = "lanes as (select * from unnest($4::text[], $5::integer[]) as l (lane, most))";

const byPriority = (due: string) => `${LANES},
groups as (
  (select q.priority, q.lane, 1 as n from punctual.queue q where ${GROUPED} order by q.priority desc, q.lane desc limit 1)
  union all
  select following.priority, following.lane, g.n + 1
  from groups g cross join lateral (
    select q.priority, q.lane from punctual.queue q
    where ${GROUPED} and (q.priority, q.lane) < (g.priority, g.lane)
    order by q.priority desc, q.lane desc limit 1
  ) following
  where g.n < ${GROUPS_MAX}
),
heads as (
  select g.priority, g.lane, g.lane as share, g.most, h.run_at
  from (select g.priority, g.lane, coalesce((select l.most from lanes l where l.lane = g.lane), $6) as most from groups g) g cross join lateral (
    select q.run_at from punctual.queue q where ${GROUPED} and q.priority = g.priority and q.lane = g.lane and ${due} and ${FROM}
    order by q.run_at limit 1) h
  where g.most > 0
),
found as materialized (
  select c.*, g.share, g.most
  from (select * from heads h order by h.priority desc, h.run_at) g cross join lateral (
    select ${FOUND} from punctual.queue q where ${GROUPED} and ${NOT_RUNNING} and q.priority = g.priority and q.lane = g.lane and ${due} and ${FROM}
    order by q.run_at, q.id limit least(g.most, cardinality($3::uuid[])) for update skip locked
  ) c
  limit ${FOUND_OF_HEADS_MAX}
)`;

const OLDEST = `${LANES},
aged as materialized (
  select q.ctid as place, q.lane, q.run_at, q.id from punctual.queue q where ${BY_TIME} and ${DUE}
  order by q.run_at, q.id limit greatest(cardinality($3::uuid[]) * 2, ${AGED_MIN})
),
found as materialized (
  select c.*, a.share, a.most
  from (
    select a.place, a.share, a.most from (
      select a.place, a.run_at, a.id, a.lane as share, coalesce((select l.most from lanes l where l.lane = a.lane), $6) as most,
        row_number() over (partition by a.lane order by a.run_at, a.id) as nth from aged a
    ) a where a.nth <= a.most order by a.run_at, a.id
  ) a cross join lateral (select ${FOUND} from punctual.queue q where q.ctid = a.place and ${CLAIMABLE} for update skip locked) c
  limit ${FOUND_MAX}
)`;

const outlook = (from: string) => ({
  nextRunAt: `(select q.run_at from punctual.queue q where ${BY_TIME} and q.run_at > now() order by q.run_at limit 1)`,
  oldestDue: `(select q.run_at from punctual.queue q where ${BY_TIME} and q.run_at <= now() and ${from} and q.id not in (select p.id from picked p)
   order by q.run_at limit 1)`,
});

const onward = (due: string) => `select from heads g cross join ${LAST} cross join lateral (
    select from punctual.queue q where ${GROUPED} and ${NOT_RUNNING} and q.priority = g.priority and q.lane = g.lane and ${due}
      and (q.run_at, q.id) > (last.run_at, last.id)
    order by q.run_at, q.id limit 1) n`;

export const claimByPrioritySql = statement(
  "claim_by_priority",
  claimText({
    ...outlook(FROM),
    found: byPriority(DUE),
    order: "f.priority desc, f.run_at",
    onward: onward(DUE),
  }),
  "kept",
);
export const claimAheadSql = statement(
  "claim_ahead",
  claimText({
    nextRunAt: `(select q.run_at from punctual.queue q where ${BY_TIME} and q.run_at > now() and ${FROM} and q.id not in (select c.id from claimed c)
   order by q.run_at limit 1)`,
    oldestDue: "null::timestamptz",
    found: byPriority(DUE_SOON),
    order: "f.priority desc, f.run_at",
    onward: onward(DUE_SOON),
    ahead: true,
  }),
  "kept",
);
export const claimOldestSql = statement(
  "claim_oldest",
  claimText({ ...outlook("true"), found: OLDEST, order: "f.run_at" }),
  "kept",
);

/** What a holder claimed although the answer to the claim was lost. */
export const readClaimsSql = statement(
  "read_claims",
  `select h.* from ${heldRows(CLAIMED, "$1::uuid")} h where h.claim in (select unnest($2::uuid[]))`,
);

const STATEMENTS = { oldest: claimOldestSql, due: claimByPrioritySql, ahead: claimAheadSql };

export async function claimDue(db: Queryable, options: ClaimOptions & { at?: Date }): Promise<ClaimResult> {
  const { way, values } = wayOf(options);
  const [answer] = await db.run<ClaimAnswer>(STATEMENTS[way], [
    options.at?.toISOString() ?? null,
    options.nodeId,
    uuidArray(options.tokens),
    options.lanes.map((lane) => lane.name),
    options.lanes.map((lane) => lane.limit),
    options.laneLimit,
    ...values,
  ]);
  return toClaimResult(answer!, options.tokens);
}

export async function readClaims(db: Queryable, nodeId: string, tokens: string[]): Promise<Claimed[]> {
  return (await db.run<ClaimedRow>(readClaimsSql, [nodeId, tokens])).map(toClaimed);
}
