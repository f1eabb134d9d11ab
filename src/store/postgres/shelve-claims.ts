// What runs for longer than a moment is put aside: out of the indexes that claims walk along, into the one that knows who
// holds it. Most of what was claimed has ended by then and costs one look each.

import { type Queryable, statement } from "./database.ts";

/** How long a claim's batch is kept. */
const LATELY = "interval '1 second'";

// Rows are locked in the order of their ids, like by those that settle.
export const shelveClaimsSql = statement(
  "shelve_claims",
  `with past as (
     delete from punctual.claim_batch b where b.ctid = any(array(
       select c.ctid from punctual.claim_batch c where c.claimed_at < now() - ${LATELY} order by c.claimed_at limit $1 for update skip locked))
     returning b.holder, b.executions
   ),
   shelved as (
     update punctual.queue q set hold = 'running', held_by = q.holder
     from (select p.holder, e.id from past p cross join unnest(p.executions) as e (id) order by e.id) c
     where q.id = c.id and q.holder = c.holder and q.state = 'running' and q.hold is null
     returning q.id
   )
   select (select count(*) from past) as batches, (select count(*) from shelved) as shelved`,
);

/**
 * All that these hold, wherever it is: before somebody is forgotten. It reads the whole queue, so that also what no batch
 * tells of is found, whatever the reason: nobody would look for it any more.
 */
export const shelveAllOfSql = statement(
  "shelve_all_of",
  "update punctual.queue q set hold = 'running', held_by = q.holder where q.holder = any($1::uuid[]) and q.state = 'running' and q.hold is null",
);

/** Returns how many batches it dealt with. */
export async function shelveClaims(db: Queryable, limit: number): Promise<number> {
  const [row] = await db.run<{ batches: number }>(shelveClaimsSql, [limit]);
  return row!.batches;
}
