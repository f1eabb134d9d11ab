import type { DueCursor } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";

/** Without locks: a planner that freezes after this holds nothing. */
export const readDueCursorsSql = statement(
  "read_due_cursors",
  `select c.job_id, c.version, c.next_fire_at, c.runs from punctual.cursor c
   where not c.parked and c.next_fire_at <= now() + $1::integer * interval '1 millisecond'
     and (c.next_fire_at, c.job_id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4::uuid, '00000000-0000-0000-0000-000000000000'))
   order by c.next_fire_at, c.job_id limit $2`,
);

export const readClockSql = statement("read_clock", "select clock_timestamp() as now");

export interface CursorRow {
  job_id: string;
  version: number;
  next_fire_at: Date;
  runs: number;
}

export async function readDueCursors(
  db: Queryable,
  { horizonMs, limit, after = null }: { horizonMs: number; limit: number; after?: DueCursor | null },
): Promise<DueCursor[]> {
  const from = after === null ? [null, null] : [new Date(after.nextFireAt).toISOString(), after.jobId];
  const rows = await db.run<CursorRow>(readDueCursorsSql, [horizonMs, limit, ...from]);
  return rows.map(toDueCursor);
}

export async function readClock(db: Queryable): Promise<Date> {
  const [row] = await db.run<{ now: Date }>(readClockSql, []);
  return row!.now;
}

export function toDueCursor(row: CursorRow): DueCursor {
  return { jobId: row.job_id, version: row.version, nextFireAt: row.next_fire_at.getTime(), runs: row.runs };
}
