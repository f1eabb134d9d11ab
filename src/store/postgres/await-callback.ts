// A target that answered 202 reports later. Until then the execution is running without a holder: no node's death ends it,
// only its callback or its deadline does. What is known of the attempt so far waits in `attempt`.

import type { Attempt } from "../../contract/execution.ts";
import type { Claimed } from "../port/queue.ts";
import { CLAIMED, type ClaimedRow, toClaimed } from "./claimed-row.ts";
import { type Queryable, statement } from "./database.ts";

export const awaitCallbackSql = statement(
  "await_callback",
  `with waiting as (
     update punctual.queue q set holder = null, held_by = null, hold = 'running', deadline = q.started_at + $3::bigint * interval '1 millisecond'
     where q.id = $1 and q.claim = $2 and q.state = 'running' returning q.id, q.attempt
   ),
   kept as (
     insert into punctual.attempt (execution_id, number, claim, detail) select w.id, w.attempt, $2, $4::jsonb from waiting w
     on conflict (execution_id, number) do update set detail = excluded.detail
   )
   select id from waiting`,
);

export const findCallbackSql = statement(
  "find_callback",
  `select ${CLAIMED}, a.detail
   from punctual.queue q left join punctual.attempt a on a.execution_id = q.id and a.number = q.attempt
   where q.id = $1 and q.claim = $2 and q.state = 'running'`,
);

/**
 * Was this attempt ended by its callback before? Then the same callback again is answered the same way. Whoever calls back
 * does not know of projects, so all are looked through, one probe each.
 */
export const findAnsweredCallbackSql = statement(
  "find_answered_callback",
  `select detail from (
     select a.detail from punctual.attempt a where a.execution_id = $1 and a.claim = $2
     union all
     select (e.attempts -> -1)::jsonb from punctual.project p
       join punctual.execution e on e.project_id = p.id and e.id = $1 and e.claim = $2
   ) found limit 1`,
);

export async function awaitCallback(
  db: Queryable,
  item: { id: string; claim: string; timeoutMs: number; attempt: Attempt },
): Promise<"waiting" | "claim_lost"> {
  const rows = await db.run(awaitCallbackSql, [item.id, item.claim, item.timeoutMs, JSON.stringify(item.attempt)]);
  return rows.length > 0 ? "waiting" : "claim_lost";
}

export async function findCallback(
  db: Queryable,
  id: string,
  claim: string,
): Promise<{ kind: "waiting"; claimed: Claimed; attempt: Attempt | null } | { kind: "done" } | { kind: "stale" }> {
  const [row] = await db.run<ClaimedRow & { detail: Attempt | null }>(findCallbackSql, [id, claim]);
  if (row) return { kind: "waiting", claimed: toClaimed(row), attempt: row.detail };
  const [answered] = await db.run<{ detail: (Attempt & { callback?: boolean }) | null }>(findAnsweredCallbackSql, [
    id,
    claim,
  ]);
  return { kind: answered?.detail?.callback ? "done" : "stale" };
}
