// An execution is a row of `queue` until it is final and of `execution` from then on. Readers see both through the columns
// below, which have the same names on either side, in one statement: a row that moves meanwhile is seen exactly once.

import type { Attempt, AttemptError, Execution, ExecutionState, Trigger } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import { type Exchange, type KeptAttempt, toAttempt } from "./attempt-detail.ts";
import { holderNode, holderWorker } from "./ledger-row.ts";

/** The columns that both sides select, for the outer select to name. */
const SHARED = `id, job_id, job_version, payload_version, payload, trigger, state, reason_code, reason_message, scheduled_at,
  scheduled_until, count, run_at, priority, attempt, attempt_started_at, claim, node, worker, started_at, finished_at, lateness_ms, duration_ms, result, error,
  key, retry_of, triggered_by, created_at, progress, log_lines, attempts, queued`;

/** From `queue q`. */
export const QUEUED = `q.id, q.job_id, q.version as job_version, q.payload_version, q.payload, q.trigger, q.state,
  case q.hold when 'paused' then 'paused' when 'overlap' then 'overlap' end as reason_code,
  case q.hold when 'paused' then 'waits until its job is resumed' when 'overlap' then 'waits for another run of its job' end as reason_message,
  q.scheduled_at, null::timestamptz as scheduled_until, 1 as count, q.run_at, q.priority, q.attempt, q.started_at as attempt_started_at,
  q.claim, ${holderNode("q")} as node, ${holderWorker("q")} as worker, q.first_started_at as started_at, null::timestamptz as finished_at,
  case when q.attempt = 1 then least(2147483647, greatest(0, extract(epoch from q.first_started_at - q.run_at) * 1000))::integer end as lateness_ms,
  null::integer as duration_ms, null::json as result, null::jsonb as error, q.key, q.retry_of, q.triggered_by, q.created_at,
  q.progress, q.log_lines, null::json as attempts, true as queued`;

/** From `execution e`. */
export const FINAL = `e.id, e.job_id, e.job_version, e.payload_version, e.payload, e.trigger, e.state, e.reason_code, e.reason_message,
  e.scheduled_at, e.scheduled_until, e.count, e.run_at, e.priority, e.attempt, null::timestamptz as attempt_started_at,
  e.claim, e.node, e.worker, e.started_at, e.finished_at, e.lateness_ms, e.duration_ms, e.result, e.error, e.key, e.retry_of, e.triggered_by,
  e.created_at, e.progress, e.log_lines, e.attempts, false as queued`;

/**
 * The outer select over a page `x` of the columns above. What is large is read only if asked for: `payload`, `result` and
 * `attempts` are SQL expressions that say whether it is.
 */
export function wholeExecutions(page: string, wanted: { payload: string; result: string; attempts: string }): string {
  const narrow = SHARED.split(",")
    .map((column) => column.trim())
    .filter((column) => !["payload", "result", "attempts"].includes(column))
    .map((column) => `x.${column}`)
    .join(", ");
  return `select ${narrow}, j.name as job_name,
    case when ${wanted.payload} then coalesce(x.payload, v.spec -> 'payload', 'null'::json) end as payload,
    case when ${wanted.result} then x.result end as result,
    case when ${wanted.attempts} then coalesce(x.attempts,
      (select json_agg(a.detail order by a.number) from punctual.attempt a where a.execution_id = x.id), '[]') end as attempts
  from (${page}) as x
    left join punctual.job j on j.id = x.job_id
    left join punctual.job_version v on ${wanted.payload} and x.payload is null and v.job_id = x.job_id and v.version = x.payload_version`;
}

export interface ExecutionRow {
  id: string;
  job_id: string;
  job_name: string | null;
  job_version: number;
  trigger: Trigger;
  state: ExecutionState;
  reason_code: string | null;
  reason_message: string | null;
  scheduled_at: Date;
  scheduled_until: Date | null;
  count: number;
  run_at: Date;
  priority: number;
  attempt: number;
  attempt_started_at: Date | null;
  claim: string | null;
  node: string | null;
  worker: string | null;
  started_at: Date | null;
  finished_at: Date | null;
  lateness_ms: number | null;
  duration_ms: number | null;
  payload: Json;
  result: Json;
  error: AttemptError | null;
  key: string | null;
  retry_of: string | null;
  triggered_by: string | null;
  created_at: Date;
  progress: Json;
  log_lines: number;
  attempts: (KeptAttempt | Exchange)[] | null;
  queued: boolean;
}

export interface Included {
  payload: boolean;
  result: boolean;
  attempts: boolean;
}

export function toExecution(row: ExecutionRow, include: Included): Execution {
  const attempts = include.attempts ? attemptsOf(row) : null;
  return {
    id: row.id,
    jobId: row.job_id,
    jobName: row.job_name ?? row.job_id,
    jobVersion: row.job_version,
    trigger: row.trigger,
    scheduledAt: row.scheduled_at.toISOString(),
    scheduledUntil: row.scheduled_until?.toISOString() ?? null,
    count: row.count,
    runAt: row.run_at.toISOString(),
    state: row.state,
    reason: row.reason_code === null ? null : { code: row.reason_code, message: row.reason_message ?? "" },
    priority: row.priority,
    attempt: row.attempt,
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    latenessMs: row.lateness_ms,
    durationMs: row.duration_ms,
    ...(include.payload ? { payload: row.payload } : {}),
    ...(include.result ? { result: row.result } : {}),
    error: row.error ?? (row.queued ? lastError(attempts) : null),
    // These two are absent in dead letters of a time before there were any.
    progress: row.progress ?? null,
    logLines: row.log_lines ?? 0,
    key: row.key,
    retryOf: row.retry_of,
    triggeredBy: row.triggered_by,
    createdAt: row.created_at.toISOString(),
    ...(attempts ? { attempts } : {}),
  };
}

/** Why it has to be tried again. */
function lastError(attempts: Attempt[] | null): AttemptError | null {
  return attempts?.findLast((attempt) => attempt.error !== null)?.error ?? null;
}

/** Those that are over, and the one that runs. */
function attemptsOf(row: ExecutionRow): Attempt[] {
  const kept = row.attempts ?? [];
  if (!row.queued && row.state === "succeeded" && !isWhole(kept[0])) return [impliedAttempt(row, kept[0])];
  const attempts = kept.filter(isWhole).map((attempt) => toAttempt(attempt, row.error));
  if (row.queued && row.state === "running" && attempts.at(-1)?.number !== row.attempt)
    attempts.push(runningAttempt(row));
  return attempts;
}

function isWhole(attempt: KeptAttempt | Exchange | undefined): attempt is KeptAttempt {
  return attempt !== undefined && "number" in attempt;
}

/** Of an attempt that succeeded at once nothing is kept that stands in the row already; see settle-final.ts. */
function impliedAttempt(row: ExecutionRow, { request, response, timings }: Exchange = {}): Attempt {
  return {
    ...runningAttempt({ ...row, attempt_started_at: row.started_at }),
    outcome: "succeeded",
    finishedAt: row.finished_at!.toISOString(),
    request: request ?? null,
    response: response ?? null,
    timings: timings ?? null,
  };
}

function runningAttempt(row: ExecutionRow): Attempt {
  return {
    number: row.attempt,
    outcome: null,
    jobVersion: row.job_version,
    startedAt: row.attempt_started_at!.toISOString(),
    finishedAt: null,
    error: null,
    node: row.node,
    worker: row.worker,
    request: null,
    response: null,
    timings: null,
  };
}
