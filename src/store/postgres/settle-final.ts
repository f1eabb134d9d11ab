// The end of an execution: its row leaves the queue for the ledger, with its attempts; gate, dead letter, counters and a
// finished one-time job follow in the same statement. A write names the claim it was made under: no row, no effect.
//
// It is the statement of which there is most, so it is written for a plan that is kept: everything flows from one delete,
// row by row, and what only some rows need (earlier attempts, dead letters) is looked at for those alone. Nothing is joined
// with a list of all, which a planner that does not know how long the list is would do in nested loops. The rows are
// locked in the order of the input, which is that of their ids.

import { msOf } from "../../core/iso-time.ts";
import type { FinalSettlement, SettledExecution } from "../port/queue.ts";
import { intArray, jsonArray, jsonbArray, textArray, timeArray, uuidArray } from "./array-parameter.ts";
import { attemptDetail, exchangeDetail, type StoredAttempt } from "./attempt-detail.ts";
import { type Queryable, statement } from "./database.ts";
import { COMPLETE_JOBS, forgetAttempts, LEAVE_GATE } from "./ledger-row.ts";

const WITHOUT_PAYLOAD = `id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, reason_message, scheduled_at, run_at,
  priority, attempt, claim, started_at, finished_at, lateness_ms, duration_ms, result, error, key, retry_of, root_id, triggered_by, created_at, progress,
  log_lines, attempts, node, worker`;
const COLUMNS = `payload, ${WITHOUT_PAYLOAD}`;

export const settleFinalSql = statement(
  "settle_final",
  `with gone as (
     delete from punctual.queue q
     using unnest($1::uuid[], $2::uuid[], $3::text[], $4::json[], $5::text[], $6::jsonb[], $8::integer[], $9::timestamptz[], $10::text[])
       as i (id, claim, detail, result, worker, other, late, ended, exchange)
     where q.id = i.id and q.claim = i.claim and q.state = 'running'
     -- First what most readers below look at: a row is taken apart only as far as the last column that is wanted.
     returning q.id, q.job_id, q.attempt, q.gated, q.last_fire, q.deadline, q.hold, i.other, q.project_id, q.version as job_version, q.payload_version,
       q.payload, q.trigger, q.scheduled_at, q.run_at, q.priority, q.claim,
       case when i.late is null then q.first_started_at else q.first_started_at + i.late * interval '1 millisecond' end as started_at,
       q.lateness_ms + coalesce(i.late, 0) as lateness_ms,
       -- Results wait to be written together, and are older than the statement.
       greatest(least(i.ended, now()), q.first_started_at) as finished_at,
       greatest(0, least(2147483647, date_part('epoch', least(i.ended, now()) - q.first_started_at) * 1000 - coalesce(i.late, 0)))::integer as duration_ms, i.result, q.key, q.retry_of, q.root_id,
       q.triggered_by, q.created_at, q.progress, q.log_lines, i.detail, i.exchange, i.worker
   ),
   -- Of earlier attempts, and of one that waited for its callback.
   past as (${forgetAttempts("g.attempt > 1 or g.deadline is not null")}),
   ended as not materialized (
     select g.id, g.project_id, g.job_id, g.job_version, g.payload_version, g.payload, g.trigger, coalesce(g.other ->> 'state', 'succeeded') as state,
       g.other ->> 'code' as reason_code, g.other ->> 'message' as reason_message, g.scheduled_at, null::timestamptz as scheduled_until, 1 as count,
       g.run_at, g.priority, g.attempt, g.claim, g.started_at, g.finished_at, g.lateness_ms, g.duration_ms, g.result, g.other -> 'error' as error,
       g.key, g.retry_of, g.root_id, g.triggered_by, g.created_at, g.progress, g.log_lines,
       case when g.attempt = 1 and g.detail is null then
         case when g.exchange is null then '[]'::json else ('[' || g.exchange || ']')::json end else
         ('[' || case when g.attempt > 1 then coalesce((select string_agg(p.detail::text, ',' order by p.number) from punctual.attempt p
           where p.execution_id = g.id and p.number < g.attempt) || ',', '') else '' end || coalesce(g.detail, '') || ']')::json end as attempts,
       case when g.detail is null then $7::text end as node, g.worker, g.other ->> 'fingerprint' as fingerprint
     from gone g
   ),
   ledger as (insert into punctual.execution (${COLUMNS}) select ${COLUMNS} from ended returning id),
   dead as (
     insert into punctual.dead_letter (execution_id, project_id, job_id, fingerprint, execution, created_at)
     select e.id, e.project_id, e.job_id, e.fingerprint, to_json(kept), now()
     from ended e cross join lateral (
       select coalesce(e.payload, (select v.spec -> 'payload' from punctual.job_version v
           where v.job_id = e.job_id and v.version = e.payload_version)) as payload,
         ${WITHOUT_PAYLOAD}, e.scheduled_until, e.count
     ) kept
     where e.fingerprint is not null
   ),
   ${LEAVE_GATE},
   ${COMPLETE_JOBS}
   -- Mostly all of them, and then nobody needs to be told which. Asked of the ledger, so that it is written before the gates are
   -- locked: all that a job's other executions wait for at its gate is the rest of the statement.
   select (select case when count(*) < cardinality($1::uuid[]) then coalesce(array_agg(id), '{}') end from ledger) as settled,
     array(select job_id from left_gate where active = 0 and waiting > 0) as waiting, array(select id from completed) as completed`,
  "kept",
);

