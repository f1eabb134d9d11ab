import type { DueCursor } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";

/** Without locks: a planner that freezes after this holds nothing. */
export const readDueCursorsSql = statement(
  "read_due_cursors",
  `select c.job_id, j.project_id, c.version, c.next_fire_at, c.runs, j.created_at
   from punctual.cursor c join punctual.job j on j.id = c.job_id
   where not c.parked and c.next_fire_at <= now() + $1::integer * interval '1 millisecond'
   order by c.next_fire_at limit $2`,
);

export const readClockSql = statement("read_clock", "select clock_timestamp() as now");

export interface CursorRow {
  job_id: string;
  project_id: string;
  version: number;
  next_fire_at: Date;
  runs: number;
  created_at: Date;
}

export async function readDueCursors(
  db: Queryable,
  options: { horizonMs: number; limit: number },
): Promise<{ now: Date; cursors: DueCursor[] }> {
  const rows = await db.run<CursorRow>(readDueCursorsSql, [options.horizonMs, options.limit]);
  return { now: await readClock(db), cursors: rows.map(toDueCursor) };
}

export async function readClock(db: Queryable): Promise<Date> {
  const [row] = await db.run<{ now: Date }>(readClockSql, []);
  return row!.now;
}

export function toDueCursor(row: CursorRow): DueCursor {
  return {
    jobId: row.job_id,
    projectId: row.project_id,
    version: row.version,
    nextFireAt: row.next_fire_at,
    runs: row.runs,
    jobCreatedAt: row.created_at,
  };
}
