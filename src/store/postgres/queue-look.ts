// Small looks at the queue: payloads of claimed executions, what has come near, how deep it is.

import type { Json } from "../../contract/json.ts";
import { type Queryable, statement } from "./database.ts";

export const readPayloadsSql = statement(
  "read_payloads",
  "select q.id, q.payload from punctual.queue q where q.id = any($1::uuid[])",
);

export const promoteDueSql = statement(
  "promote_due",
  `with near as materialized (
     select q.id from punctual.queue q where q.hold = 'later' and q.run_at <= now() + $1::integer * interval '1 millisecond'
     order by q.run_at limit $2 for update skip locked
   )
   update punctual.queue q set hold = null from near n where q.id = n.id and q.hold = 'later' returning q.run_at`,
);

/** Counted to a bound: beyond it the exact number helps nobody and costs everybody. */
const DEPTH_MAX = 100_000;

/** What goes to hosts and what goes to handlers stand in indexes of their own. */
export const queueDepthSql = statement(
  "queue_depth",
  `select least(q.priority / 10 * 10, 90) as band, count(*) as due from (
     (select q.priority from punctual.queue q
      where q.state <> 'running' and q.hold is null and q.lane not like '@%' and q.priority >= 0 and q.run_at <= now() order by q.run_at limit ${DEPTH_MAX})
     union all
     (select q.priority from punctual.queue q
      where q.state <> 'running' and q.hold is null and q.lane like '@%' and q.priority >= 0 and q.run_at <= now() limit ${DEPTH_MAX})
   ) q group by 1 order by 1`,
);

export async function readPayloads(db: Queryable, ids: string[]): Promise<Map<string, Json>> {
  if (ids.length === 0) return new Map();
  const rows = await db.run<{ id: string; payload: Json }>(readPayloadsSql, [ids]);
  return new Map(rows.map((row) => [row.id, row.payload]));
}

export async function promoteDue(db: Queryable, options: { horizonMs: number; limit: number }): Promise<number> {
  return (await db.run(promoteDueSql, [options.horizonMs, options.limit])).length;
}

export async function queueDepth(db: Queryable): Promise<{ priorityBand: string; due: number }[]> {
  const rows = await db.run<{ band: number; due: number }>(queueDepthSql, []);
  return rows.map((row) => ({ priorityBand: `${row.band}-${row.band === 90 ? 100 : row.band + 9}`, due: row.due }));
}
