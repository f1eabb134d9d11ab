// Fires that are later than their grace: planned in time, but nobody was there to run them. The misfire policy decides:
// `skip` drops them, `fire_once` keeps the latest that is due (a later one in the queue takes its place), `fire_all` keeps as
// many of the latest as its limit allows, within its window, to be run one after the other like any other catch-up work.
//
// What goes to hosts is judged when a node claims it. What goes to a handler may wait for a worker for ever, so each time
// all that the job has waiting is judged again, also what was let stand before: the fires of an unserved handler never grow
// to more than its policy keeps.

import { catchUpLane } from "../../core/lane.ts";
import type { Skipped } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";
import { COMPLETE_JOBS, endWithoutAnswer, LEAVING } from "./ledger-row.ts";

/** Twice the largest limit of `fire_all`: what is beyond comes into view when this much is gone. */
const BACKLOG_MAX = 2_000;

export const resolveLateSql = statement(
  "resolve_late",
  `with late as materialized (
     select q.id, q.job_id, q.lane, q.scheduled_at, q.late_after, q.version from punctual.queue q
     where q.id = any($1::uuid[]) and q.state = 'scheduled' and q.hold is null and q.late_after < now()
   ),
   waiting as materialized (
     select l.id, l.job_id, l.scheduled_at, l.late_after, l.version, 1::bigint as nth from late l where l.lane not like '@%'
     union all
     select b.id, b.job_id, b.scheduled_at, b.late_after, b.version, b.nth
     from (select distinct l.job_id from late l where l.lane like '@%') j cross join lateral (
       select q.id, q.job_id, q.scheduled_at, q.late_after, q.version, row_number() over (order by q.id desc) as nth
       from punctual.queue q
       where q.job_id = j.job_id and q.trigger = 'schedule' and q.state = 'scheduled' and q.hold is null and q.lane like '@%'
         and q.scheduled_at <= now()
       order by q.id desc limit ${BACKLOG_MAX}
     ) b
   ),
   judged as materialized (
     select w.id, w.late_after < now() as late, m.policy, m.reach, case m.policy
         when 'skip' then w.late_after < now()
         when 'fire_once' then (w.late_after is null or w.late_after < now()) and (w.nth > 1 or exists (
           select from punctual.queue n where n.job_id = w.job_id and n.trigger = 'schedule' and n.state = 'scheduled'
             and n.scheduled_at > w.scheduled_at and n.scheduled_at <= now()))
         else w.nth > m.most or w.scheduled_at < now() - m.reach end as dropped
     from waiting w join punctual.job_version v on v.job_id = w.job_id and v.version = w.version cross join lateral (
       select v.spec -> 'misfire' ->> 'policy' as policy, (v.spec -> 'misfire' ->> 'limit')::integer as most,
         (v.spec -> 'misfire' ->> 'window')::interval as reach) m
   ),
   locked as materialized (
     select q.id, j.dropped, j.policy, j.reach from punctual.queue q join judged j on j.id = q.id
     where q.state = 'scheduled' and q.hold is null and (j.dropped or j.late)
     order by q.id for update of q skip locked
   ),
   accepted as (
     update punctual.queue q set
       late_after = case when k.policy = 'fire_all' then q.scheduled_at + k.reach end,
       lane = case when k.policy = 'fire_all' and q.overlap <> 'catch_up' then q.lane || '${catchUpLane("")}' else q.lane end,
       overlap = case when k.policy = 'fire_all' then 'catch_up' else q.overlap end,
       gated = q.gated or k.policy = 'fire_all'
     from locked k where q.id = k.id and not k.dropped returning q.id
   ),
   gone as (delete from punctual.queue q using locked k where q.id = k.id and k.dropped returning ${LEAVING}),
   ${endWithoutAnswer({
     state: "'skipped'",
     code: "'misfire'",
     message: `case when g.lane like '@%' then 'no worker took it within its grace'
       else 'not started within its grace, because all nodes were busy or away' end`,
   })},
   ${COMPLETE_JOBS}
   select g.id, g.project_id, g.job_id from gone g
   union all
   select a.id, null, null from accepted a`,
);

export async function resolveLate(db: Queryable, ids: string[]): Promise<{ skipped: Skipped[]; accepted: number }> {
  const rows = await db.run<{ id: string; project_id: string; job_id: string | null }>(resolveLateSql, [ids]);
  const skipped = rows.flatMap(({ id, project_id: projectId, job_id: jobId }) =>
    jobId === null ? [] : [{ id, projectId, jobId }],
  );
  return { skipped, accepted: rows.length - skipped.length };
}
