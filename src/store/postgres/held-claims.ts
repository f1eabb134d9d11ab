// Claims that are held, and what became of those that no longer are.

import type { ExecutionState } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import type { Claimed } from "../port/queue.ts";
import { uuidArray } from "./array-parameter.ts";
import { CLAIMED, type ClaimedRow, toClaimed } from "./claimed-row.ts";
import { type Queryable, statement } from "./database.ts";
import { heldRows } from "./held-rows.ts";

export const heldSql = statement("held", `select h.* from ${heldRows(CLAIMED, "$1::uuid")} h order by h.id limit $2`);

/** The tokens alone, for a node that knows the rest: of what it has held for longer than a moment, and of what it asks for. */
export const heldClaimsSql = statement(
  "held_claims",
  `select q.claim from punctual.queue q where q.hold = 'running' and q.held_by = $1
   union all
   select q.claim from punctual.queue q where q.id = any($2::uuid[]) and q.state = 'running' and q.hold is null and q.holder = $1`,
);

export const endedAsSql = statement(
  "ended_as",
  `select i.id, e.state from unnest($1::uuid[], $2::uuid[]) as i (id, claim)
     left join punctual.execution e on e.project_id = $3 and e.id = i.id and e.claim = i.claim`,
);

export const saveProgressSql = statement(
  "save_progress",
  `with input as (select * from unnest($1::uuid[], $2::uuid[], $3::jsonb[]) as i (id, claim, progress)),
   changed as materialized (
     select q.id, i.progress from punctual.queue q join input i on q.id = i.id and q.claim = i.claim
     where q.state = 'running' and q.progress is distinct from i.progress order by q.id for update of q
   )
   update punctual.queue q set progress = c.progress from changed c where q.id = c.id`,
);

/** More than a worker can have slots for. */
const HELD_MAX = 50_000;

export async function held(db: Queryable, holder: string): Promise<Claimed[]> {
  return (await db.run<ClaimedRow>(heldSql, [holder, HELD_MAX])).map(toClaimed);
}

export async function heldClaims(db: Queryable, nodeId: string, executionIds: string[]): Promise<string[]> {
  return (await db.run<{ claim: string }>(heldClaimsSql, [nodeId, uuidArray(executionIds)])).map(({ claim }) => claim);
}

export async function endedAs(
  db: Queryable,
  projectId: string,
  items: { id: string; claim: string }[],
): Promise<Map<string, ExecutionState | null>> {
  if (items.length === 0) return new Map();
  const rows = await db.run<{ id: string; state: ExecutionState | null }>(endedAsSql, [
    items.map(({ id }) => id),
    items.map(({ claim }) => claim),
    projectId,
  ]);
  return new Map(rows.map(({ id, state }) => [id, state]));
}

export async function saveProgress(
  db: Queryable,
  items: { id: string; claim: string; progress: Json }[],
): Promise<void> {
  if (items.length === 0) return;
  await db.run(saveProgressSql, [
    items.map(({ id }) => id),
    items.map(({ claim }) => claim),
    items.map(({ progress }) => JSON.stringify(progress)),
  ]);
}
