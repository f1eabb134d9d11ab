// What workers claim: handlers by name, of one project, as described in claim-text.ts. Each handler has two lanes, its own
// and that of catch-up work, which share the handler's free slots. Within a lane the priorities that are present are found
// by stepping through the index, one probe each, however many rows wait.
//
// A worker that asks again because the answer did not reach it sends the same tokens: then it gets what it still holds under
// them, and nothing new. One that left, whose lease is over, or that is to drain, gets nothing new either.

import type { ClaimResult, HandlerClaimOptions } from "../port/queue.ts";
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
import { CLAIMED_BEFORE } from "./claimed-columns.ts";
import { type Queryable, statement } from "./database.ts";
import { handlerLanes } from "./handler-lanes.ts";
import { heldRows } from "./held-rows.ts";

/** (lane, priority) pairs looked at in one claim: every lane's highest first, so that none is left out. */
const GROUPS_MAX = 4_000;

/** As the indexes have it: with what was claimed a moment ago. */
const PRESENT = "q.hold is null and q.lane like '@%'";
const CLAIMABLE = `${PRESENT} and ${NOT_RUNNING}`;

/** Rows of `queue q` that stand in lane `l` of the project, through the index by priority. */
const IN_LANE = `${PRESENT} and q.project_id = $6 and q.lane = l.lane and q.priority <= 100`;
/** Those that can be claimed, by time: each index has a name that only its own users say. */
const IN_LANE_BY_TIME = `${CLAIMABLE} and q.project_id = $6 and q.lane = l.lane and q.priority >= 0`;
const DUE = `q.run_at <= ${NOW}`;
const DUE_SOON = `q.run_at <= ${NOW} + $10::integer * interval '1 millisecond'`;

const FROM = "(q.run_at, q.id) > ($8::timestamptz, $9::uuid)";

/** Tokens that are new ($7 false) need no look. */
const HELD_BEFORE = `${heldRows(CLAIMED_BEFORE, "$2", "b.token = ($3::uuid[])[1]")} c where $7 and c.claim in (select unnest($3::uuid[]))`;

const LANES = `
lanes as materialized (
  select h.name as handler, h.free as most, l.lane
  from unnest($4::text[], $5::integer[]) as h (name, free) cross join ${handlerLanes("h.name")}
),
allowed as materialized (
  select l.handler, l.most, l.lane from lanes l
  where l.most > 0 and not exists (select from ${HELD_BEFORE})
    and exists (select from punctual.worker w where w.holder = $2 and not w.draining and w.lease_until > now())
)`;

const byPriority = (due: string) => `${LANES},
groups as (
  select l.handler, l.most, l.lane, p.priority from allowed l cross join lateral (
    select q.priority from punctual.queue q where ${IN_LANE} order by q.priority desc limit 1) p
  union all
  select l.handler, l.most, l.lane, p.priority from groups l cross join lateral (
    select q.priority from punctual.queue q where ${IN_LANE} and q.priority < l.priority order by q.priority desc limit 1) p
),
heads as (
  select l.handler as share, l.most, l.lane, l.priority, h.run_at from (select * from groups limit ${GROUPS_MAX}) l cross join lateral (
    select q.run_at from punctual.queue q where ${IN_LANE} and q.priority = l.priority and ${due} and ${FROM} order by q.run_at limit 1) h
),
found as materialized (
  select c.*, l.share, l.most
  from (select * from heads h order by h.priority desc, h.run_at) l cross join lateral (
    select ${FOUND} from punctual.queue q where ${IN_LANE} and ${NOT_RUNNING} and q.priority = l.priority and ${due} and ${FROM}
    order by q.run_at, q.id limit least(l.most, cardinality($3::uuid[])) for update skip locked
  ) c
  limit ${FOUND_OF_HEADS_MAX}
)`;

const OLDEST = `${LANES},
aged as materialized (
  select c.place, c.run_at, c.id, l.handler, l.most
  from allowed l cross join lateral (
    select q.ctid as place, q.id, q.run_at from punctual.queue q where ${IN_LANE_BY_TIME} and ${DUE}
    order by q.run_at, q.id limit least(l.most, cardinality($3::uuid[]))
  ) c
),
found as materialized (
  select c.*, a.handler as share, a.most
  from (select * from aged a order by a.run_at, a.id) a
    cross join lateral (select ${FOUND} from punctual.queue q where q.ctid = a.place and ${CLAIMABLE} for update skip locked) c
  limit ${FOUND_MAX}
)`;

const outlook = (from: string) => ({
  nextRunAt: `(select min(n.run_at) from lanes l cross join lateral (
     select q.run_at from punctual.queue q where ${IN_LANE_BY_TIME} and q.run_at > now() order by q.run_at limit 1) n)`,
  oldestDue: `(select min(n.run_at) from lanes l cross join lateral (
     select q.run_at from punctual.queue q where ${IN_LANE_BY_TIME} and q.run_at <= now() and ${from} and q.id not in (select p.id from picked p)
     order by q.run_at limit 1) n)`,
  repeated: HELD_BEFORE,
});

const onward = (due: string) => `select from heads l cross join ${LAST} cross join lateral (
    select from punctual.queue q where ${IN_LANE} and ${NOT_RUNNING} and q.priority = l.priority and ${due} and (q.run_at, q.id) > (last.run_at, last.id)
    order by q.run_at, q.id limit 1) n`;

export const claimHandlersSql = statement(
  "claim_handlers",
  claimText({
    ...outlook(FROM),
    found: byPriority(DUE),
    order: "f.priority desc, f.run_at",
    onward: onward(DUE),
  }),
  "kept",
);
export const claimHandlersAheadSql = statement(
  "claim_handlers_ahead",
  claimText({
    nextRunAt: `(select min(n.run_at) from lanes l cross join lateral (
     select q.run_at from punctual.queue q where ${IN_LANE_BY_TIME} and q.run_at > now() and ${FROM} and q.id not in (select c.id from claimed c)
     order by q.run_at limit 1) n)`,
    oldestDue: "null::timestamptz",
    repeated: HELD_BEFORE,
    found: byPriority(DUE_SOON),
    order: "f.priority desc, f.run_at",
    onward: onward(DUE_SOON),
    ahead: true,
  }),
  "kept",
);
export const claimHandlersOldestSql = statement(
  "claim_handlers_oldest",
  claimText({ ...outlook("true"), found: OLDEST, order: "f.run_at" }),
  "kept",
);

const STATEMENTS = { oldest: claimHandlersOldestSql, due: claimHandlersSql, ahead: claimHandlersAheadSql };

export async function claimHandlers(db: Queryable, options: HandlerClaimOptions & { at?: Date }): Promise<ClaimResult> {
  const { way, values } = wayOf(options);
  const [answer] = await db.run<ClaimAnswer>(STATEMENTS[way], [
    options.at?.toISOString() ?? null,
    options.holder,
    uuidArray(options.tokens),
    options.handlers.map(({ name }) => name),
    options.handlers.map(({ free }) => free),
    options.projectId,
    options.tokensAre === "perhaps repeated",
    ...values,
  ]);
  return toClaimResult(answer!, options.tokens);
}
