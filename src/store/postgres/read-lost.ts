// Executions that nobody works on any more: their holder's lease is over, or the callback they wait for did not come.
//
// A node renews its lease by itself. A worker's is renewed by heartbeats, and those need a node to receive them: while all
// nodes, or their database, were away, no worker could be heard, and right afterwards all their leases are over although
// they may be well. So a worker counts as dead only if it could have been heard for longer than its lease: the node that
// asks has had the database for `heardMs` without a break, and some node with the API has been up for as long. (An instance
// of the library renews its own, like a node.)

import type { Attempt } from "../../contract/execution.ts";
import type { LostClaim } from "../port/queue.ts";
import { CLAIMED, type ClaimedRow, toClaimed } from "./claimed-row.ts";
import { type Queryable, statement } from "./database.ts";
import { heldRows } from "./held-rows.ts";

// The holders that are present are found by stepping through the index, one probe each, however many rows each holds.
export const readLostSql = statement(
  "read_lost",
  `with recursive holders as (
     (select q.held_by as holder from punctual.queue q where q.hold = 'running' and q.held_by is not null order by q.held_by limit 1)
     union all
     select following.holder from holders h cross join lateral (
       select q.held_by as holder from punctual.queue q where q.hold = 'running' and q.held_by > h.holder order by q.held_by limit 1) following
   ),
   dead as (
     select h.holder, n.name as node, w.name as worker
     from (select holder from holders union select b.holder from punctual.claim_batch b) h
       left join punctual.node n on n.id = h.holder left join punctual.worker w on w.holder = h.holder
     where (n.id is null or n.lease_until <= now())
       and (w.holder is null or (w.lease_until <= now() and (w.kind = 'library' or (w.lease_ms < $2::bigint and exists (
         select from punctual.node a where 'api' = any(a.roles) and a.lease_until > now()
           and a.started_at < now() - w.lease_ms * interval '1 millisecond')))))
   )
   (select h.*, coalesce(d.worker, d.node, d.holder::text) as holder,
      case when d.worker is not null or (d.node is null and h.lane like '@%') then 'worker' else 'node' end as holder_kind,
      'holder_lost' as cause, null::jsonb as detail
    from dead d cross join lateral ${heldRows(CLAIMED, "d.holder")} h limit $1)
   union all
   (select ${CLAIMED}, null, null, 'callback_timeout',
      (select a.detail from punctual.attempt a where a.execution_id = q.id and a.number = q.attempt)
    from punctual.queue q
    where q.deadline < now() and q.holder is null and q.state = 'running' limit $1)`,
);

type LostRow = ClaimedRow & {
  holder: string | null;
  holder_kind: LostClaim["holderKind"];
  cause: LostClaim["cause"];
  detail: Attempt | null;
};

export async function readLost(db: Queryable, options: { limit: number; heardMs: number }): Promise<LostClaim[]> {
  const rows = await db.run<LostRow>(readLostSql, [options.limit, Math.floor(options.heardMs)]);
  return rows.map((row) => ({
    claimed: toClaimed(row),
    holder: row.holder,
    holderKind: row.holder_kind,
    cause: row.cause,
    attempt: row.detail,
  }));
}
