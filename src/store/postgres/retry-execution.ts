// Running something again by hand. One that is retrying anyway gets its next attempt now. A final one becomes a new
// execution that says of which it is the retry; its idempotency key stays that of the first one, unless that succeeded.

import type { ExecutionState } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import type { IdSource } from "../../core/ids.ts";
import { handlerLane, SHELL_LANE } from "../../core/lane.ts";
import type { RetryResult } from "../port/executions.ts";
import { finalState } from "./cancel-execution.ts";
import { type Queryable, statement } from "./database.ts";

export const hastenRetrySql = statement(
  "hasten_retry",
  `update punctual.queue q set run_at = now(), hold = case when q.hold = 'overlap' then q.hold end
   where q.project_id = $1 and q.id = $2 and q.state = 'retrying' returning q.id`,
);

export const liveStateSql = statement(
  "live_state",
  "select q.state from punctual.queue q where q.project_id = $1 and q.id = $2",
);

/** Where the version `s.version` goes, as core/lane.ts has it; that may be elsewhere than where the job goes now. */
const LANE_OF_VERSION = `(select case v.spec -> 'target' ->> 'type'
    when 'worker' then '${handlerLane("")}' || (v.spec -> 'target' ->> 'handler')
    when 'shell' then '${SHELL_LANE}'
    else lower(substring(v.spec -> 'target' ->> 'url' from '^[^:]+://([^/?#]*)')) end
  from punctual.job_version v where v.job_id = s.job_id and v.version = s.version)`;

/** `source` gives the ended executions: id, job_id, version, payload_version, payload, scheduled_at, priority, state, root_id. */
const AGAIN = `
jobs as materialized (
  select j.id, j.version, j.lane, j.overlap from punctual.job j
  where j.id = any(array(select job_id from source)) and j.project_id = $1 and j.state <> 'deleted' order by j.id for share
),
made as (
  insert into punctual.queue (id, project_id, job_id, version, pinned, payload_version, payload, trigger, state, scheduled_at, run_at, priority, lane,
    overlap, gated, retry_of, root_id, triggered_by, created_at)
  select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || s.id_tail)::uuid, $1, s.job_id,
    case when s.pinned then s.version else j.version end, s.pinned, s.payload_version, s.payload, 'retry', 'scheduled', s.scheduled_at, now(), s.priority,
    coalesce(case when s.pinned then ${LANE_OF_VERSION} end, j.lane), 'allow', j.overlap <> 'allow', s.id,
    case when s.state = 'succeeded' then (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || s.id_tail)::uuid else s.root_id end,
    $2, now()
  from source s join jobs j on j.id = s.job_id
  returning id, retry_of
),
letters as (
  update punctual.dead_letter d set status = 'retried', retried_as = m.id, handled_at = now(), handled_by = $2
  from made m where d.execution_id = m.retry_of and d.status = 'open'
)
select m.id, m.retry_of from made m`;

export const retryFinalSql = statement(
  "retry_final",
  `with source as (
     select e.id, e.job_id, e.job_version as version, $5::boolean as pinned, e.payload_version, coalesce($6::json, e.payload) as payload, e.scheduled_at,
       e.priority, e.state, e.root_id, $4::text as id_tail
     from punctual.execution e where e.project_id = $1 and e.id = $3 and e.count = 1
   ),
   ${AGAIN}`,
);

export const retryDeadLettersSql = statement(
  "retry_dead_letters",
  `with source as materialized (
     select d.execution_id as id, d.job_id, (d.execution ->> 'job_version')::integer as version, false as pinned,
       (d.execution ->> 'payload_version')::integer as payload_version, (d.execution -> 'payload')::json as payload,
       (d.execution ->> 'scheduled_at')::timestamptz as scheduled_at, (d.execution ->> 'priority')::smallint as priority,
       d.execution ->> 'state' as state, (d.execution ->> 'root_id')::uuid as root_id, i.id_tail
     from punctual.dead_letter d join unnest($3::uuid[], $4::text[]) as i (id, id_tail) on i.id = d.execution_id
     where d.project_id = $1 and d.status = 'open' order by d.execution_id for update of d
   ),
   ${AGAIN}`,
);

export async function retryExecution(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  id: string,
  options: { actor: string; version: "current" | "original"; payload?: Json },
): Promise<RetryResult> {
  const [hastened] = await db.run<{ id: string }>(hastenRetrySql, [projectId, id]);
  if (hastened) return { kind: "hastened", executionId: id };
  const live = await liveState(db, projectId, id);
  if (live !== null) return { kind: "wrong_state", state: live };
  const [made] = await db.run<{ id: string }>(retryFinalSql, [
    projectId,
    options.actor,
    id,
    idTail(ids),
    options.version === "original",
    options.payload === undefined ? null : JSON.stringify(options.payload),
  ]);
  if (made) return { kind: "created", executionId: made.id };
  const final = await finalState(db, projectId, id);
  if (final === null) return { kind: "not_found" };
  return final === "skipped" ? { kind: "wrong_state", state: final } : { kind: "job_deleted" };
}

export async function retryDeadLetters(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  letters: string[],
  actor: string,
): Promise<{ id: string; executionId: string }[]> {
  const distinct = [...new Set(letters)];
  const rows = await db.run<{ id: string; retry_of: string }>(retryDeadLettersSql, [
    projectId,
    actor,
    distinct,
    distinct.map(() => idTail(ids)),
  ]);
  return rows.map((row) => ({ id: row.retry_of, executionId: row.id }));
}

async function liveState(db: Queryable, projectId: string, id: string): Promise<ExecutionState | null> {
  const [row] = await db.run<{ state: ExecutionState }>(liveStateSql, [projectId, id]);
  return row?.state ?? null;
}

/** What stands in an id behind its 48 bits of time. */
function idTail(ids: IdSource): string {
  return ids.next(0).replaceAll("-", "").slice(12);
}
