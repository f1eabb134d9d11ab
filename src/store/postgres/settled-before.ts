import type { Attempt } from "../../contract/execution.ts";
import { type Queryable, statement } from "./database.ts";

/**
 * Settlements that match no claim any more are looked for where they would have put the attempt: the answer was lost, or
 * the same was reported twice. The outcome must be the same too: an attempt that was given up for its holder, as lost,
 * timed out or cancelled, stands there under the same claim.
 */
export const settledBeforeSql = statement(
  "settled_before",
  `select i.id from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) as i (id, claim, outcome, project_id)
   where exists (select from punctual.execution e where e.project_id = i.project_id and e.id = i.id and e.claim = i.claim and coalesce(e.attempts -> -1 ->> 'outcome', e.state) = i.outcome)
     or i.outcome = (select a.detail ->> 'outcome' from punctual.attempt a where a.execution_id = i.id and a.claim = i.claim limit 1)`,
);

export async function settledBefore(
  db: Queryable,
  items: { id: string; projectId: string; claim: string; outcome: Attempt["outcome"] }[],
): Promise<string[]> {
  if (items.length === 0) return [];
  const rows = await db.run<{ id: string }>(settledBeforeSql, [
    items.map((item) => item.id),
    items.map((item) => item.claim),
    items.map((item) => item.outcome),
    items.map((item) => item.projectId),
  ]);
  return rows.map((row) => row.id);
}
