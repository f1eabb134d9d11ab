import type { StatsWindow, SteppedWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";

export const minuteCountsSql = statement(
  "minute_counts",
  `select c.minute, c.measure, c.bucket, sum(c.n) as n from punctual.minute_count c
   where c.minute >= $2 and c.minute < $3 and ($1::uuid is null or c.project_id = $1)
   group by c.minute, c.measure, c.bucket order by c.minute, c.measure, c.bucket`,
);

export const windowCountsSql = statement(
  "window_counts",
  `select c.measure, c.bucket, sum(c.n) as n from punctual.minute_count c
   where c.minute >= $2 and c.minute < $3 and ($1::uuid is null or c.project_id = $1)
   group by c.measure, c.bucket order by c.measure, c.bucket`,
);

/** Each step by itself: there are few measures in it, and adding them up needs little room. */
export const stepCountsSql = statement(
  "step_counts",
  `select step.at, counts.measure, counts.bucket, counts.n
   from generate_series($2::timestamptz, $3::timestamptz - interval '1 millisecond', $4::bigint * interval '1 millisecond') as step (at)
   cross join lateral (
     select c.measure, c.bucket, sum(c.n) as n from punctual.minute_count c
     where c.minute >= step.at and c.minute < step.at + $4 * interval '1 millisecond' and c.project_id = $1 group by c.measure, c.bucket
   ) as counts`,
);

export const openDeadLettersSql = statement(
  "open_dead_letters",
  `select count(*) as n from punctual.dead_letter d where d.status = 'open' and ($1::uuid is null or d.project_id = $1)`,
);

export interface MinuteCount {
  minute: Date;
  measure: string;
  bucket: number;
  n: number;
}

/** Per minute and measure, summed over shards, oldest first. */
export async function minuteCounts(
  db: Queryable,
  projectId: string | null,
  window: StatsWindow,
): Promise<MinuteCount[]> {
  return await db.run<MinuteCount>(minuteCountsSql, [projectId, window.from, window.to]);
}

/** The same, summed over the whole window. */
export async function windowCounts(
  db: Queryable,
  projectId: string | null,
  window: StatsWindow,
): Promise<{ measure: string; bucket: number; n: number }[]> {
  return await db.run(windowCountsSql, [projectId, window.from, window.to]);
}

/** The same, summed over each step. */
export async function stepCounts(
  db: Queryable,
  projectId: string,
  { from, to, stepMs }: SteppedWindow,
): Promise<{ at: Date; measure: string; bucket: number; n: number }[]> {
  return await db.run(stepCountsSql, [projectId, from, to, stepMs]);
}

export async function openDeadLetters(db: Queryable, projectId: string | null): Promise<number> {
  const [row] = await db.run<{ n: number }>(openDeadLettersSql, [projectId]);
  return row!.n;
}
