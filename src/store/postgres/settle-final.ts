// The end of an execution: its row leaves the queue for the ledger, with its attempts; gate, dead letter, counters and a
// finished one-time job follow in the same statement. A write names the claim it was made under: no row, no effect.

import type { FinalSettlement, SettledExecution } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";
import { COMPLETE_JOBS, DURATION, LEAVE_GATE, LEAVING } from "./ledger-row.ts";

const COLUMNS = `id, project_id, job_id, job_version, payload_version, payload, trigger, state, reason_code, reason_message, scheduled_at, run_at,
  priority, attempt, claim, started_at, finished_at, lateness_ms, duration_ms, result, error, key, retry_of, root_id, triggered_by, created_at, progress,
  log_lines, attempts`;

export const settleFinalSql = statement(
  "settle_final",
  `with input as (
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::json[], $8::jsonb[], $9::text[])
       as i (id, claim, state, reason_code, reason_message, attempt, result, error, fingerprint)
   ),
   held as materialized (
     select q.id from punctual.queue q join input i on q.id = i.id and q.claim = i.claim
     where q.state = 'running' order by q.id for update of q
   ),
   gone as (delete from punctual.queue q using held h where q.id = h.id returning ${LEAVING}),
   past as (delete from punctual.attempt a using gone g where a.execution_id = g.id returning a.execution_id, a.number, a.detail),
   ledger as (
     insert into punctual.execution (${COLUMNS})
     select g.id, g.project_id, g.job_id, g.version, g.payload_version, g.payload, g.trigger, i.state, i.reason_code, i.reason_message,
       g.scheduled_at, g.run_at, g.priority, g.attempt, g.claim, g.first_started_at, now(),
       g.lateness_ms, ${DURATION}, i.result, i.error, g.key, g.retry_of, g.root_id,
       g.triggered_by, g.created_at, g.progress, g.log_lines,
       coalesce((select jsonb_agg(p.detail order by p.number) from past p where p.execution_id = g.id and p.number < g.attempt), '[]'::jsonb) || i.attempt
     from gone g join input i on i.id = g.id
     returning ${COLUMNS}, scheduled_until, count
   ),
   dead as (
     insert into punctual.dead_letter (execution_id, project_id, job_id, fingerprint, execution, created_at)
     select l.id, l.project_id, l.job_id, i.fingerprint,
       to_jsonb(l) || jsonb_build_object('payload', coalesce(l.payload, v.spec -> 'payload')), now()
     from ledger l join input i on i.id = l.id
       left join punctual.job_version v on v.job_id = l.job_id and v.version = l.payload_version
     where i.fingerprint is not null
   ),
   ${LEAVE_GATE},
   ${COMPLETE_JOBS}
   select g.id, g.job_id, coalesce(t.active = 0 and t.waiting > 0, false) as waiting, c.id is not null as job_completed
   from gone g left join left_gate t on t.job_id = g.job_id left join completed c on c.id = g.job_id`,
);

export async function settleFinal(db: Queryable, items: FinalSettlement[]): Promise<SettledExecution[]> {
  if (items.length === 0) return [];
  const rows = await db.run<{ id: string; job_id: string; waiting: boolean; job_completed: boolean }>(settleFinalSql, [
    items.map((item) => item.id),
    items.map((item) => item.claim),
    items.map((item) => item.state),
    items.map((item) => item.reason?.code ?? null),
    items.map((item) => item.reason?.message ?? null),
    items.map((item) => JSON.stringify(item.attempt)),
    items.map((item) => (item.result === null ? null : JSON.stringify(item.result))),
    items.map((item) => (item.error === null ? null : JSON.stringify(item.error))),
    items.map((item) => item.fingerprint),
  ]);
  return rows.map((row) => ({ id: row.id, jobId: row.job_id, waiting: row.waiting, jobCompleted: row.job_completed }));
}
