// When a job's last active run has ended, the oldest that waits for it may go. Only out of the hold: it passes the gate like
// any other when it is claimed.

import { type Queryable, statement } from "./database.ts";

const RELEASE = `
open as materialized (
  select t.job_id from punctual.gate t
  where t.job_id = any(array(select job_id from wanted)) and t.active = 0 and t.waiting > 0
  order by t.job_id for update
),
oldest as materialized (
  select o.id from open cross join lateral (
    select q.id from punctual.queue q where q.job_id = open.job_id and q.hold = 'overlap' order by q.run_at, q.id limit 1
    for update skip locked
  ) o
),
released as (
  update punctual.queue q set hold = null from oldest o where q.id = o.id and q.hold = 'overlap' returning q.job_id
),
counted as (
  update punctual.gate t set waiting = t.waiting - 1 from released r where t.job_id = r.job_id
)
select count(*) as n from released`;

export const releaseWaitingSql = statement(
  "release_waiting",
  `with wanted as (select unnest($1::uuid[]) as job_id), ${RELEASE}`,
);

/** For what a crash between settling and releasing left behind. */
export const releaseStuckSql = statement(
  "release_stuck",
  `with wanted as (select distinct q.job_id from punctual.queue q where q.hold = 'overlap' order by q.job_id limit $1), ${RELEASE}`,
);

export async function releaseWaiting(db: Queryable, jobIds: string[]): Promise<number> {
  if (jobIds.length === 0) return 0;
  const [row] = await db.run<{ n: number }>(releaseWaitingSql, [jobIds]);
  return row!.n;
}

export async function releaseStuck(db: Queryable, limit: number): Promise<number> {
  const [row] = await db.run<{ n: number }>(releaseStuckSql, [limit]);
  return row!.n;
}
