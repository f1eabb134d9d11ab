// Fires that were claimed later than their grace: planned in time, but nobody was there to run them. The misfire policy
// decides: `skip` drops them, `fire_once` keeps the latest that is due (a later one in the queue takes its place).

import { type Queryable, statement } from "./database.ts";
import { COMPLETE_JOBS, endWithoutAnswer, LEAVING } from "./ledger-row.ts";

export const resolveLateSql = statement(
  "resolve_late",
  `with late as materialized (
     select q.id, q.job_id, q.scheduled_at, v.spec -> 'misfire' ->> 'policy' as policy
     from punctual.queue q join punctual.job_version v on v.job_id = q.job_id and v.version = q.version
     where q.id = any($1::uuid[]) and q.state = 'scheduled' and q.hold is null and q.late_after < now()
     order by q.id for update of q skip locked
   ),
   judged as (
     select l.id, l.policy = 'skip' or (l.policy = 'fire_once' and exists (
         select from punctual.queue n where n.job_id = l.job_id and n.trigger = 'schedule' and n.state = 'scheduled'
           and n.scheduled_at > l.scheduled_at and n.scheduled_at <= now())) as dropped
     from late l
   ),
   accepted as (
     update punctual.queue q set late_after = null from judged d where q.id = d.id and not d.dropped returning q.id
   ),
   gone as (delete from punctual.queue q using judged d where q.id = d.id and d.dropped returning ${LEAVING}),
   ${endWithoutAnswer({
     state: "'skipped'",
     code: "'misfire'",
     message: "'not started within its grace, because all nodes were busy or away'",
   })},
   ${COMPLETE_JOBS}
   select (select coalesce(array_agg(id), '{}') from gone) as skipped, (select count(*) from accepted) as accepted`,
);

export async function resolveLate(db: Queryable, ids: string[]): Promise<{ skipped: string[]; accepted: number }> {
  const [counts] = await db.run<{ skipped: string[]; accepted: number }>(resolveLateSql, [ids]);
  return counts!;
}
