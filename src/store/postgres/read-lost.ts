import type { Attempt } from "../../contract/execution.ts";
import type { LostClaim } from "../port/queue.ts";
import { type ClaimedRow, toClaimed } from "./claim-due.ts";
import { type Queryable, statement } from "./database.ts";

const COLUMNS = `q.id, q.claim, q.project_id, q.job_id, q.version, q.payload_version, q.payload is not null as has_payload, q.trigger,
  q.scheduled_at, q.run_at, q.lane, q.priority, q.attempt, q.root_id, q.started_at, q.first_started_at`;

// The holders that are present are found by stepping through the index, one probe each, however many rows each holds.
export const readLostSql = statement(
  "read_lost",
  `with recursive holders as (
     (select q.holder from punctual.queue q where q.holder is not null order by q.holder limit 1)
     union all
     select following.holder from holders h cross join lateral (
       select q.holder from punctual.queue q where q.holder > h.holder order by q.holder limit 1) following
   ),
   dead as (select h.holder from holders h where not exists (select from punctual.node n where n.id = h.holder and n.lease_until > now()))
   (select ${COLUMNS}, coalesce((select n.name from punctual.node n where n.id = q.holder), q.holder::text) as holder, 'holder_lost' as cause, null::jsonb as detail
    from punctual.queue q where q.holder in (select holder from dead) and q.state = 'running' limit $1)
   union all
   (select ${COLUMNS}, null, 'callback_timeout', a.detail
    from punctual.queue q left join punctual.attempt a on a.execution_id = q.id and a.number = q.attempt
    where q.deadline < now() and q.holder is null and q.state = 'running' limit $1)`,
);

/** Settlements whose answer was lost are looked for where they would have put the execution. */
export const settledBeforeSql = statement(
  "settled_before",
  `select i.id from unnest($1::uuid[], $2::uuid[]) as i (id, claim)
   where exists (select from punctual.execution e where e.id = i.id and e.claim = i.claim)
     or exists (select from punctual.attempt a where a.execution_id = i.id and a.claim = i.claim)`,
);

/** The tokens under which a node holds executions. */
export const heldClaimsSql = statement(
  "held_claims",
  "select q.claim from punctual.queue q where q.holder = $1 and q.state = 'running'",
);

export async function readLost(db: Queryable, limit: number): Promise<LostClaim[]> {
  const rows = await db.run<ClaimedRow & Pick<LostClaim, "holder" | "cause"> & { detail: Attempt | null }>(
    readLostSql,
    [limit],
  );
  return rows.map((row) => ({
    claimed: toClaimed(row),
    holder: row.holder,
    holderKind: row.holder === null ? null : "node",
    cause: row.cause,
    attempt: row.detail,
  }));
}

export async function heldClaims(db: Queryable, nodeId: string): Promise<string[]> {
  return (await db.run<{ claim: string }>(heldClaimsSql, [nodeId])).map(({ claim }) => claim);
}

export async function settledBefore(db: Queryable, items: { id: string; claim: string }[]): Promise<string[]> {
  if (items.length === 0) return [];
  const rows = await db.run<{ id: string }>(settledBeforeSql, [
    items.map((item) => item.id),
    items.map((item) => item.claim),
  ]);
  return rows.map((row) => row.id);
}
