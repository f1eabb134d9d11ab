// Fires that found another run of their job going on. What becomes of them is the job's policy; the gate is locked first, in
// a statement of its own, because one that waited for the lock would still look at the world from before the wait.
// Everything else is taken with `skip locked`: a row that somebody else is moving is theirs, and comes again if it must.

import { type Queryable, statement } from "./database.ts";
import { COMPLETE_JOBS, endWithoutAnswer, LEAVING } from "./ledger-row.ts";

/** Fires that may wait under `queue_all`; more are skipped. */
const QUEUED_MAX = 100;

export const lockGatesSql = statement(
  "lock_gates",
  `select t.job_id from punctual.gate t
   where t.job_id = any(array(select q.job_id from punctual.queue q where q.id = any($1::uuid[]))) order by t.job_id for update`,
);

export const cancelPreviousSql = statement(
  "cancel_previous",
  `with jobs as (
     select distinct q.job_id from punctual.queue q
     where q.id = any($1::uuid[]) and q.state = 'scheduled' and q.hold is null and q.overlap = 'cancel_previous'
   ),
   previous as materialized (
     select q.id from punctual.queue q join jobs on jobs.job_id = q.job_id where q.state in ('running', 'retrying')
     order by q.id for update of q skip locked
   ),
   gone as (delete from punctual.queue q using previous p where q.id = p.id returning ${LEAVING}),
   ${endWithoutAnswer({ state: "'cancelled'", code: "'overlap'", message: "'the next fire came and cancelled it (overlap: cancel_previous)'" })}
   select id from gone`,
);

export const holdOverlappingSql = statement(
  "hold_overlapping",
  `with blocked as materialized (
     select q.id, q.job_id, q.overlap, q.run_at from punctual.queue q
     where q.id = any($1::uuid[]) and q.state = 'scheduled' and q.hold is null
     order by q.id for update skip locked
   ),
   ranked as (
     select b.*, t.active, t.waiting, row_number() over (partition by b.job_id order by b.run_at, b.id) as nth,
       row_number() over (partition by b.job_id order by b.run_at desc, b.id desc) as nth_last
     from blocked b join punctual.gate t on t.job_id = b.job_id
     where t.active > 0
   ),
   judged as (
     select id, job_id, case overlap
         when 'queue_one' then waiting + nth <= 1
         when 'queue_all' then waiting + nth <= ${QUEUED_MAX}
         when 'catch_up' then true
         else false end as waits,
       overlap = 'cancel_previous' and nth_last = 1 as stays
     from ranked
   ),
   held as (
     update punctual.queue q set hold = 'overlap' from judged d where q.id = d.id and d.waits returning q.job_id
   ),
   counted as (
     update punctual.gate t set waiting = t.waiting + n.n from (select job_id, count(*) as n from held group by job_id) n
     where t.job_id = n.job_id
   ),
   gone as (
     delete from punctual.queue q using judged d where q.id = d.id and not d.waits and not d.stays returning ${LEAVING}
   ),
   ledger as (
     insert into punctual.execution (id, project_id, job_id, job_version, payload_version, payload, trigger, state, reason_code, reason_message,
       scheduled_at, run_at, priority, attempt, finished_at, key, retry_of, root_id, triggered_by, created_at)
     select g.id, g.project_id, g.job_id, g.version, g.payload_version, g.payload, g.trigger, 'skipped', 'overlap',
       'another run of the job was still going on', g.scheduled_at, g.run_at, g.priority, 0, now(), g.key, g.retry_of, g.root_id,
       g.triggered_by, g.created_at
     from gone g
   ),
   ${COMPLETE_JOBS}
   select (select count(*) from held) as held, (select coalesce(array_agg(id), '{}') from gone) as skipped`,
);

export async function resolveOverlaps(
  db: Queryable,
  ids: string[],
): Promise<{ skipped: string[]; held: number; cancelled: string[] }> {
  return await db.transaction(async (tx) => {
    await tx.run(lockGatesSql, [ids]);
    const cancelled = await tx.run<{ id: string }>(cancelPreviousSql, [ids]);
    const [counts] = await tx.run<{ held: number; skipped: string[] }>(holdOverlappingSql, [ids]);
    return { ...counts!, cancelled: cancelled.map((row) => row.id) };
  });
}
