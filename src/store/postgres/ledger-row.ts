// How a row leaves the queue for the ledger. Settling, cancelling, skipping and deleting all do it, and each of them must
// move the attempts along and keep the job's gate right; so the pieces of SQL that do are here, once. They are put together
// when the module is loaded: each statement is a fixed text.

/** Columns of `queue` that statements return from their delete, for the pieces below. */
export const LEAVING = `q.id, q.project_id, q.job_id, q.version, q.payload_version, q.payload, q.trigger, q.state, q.hold, q.scheduled_at, q.run_at,
  q.lane, q.priority, q.gated, q.last_fire, q.attempt, q.claim, q.holder, q.started_at, q.first_started_at, q.lateness_ms, q.key, q.retry_of, q.root_id, q.triggered_by, q.created_at,
  q.progress, q.log_lines`;

/**
 * CTEs that follow a CTE `gone` (rows of LEAVING), for rows that end without an answer of their target. `state`, `code` and
 * `message` are SQL expressions over `g`. A running one's attempt ends as cancelled.
 */
export function endWithoutAnswer(end: { state: string; code: string; message: string }): string {
  return `
past as (${forgetAttempts("g.attempt > 0")}),
ledger as (
  insert into punctual.execution (id, project_id, job_id, job_version, payload_version, payload, trigger, state, reason_code, reason_message,
    scheduled_at, run_at, priority, attempt, claim, started_at, finished_at, lateness_ms, duration_ms, key, retry_of, root_id, triggered_by,
    created_at, progress, log_lines, attempts)
  select g.id, g.project_id, g.job_id, g.version, g.payload_version, g.payload, g.trigger, ${end.state}, ${end.code}, ${end.message},
    g.scheduled_at, g.run_at, g.priority, g.attempt, g.claim, g.first_started_at, now(),
    g.lateness_ms, ${DURATION}, g.key, g.retry_of, g.root_id, g.triggered_by, g.created_at, g.progress, g.log_lines,
    (case when g.attempt > 0 then coalesce((select jsonb_agg(p.detail order by p.number) from punctual.attempt p where p.execution_id = g.id), '[]'::jsonb)
       else '[]'::jsonb end
      || case when g.state = 'running' then jsonb_build_array(jsonb_build_object('number', g.attempt, 'outcome', 'cancelled',
           'jobVersion', g.version, 'startedAt', punctual.iso(g.started_at), 'finishedAt', punctual.iso(now()),
           'error', jsonb_build_object('code', 'cancelled', 'message', ${end.message}), 
           'node', ${holderNode("g")}, 'worker', ${holderWorker("g")},
           'request', null, 'response', null, 'timings', null)) else '[]'::jsonb end)::json
  from gone g
  returning id
),
${LEAVE_GATE}`;
}

/**
 * SQL that deletes the attempts of rows `g` of `gone`, if they may have any. One by one: joined, all that anybody is retrying might be compared with
 * all of these, because how many those are is never known when it is planned. Whoever reads them in the same statement sees them as
 * they were.
 */
export function forgetAttempts(mayHave: string): string {
  return `delete from punctual.attempt a where a.execution_id = any(array(select g.id from gone g where ${mayHave}))`;
}

/** The name of the worker that holds the row; null if it is none. */
export function holderWorker(row: string): string {
  return `(select w.name from punctual.worker w where w.holder = ${row}.holder)`;
}

/** The name of the node that holds the row, or its id where the name is no longer known; null if a worker holds it. */
export function holderNode(row: string): string {
  return `case when not exists (select from punctual.worker w where w.holder = ${row}.holder)
    then coalesce((select n.name from punctual.node n where n.id = ${row}.holder), ${row}.holder::text) end`;
}

export const DURATION = "least(2147483647, extract(epoch from now() - g.first_started_at) * 1000)::integer";

/** CTE that follows `gone`: the gates of the jobs, less what has left; in order, like everybody who takes several. */
export const LEAVE_GATE = `
left_gate as (
  update punctual.gate t set active = t.active - d.active, waiting = t.waiting - d.waiting
  from (select job_id, count(*) filter (where gated and attempt > 0) as active, count(*) filter (where hold = 'overlap') as waiting
        from gone where (gated and attempt > 0) or hold = 'overlap' group by job_id order by job_id) d
  where t.job_id = d.job_id
  returning t.job_id, t.active, t.waiting
)`;

/** CTE that follows `gone`: jobs whose last fire this was. */
export const COMPLETE_JOBS = `
completed as (
  update punctual.job j set state = 'completed', updated_at = now(), expires_at = now() + j.retain_for
  where j.id = any(array(select job_id from gone where last_fire)) and j.state = 'active'
  returning j.id
)`;
