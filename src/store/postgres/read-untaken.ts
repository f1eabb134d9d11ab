import type { Blocked } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";

/** Fires for handlers that were due longer ago than their grace. Nobody claims them, so nobody else would judge them. */
export const readUntakenSql = statement(
  "read_untaken",
  `select q.id, q.project_id, q.job_id from punctual.queue q
   where q.state = 'scheduled' and q.hold is null and q.lane like '@%' and q.late_after is not null and q.late_after < now()
   order by q.late_after limit $1`,
);

export async function readUntaken(db: Queryable, limit: number): Promise<Blocked[]> {
  const rows = await db.run<{ id: string; project_id: string; job_id: string }>(readUntakenSql, [limit]);
  return rows.map((row) => ({ id: row.id, projectId: row.project_id, jobId: row.job_id, cause: "late" }));
}
