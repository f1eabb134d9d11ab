// Claims that are given back before anything was started: as if they had not been made. The job's row is locked first (share),
// as for a retry: what was paused or edited meanwhile is held, or goes on with the current version.

import { catchUpLane } from "../../core/lane.ts";
import type { GivenBack } from "../port/queue.ts";
import { uuidArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";
import { LEAVE_GATE } from "./ledger-row.ts";

export const giveBackSql = statement(
  "give_back",
  `with input as (select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as i (id, claim, job_id)),
   jobs as materialized (
     select j.id, j.state, j.version, j.lane, j.paused_at from punctual.job j
     where j.id = any(array(select job_id from input)) order by j.id for share
   ),
   held as materialized (
     select q.id, j.version, j.lane, j.state = 'deleted' as deleted, j.state = 'paused' and q.created_at < j.paused_at as paused
     from punctual.queue q join input i on q.id = i.id and q.claim = i.claim join jobs j on j.id = i.job_id
     where q.state = 'running' order by q.id for update of q
   ),
   returned as (
     update punctual.queue q set attempt = q.attempt - 1, claim = null, holder = null, held_by = null,
       state = case when q.attempt = 1 then 'scheduled' else 'retrying' end, retrying = q.attempt > 1,
       started_at = case when q.attempt > 1 then q.started_at end,
       first_started_at = case when q.attempt > 1 then q.first_started_at end,
       lateness_ms = case when q.attempt > 1 then q.lateness_ms end,
       version = case when q.pinned then q.version else h.version end,
       lane = case when q.pinned or q.lane = h.lane || '${catchUpLane("")}' then q.lane else h.lane end,
       hold = case when h.paused then 'paused' end
     from held h where q.id = h.id and not h.deleted
     returning q.id, q.job_id, q.gated, q.attempt as earlier
   ),
   -- What had been attempted before counts in the gate since then.
   gone as (select r.job_id, r.gated, 1 as attempt, null::text as hold from returned r where r.earlier = 0),
   ${LEAVE_GATE}
   select array(select id from returned) as returned, array(select id from held where deleted) as deleted,
     array(select job_id from left_gate where active = 0 and waiting > 0) as waiting`,
);

export async function giveBack(
  db: Queryable,
  items: { id: string; claim: string; jobId: string }[],
): Promise<GivenBack> {
  const sorted = items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const [row] = await db.run<GivenBack>(giveBackSql, [
    uuidArray(sorted.map(({ id }) => id)),
    uuidArray(sorted.map(({ claim }) => claim)),
    uuidArray(sorted.map(({ jobId }) => jobId)),
  ]);
  return row!;
}
