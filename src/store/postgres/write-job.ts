// The statements of a change to a job, in the order in which change-job.ts and reschedule.ts run them.

import { parseDuration } from "../../contract/duration.ts";
import type { JobSpec } from "../../contract/job.ts";
import { laneOf } from "../../core/lane.ts";
import type { Stretch } from "../../core/plan.ts";
import { START_WITHIN_MS } from "../../core/start-within.ts";
import { usesInWords } from "../../core/target-uses.ts";
import { intArray, textArray, timeArray, uuidArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";
import { endWithoutAnswer, LEAVING } from "./ledger-row.ts";

/** By then what was claimed has started, or was given back: a node that is busy needs a moment more. */
const STARTED_MS = START_WITHIN_MS + 50;

export const insertJobSql = statement(
  "insert_job",
  `with added as (
     insert into punctual.job (id, project_id, name, state, version, source, tags, priority, lane, overlap, retain_for,
       pause_reason, pause_by, paused_at, created_at, updated_at, uses)
     values ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10::bigint * interval '1 millisecond', $11, $12, case when $4 = 'paused' then $13::timestamptz end, $13, $13, $20)
   ),
   version as (insert into punctual.job_version (job_id, version, spec, created_at, created_by, source) values ($1, 1, $14, $13, $15, $5)),
   gate as (insert into punctual.gate (job_id) values ($1))
   insert into punctual.cursor (job_id, version, next_fire_at, planned_until, parked, zone, tzdata)
   values ($1, 1, $16, $17, $4 = 'paused', $18, $19)`,
);

/** Job first, then cursor: the order in which everybody takes them. */
export const lockJobSql = statement(
  "lock_job",
  `select j.id from punctual.job j
   where j.project_id = $1 and ((j.id = $2::uuid) or ($2::uuid is null and j.name = $3 and j.state <> 'deleted')) for update`,
);

export const lockCursorSql = statement(
  "lock_cursor",
  "select c.next_fire_at, c.runs from punctual.cursor c where c.job_id = $1 for update",
);

/** Fires that are planned but not started. Waits for a claim that is taking one, and then leaves it alone. */
export const removeUnstartedSql = statement(
  "remove_unstarted",
  `delete from punctual.queue q where q.job_id = $1 and q.trigger = 'schedule' and q.state = 'scheduled'
   returning q.id, q.scheduled_at`,
);

/** Retries and triggers that wait: claims pass them over until the change is made. */
export const lockWaitingSql = statement(
  "lock_waiting",
  `select count(*) from (
     select from punctual.queue q where q.job_id = $1 and q.state in ('scheduled', 'retrying') order by q.id for update
   ) w`,
);

/** What was claimed starts or is given back, and what is decided after this is decided after that. */
export const awaitStartsSql = statement(
  "await_starts",
  `select pg_sleep(least(1, extract(epoch from c.last - clock_timestamp())))
   from (
     select max(q.started_at) + interval '${STARTED_MS} milliseconds' as last from punctual.queue q where q.job_id = $1 and q.state = 'running'
   ) c
   where c.last > clock_timestamp()`,
);

/** What seemed to be its last fire is not: its end does not complete the job. */
export const goOnSql = statement(
  "go_on",
  "update punctual.queue q set last_fire = false where q.job_id = $1 and q.last_fire",
);

export const updateJobSql = statement(
  "update_job",
  `update punctual.job set name = $2, state = $3, version = $4, tags = $5, priority = $6, lane = $7, overlap = $8,
     retain_for = $9::bigint * interval '1 millisecond', pause_reason = $10, pause_by = $11, paused_at = $12, pause_until = $13,
     updated_at = $14, expires_at = $15, uses = $16
   where id = $1`,
);

export const insertVersionSql = statement(
  "insert_version",
  "insert into punctual.job_version (job_id, version, spec, created_at, created_by, source) values ($1, $2, $3, $4, $5, $6)",
);

/** The job belongs to the source, and its present version is what the source declares. */
export const declareJobSql = statement(
  "declare_job",
  `with declared as (update punctual.job set source = $2 where id = $1 returning id, version)
   update punctual.job_version v set source = $2 from declared d where v.job_id = d.id and v.version = d.version`,
);

export const updateCursorSql = statement(
  "update_cursor",
  `update punctual.cursor set version = $2, next_fire_at = $3, planned_until = $4, runs = $5, parked = $6, zone = $7, tzdata = $8
   where job_id = $1`,
);

export const insertSkippedSql = statement(
  "insert_skipped",
  `insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, reason_message,
     scheduled_at, scheduled_until, count, run_at, priority, attempt, finished_at, root_id, created_at)
   select s.id, $1, $2, $3, $3, 'schedule', 'skipped', s.reason_code, s.reason_message, s.first, case when s.count > 1 then s.last end,
     s.count, s.first, $4, 0, now(), s.id, now()
   from unnest($5::uuid[], $6::timestamptz[], $7::timestamptz[], $8::integer[], $9::text[], $10::text[]) as s (id, first, last, count, reason_code, reason_message)`,
);

/** Waiting retries and triggers of a paused job are held; they keep their time. */
export const holdWaitingSql = statement(
  "hold_waiting",
  "update punctual.queue q set hold = 'paused' where q.job_id = $1 and q.state in ('scheduled', 'retrying')",
);

export const releaseHeldSql = statement(
  "release_held",
  `update punctual.queue q set hold = case when q.run_at > now() + $2::integer * interval '1 millisecond' then 'later' end
   where q.job_id = $1 and q.hold = 'paused'`,
);

/**
 * Waiting retries and triggers go on with the new version. Touching each row also makes a claim that is under way either
 * finish first or leave the row alone: none starts with the old version afterwards.
 */
export const moveToVersionSql = statement(
  "move_to_version",
  `update punctual.queue q set gated = q.gated or $4,
     version = case when q.pinned or q.state = 'running' then q.version else $2 end,
     lane = case when q.pinned or q.state = 'running' then q.lane else $3 end
   where q.job_id = $1 and (q.state <> 'running' or (not q.gated and $4))`,
);

export const setGateSql = statement(
  "set_gate",
  `update punctual.gate t set
     active = (select count(*) from punctual.queue q where q.job_id = $1 and q.gated and q.state in ('running', 'retrying')),
     waiting = (select count(*) from punctual.queue q where q.job_id = $1 and q.hold = 'overlap')
   where t.job_id = $1`,
);

export const lockGateSql = statement("lock_gate", "select from punctual.gate t where t.job_id = $1 for update");

export const cancelWaitingSql = statement(
  "cancel_waiting",
  `with gone as (
     delete from punctual.queue q where q.job_id = $1 and q.state in ('scheduled', 'retrying') returning ${LEAVING}
   ),
   ${endWithoutAnswer({ state: "'cancelled'", code: "'job_deleted'", message: "'its job was deleted'" })}
   select id from gone`,
);

/** The columns that a spec decides, in the order of the statements above. */
export function specColumns(spec: JobSpec): {
  tags: string[];
  priority: number;
  lane: string;
  overlap: string;
  retainForMs: number | null;
  uses: string[];
} {
  const oneTime = spec.schedule !== null && "at" in spec.schedule;
  return {
    tags: spec.tags,
    priority: spec.priority,
    lane: laneOf(spec.target),
    overlap: spec.overlap,
    retainForMs: oneTime ? parseDuration(spec.retainFor) : null,
    uses: usesInWords(spec.target),
  };
}

export async function insertSkipped(
  db: Queryable,
  job: { id: string; projectId: string; version: number; priority: number },
  skips: Stretch[],
): Promise<void> {
  if (skips.length === 0) return;
  await db.run(insertSkippedSql, [
    job.projectId,
    job.id,
    job.version,
    job.priority,
    uuidArray(skips.map((skip) => skip.id)),
    timeArray(skips.map((skip) => skip.first)),
    timeArray(skips.map((skip) => skip.last)),
    intArray(skips.map((skip) => skip.count)),
    textArray(skips.map((skip) => skip.reason.code)),
    textArray(skips.map((skip) => skip.reason.message)),
  ]);
}
