// Which rows of the queue somebody holds. No index knows it of those that were claimed a moment ago, because every claim would
// write it: they stand in the batches of their claims (claim-text.ts). What is held for longer is marked and has an index
// (shelve-claims.ts). Both are looked at in one snapshot, so nothing is seen twice or not at all.

/**
 * SQL of a subquery: `columns` of `queue q`, of what `holder` (an SQL expression) holds; without one, of what anybody does. Of
 * what was claimed a moment ago only that of the `batches` (a condition on `claim_batch b`), if they are said.
 */
export function heldRows(columns: string, holder?: string, batches = "true"): string {
  const by = (row: string) => (holder === undefined ? `${row} is not null` : `${row} = ${holder}`);
  return `(select ${columns} from punctual.queue q where q.hold = 'running' and ${by("q.held_by")}
   union all
   select ${columns} from punctual.queue q where q.id = any(array(${CLAIMED_LATELY} where ${by("b.holder")} and ${batches}))
     and q.state = 'running' and q.hold is null and ${by("q.holder")})`;
}

/** Ids of what was claimed in the last moments, of which much may have ended since. */
export const CLAIMED_LATELY = "select unnest(b.executions) from punctual.claim_batch b";
