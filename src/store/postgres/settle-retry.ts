// Back into the queue for another attempt. The job's row is locked first (share): a pause, edit or delete that is under way
// is waited for and then seen, so that the retry of a paused job is held, and the next attempt has the current version and
// goes where that goes.

import { catchUpLane } from "../../core/lane.ts";
import type { RetrySettlement } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";

export const settleRetrySql = statement(
  "settle_retry",
  `with input as (
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::jsonb[], $7::integer[])
       as i (id, claim, job_id, delay_ms, attempt, late_ms)
   ),
   jobs as materialized (
     select j.id, j.state, j.version, j.lane, j.paused_at from punctual.job j
     where j.id = any(array(select job_id from input)) order by j.id for share
   ),
   held as materialized (
     select q.id, i.delay_ms, coalesce(i.late_ms, 0) as late_ms, i.attempt as detail, j.version, j.lane, j.state = 'deleted' as deleted,
       j.state = 'paused' and q.created_at < j.paused_at as paused
     from punctual.queue q join input i on q.id = i.id and q.claim = i.claim join jobs j on j.id = i.job_id
     where q.state = 'running' order by q.id for update of q
   ),
   returned as (
     update punctual.queue q set state = 'retrying', retrying = true, claim = null, holder = null, held_by = null, deadline = null, late_after = null,
       run_at = now() + h.delay_ms * interval '1 millisecond',
       first_started_at = q.first_started_at + h.late_ms * interval '1 millisecond', lateness_ms = q.lateness_ms + h.late_ms,
       version = case when q.pinned then q.version else h.version end,
       lane = case when q.pinned or q.lane = h.lane || '${catchUpLane("")}' then q.lane else h.lane end,
       hold = case when h.paused then 'paused' when h.delay_ms > $6 then 'later' end
     from held h where q.id = h.id and not h.deleted
     returning q.id, q.attempt, h.detail
   ),
   -- Of many attempts only the last three keep their bodies: these two and the one to come.
   trimmed as (
     update punctual.attempt a set detail = jsonb_set(a.detail, '{response,body}', 'null')
     from returned r
     where a.execution_id = any(array(select id from returned where attempt > 2)) and a.execution_id = r.id and a.number = r.attempt - 2
       and a.detail -> 'response' ? 'body'
   ),
   kept as (
     insert into punctual.attempt (execution_id, number, claim, detail)
     select r.id, r.attempt, i.claim, r.detail from returned r join input i on i.id = r.id
     on conflict (execution_id, number) do update set detail = excluded.detail, claim = excluded.claim
   )
   select h.id, h.deleted from held h`,
);

export async function settleRetry(
  db: Queryable,
  items: RetrySettlement[],
  horizonMs: number,
): Promise<{ retrying: string[]; jobDeleted: string[] }> {
  if (items.length === 0) return { retrying: [], jobDeleted: [] };
  const rows = await db.run<{ id: string; deleted: boolean }>(settleRetrySql, [
    items.map((item) => item.id),
    items.map((item) => item.claim),
    items.map((item) => item.jobId),
    items.map((item) => item.delayMs),
    items.map((item) => JSON.stringify(item.attempt)),
    horizonMs,
    items.map((item) => item.startedLateMs ?? null),
  ]);
  return {
    retrying: rows.filter((row) => !row.deleted).map((row) => row.id),
    jobDeleted: rows.filter((row) => row.deleted).map((row) => row.id),
  };
}