export async function settleFinal(db: Queryable, items: FinalSettlement[]): Promise<SettledExecution[]> {
  if (items.length === 0) return [];
  const sorted = items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const node = sorted.find(succeededAtOnce)?.attempt.node ?? null;
  /** Of such attempts no more is kept than what they sent and received: the row says the rest (`impliedAttempt`). */
  const goesWithoutSaying = (item: FinalSettlement) => succeededAtOnce(item) && item.attempt.node === node;
  const [row] = await db.run<{ settled: string[] | null; waiting: string[]; completed: string[] }>(settleFinalSql, [
    uuidArray(sorted.map((item) => item.id)),
    uuidArray(sorted.map((item) => item.claim)),
    unlessAllNull(sorted.map((item) => (goesWithoutSaying(item) ? null : attemptDetail(item.attempt, item.error)))),
    jsonArray(sorted.map((item) => (item.result === null ? null : JSON.stringify(item.result)))),
    unlessAllNull(sorted.map((item) => (goesWithoutSaying(item) ? item.attempt.worker : null))),
    jsonbArray(sorted.map(other)),
    node,
    // Few do.
    sorted.some(startedLate) ? intArray(sorted.map((item) => item.startedLateMs ?? null)) : null,
    timeArray(sorted.map(({ attempt }) => (attempt.finishedAt === null ? null : msOf(attempt.finishedAt)))),
    unlessAllNull(sorted.map((item) => (goesWithoutSaying(item) ? exchangeDetail(item.attempt) : null))),
  ]);
  const { settled, waiting, completed } = row!;
  const [ids, waitingJobs, completedJobs] = [settled && new Set(settled), new Set(waiting), new Set(completed)];
  return items
    .filter(({ id }) => ids === null || ids.has(id))
    .map(({ id, jobId }) => ({ id, jobId, waiting: waitingJobs.has(jobId), jobCompleted: completedJobs.has(jobId) }));
}

function unlessAllNull(texts: (string | null)[]) {
  return texts.every((text) => text === null) ? null : textArray(texts);
}

function startedLate({ startedLateMs }: FinalSettlement): boolean {
  return startedLateMs !== undefined;
}

function succeededAtOnce({ state, attempt }: FinalSettlement): boolean {
  const { number, outcome, error, callback }: StoredAttempt = attempt;
  return state === "succeeded" && number === 1 && outcome === "succeeded" && error === null && !callback;
}

/** What is to be told of those that did not simply succeed. */
function other({ state, reason, error, fingerprint }: FinalSettlement): string | null {
  if (state === "succeeded" && reason === null && error === null && fingerprint === null) return null;
  return JSON.stringify({
    state,
    code: reason?.code,
    message: reason?.message,
    error: error ?? undefined,
    fingerprint: fingerprint ?? undefined,
  });
}
