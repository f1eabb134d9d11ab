import { type Queryable, statement } from "./database.ts";

export const queueLagSql = statement(
  "queue_lag",
  `select clock_timestamp() as now,
     (select q.run_at from punctual.queue q where q.state <> 'running' and q.hold is null and q.lane not like '@%' and q.priority >= 0 and q.run_at <= now() order by q.run_at limit 1) as oldest`,
);

/** The age of the oldest due execution that is not started, and the database's time. */
export async function queueLag(db: Queryable): Promise<{ now: Date; lagMs: number }> {
  const [row] = await db.run<{ now: Date; oldest: Date | null }>(queueLagSql, []);
  return { now: row!.now, lagMs: row!.oldest === null ? 0 : Math.max(0, row!.now.getTime() - row!.oldest.getTime()) };
}
