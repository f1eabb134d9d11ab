// Nodes may carry different time zone data. A cursor says by which it was computed; newer data moves it, older never does.

import type { DueCursor } from "../port/queue.ts";
import { intArray, timeArray, uuidArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";
import { type CursorRow, toDueCursor } from "./read-due-cursors.ts";

export const readOutdatedZonesSql = statement(
  "read_outdated_zones",
  `select c.job_id, c.version, c.next_fire_at, c.runs, c.planned_until from punctual.cursor c
   where c.zone is not null and c.next_fire_at is not null and c.tzdata < $1 order by c.tzdata limit $2`,
);

export const moveCursorsSql = statement(
  "move_cursors",
  `with input as (
     select * from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::timestamptz[]) as i (job_id, version, expected, next_fire_at)
   ),
   locked as materialized (
     select c.job_id from punctual.cursor c join input i on c.job_id = i.job_id
     where c.version = i.version and c.next_fire_at = i.expected and c.tzdata < $5
     order by c.job_id for update of c skip locked
   )
   update punctual.cursor c set next_fire_at = i.next_fire_at, tzdata = $5
   from input i where c.job_id = i.job_id and c.job_id in (select job_id from locked) returning c.job_id`,
);

export async function readOutdatedZones(
  db: Queryable,
  tzdata: string,
  limit: number,
): Promise<{ cursor: DueCursor; plannedUntil: number }[]> {
  const rows = await db.run<CursorRow & { planned_until: Date }>(readOutdatedZonesSql, [tzdata, limit]);
  return rows.map((row) => ({ cursor: toDueCursor(row), plannedUntil: row.planned_until.getTime() }));
}

export async function moveCursors(
  db: Queryable,
  moves: { cursor: DueCursor; nextFireAt: number | null }[],
  tzdata: string,
): Promise<number> {
  if (moves.length === 0) return 0;
  const rows = await db.run(moveCursorsSql, [
    uuidArray(moves.map((move) => move.cursor.jobId)),
    intArray(moves.map((move) => move.cursor.version)),
    timeArray(moves.map((move) => move.cursor.nextFireAt)),
    timeArray(moves.map((move) => move.nextFireAt)),
    tzdata,
  ]);
  return rows.length;
}
