// Counted minutes are written by many connections at once, each into rows of its own (a shard), and read over days and
// weeks. So what is past is added up: the shards of a minute some minutes later, the minutes of an hour after two days.
// Otherwise the statistics of a month would add up millions of rows.
//
// Rows are deleted and their sum is added to the row that stays, in one statement: whoever reads sees the one or the other.
// It may stop anywhere, and any number of nodes may do it at once: each adds what it deleted itself.

import { MINUTES_KEPT_MS } from "../../contract/stats.ts";
import { type Queryable, statement } from "./database.ts";

/** No statement that counts into a minute is still under way so long after its end. */
const SHARDS_KEPT = "interval '5 minutes'";
/** How far back shards are looked for. Later than that they stay, which costs room and is not wrong. */
const SHARDS_LOOKED_FOR = "interval '3 hours'";
/** An hour more than is promised, so that no window by the minute begins within an hour that is folded. */
const MINUTES_KEPT = `interval '${MINUTES_KEPT_MS / 3_600_000 + 1} hours'`;

/** `part` finds rows (ctid), locked, at most $1; `into` is the minute they are added to. */
const folded = (part: string, into: string) => `
  gone as (
    delete from punctual.minute_count c where c.ctid = any(array(${part}))
    returning c.minute, c.project_id, c.measure, c.bucket, c.n
  ),
  added as (
    insert into punctual.minute_count as c (minute, project_id, measure, bucket, shard, n)
    select ${into}, g.project_id, g.measure, g.bucket, 0, sum(g.n) from gone g group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (minute, project_id, measure, bucket, shard) do update set n = c.n + excluded.n
  )
  select count(*) as n from gone`;

export const foldShardsSql = statement(
  "fold_shards",
  `with ${folded(
    `select c.ctid from punctual.minute_count c
     where c.minute >= now() - ${SHARDS_LOOKED_FOR} and c.minute < now() - ${SHARDS_KEPT} and c.shard <> 0
     limit $1 for update skip locked`,
    "g.minute",
  )}`,
);

/** Hours that have minutes of their own are found by one look at the index for each. */
export const foldMinutesSql = statement(
  "fold_minutes",
  `with hours as materialized (
     select h.hour from (select min(c.minute) as first from punctual.minute_count c) oldest
       cross join lateral generate_series(date_trunc('hour', oldest.first, 'UTC'), now() - ${MINUTES_KEPT} - interval '1 hour', interval '1 hour') as h (hour)
     where exists (select from punctual.minute_count c where c.minute > h.hour and c.minute < h.hour + interval '1 hour')
     order by h.hour limit 24
   ),
   ${folded(
     `select f.ctid from hours h cross join lateral (
        select c.ctid from punctual.minute_count c
        where c.minute >= h.hour and c.minute < h.hour + interval '1 hour' and (c.minute > h.hour or c.shard <> 0) limit $1 for update skip locked
      ) f limit $1`,
     "date_trunc('hour', g.minute, 'UTC')",
   )}`,
);

/** At most `limit` rows of each kind; returns how many were added to others. */
export async function foldCounts(db: Queryable, limit: number): Promise<number> {
  const [shards] = await db.run<{ n: number }>(foldShardsSql, [limit]);
  const [minutes] = await db.run<{ n: number }>(foldMinutesSql, [limit]);
  return Math.max(shards!.n, minutes!.n);
}
