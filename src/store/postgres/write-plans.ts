import type { Fire, Stretch } from "../../core/plan.ts";
import type { CursorPlan } from "../port/queue.ts";
import { boolArray, intArray, smallintArray, textArray, timeArray, uuidArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";

// Compare and set, for many cursors at once: only those still at the version and instant that were read move, and only
// theirs insert. A cursor that another planner or a change of its job holds is left to them (skip locked): nobody waits.
// The lock names the row, so that it is not looked for a second time.
const MOVED = `with locked as materialized (
     select c.ctid, i.next_fire_at, i.planned_until, i.runs
     from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::integer[])
       as i (job_id, version, expected, next_fire_at, planned_until, runs) join punctual.cursor c on c.job_id = i.job_id
     where c.version = i.version and c.next_fire_at = i.expected and not c.parked
     order by c.job_id for update of c skip locked
   ),
   moved as (
     update punctual.cursor c set next_fire_at = l.next_fire_at, planned_until = l.planned_until, runs = l.runs
     from locked l where c.ctid = l.ctid returning c.job_id
   )`;

/** "is true" keeps it a look into a table of hashes: as a join it would be done in nested loops, because few are expected. */
const isMoved = (jobId: string) => `(${jobId} in (select m.job_id from moved m)) is true`;

const FIRED = `fired as (
     insert into punctual.queue (id, project_id, job_id, version, payload_version, trigger, state, scheduled_at, run_at, late_after, priority,
       lane, overlap, gated, last_fire, root_id, created_at)
     select f.id, f.project_id, f.job_id, f.version, f.version, 'schedule', 'scheduled', f.scheduled_at, f.scheduled_at, f.late_after, f.priority,
       f.lane, f.overlap, f.overlap <> 'allow', f.last_fire, f.id, now()
     from unnest($7::uuid[], $8::uuid[], $9::uuid[], $10::integer[], $11::timestamptz[], $12::timestamptz[], $13::smallint[], $14::text[],
                 $15::text[], $16::boolean[])
       as f (id, project_id, job_id, version, scheduled_at, late_after, priority, lane, overlap, last_fire)
     where ${isMoved("f.job_id")}
   )`;

/** Mostly all of them, and then nobody needs to be told which. */
const ANSWER = `select (select case when count(*) < cardinality($1::uuid[]) then coalesce(array_agg(job_id), '{}') end from moved) as moved`;

export const writeFiresSql = statement("write_fires", `${MOVED}, ${FIRED} ${ANSWER}`);

/** With what the ledger has to know: instants that are skipped, and jobs of which nothing is left. */
export const writePlansSql = statement(
  "write_plans",
  `${MOVED}, ${FIRED},
   skipped as (
     insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, reason_message,
       scheduled_at, scheduled_until, count, run_at, priority, attempt, finished_at, root_id, created_at)
     select s.id, s.project_id, s.job_id, s.version, s.version, 'schedule', 'skipped', s.reason_code, s.reason_message, s.first,
       case when s.count > 1 then s.last end, s.count, s.first, s.priority, 0, now(), s.id, now()
     from unnest($17::uuid[], $18::uuid[], $19::uuid[], $20::integer[], $21::timestamptz[], $22::timestamptz[], $23::integer[], $24::text[],
                 $25::text[], $26::smallint[])
       as s (id, project_id, job_id, version, first, last, count, reason_code, reason_message, priority)
     where ${isMoved("s.job_id")}
   ),
   completed as (
     update punctual.job j set state = 'completed', updated_at = now(), expires_at = now() + j.retain_for
     where j.id = any($27::uuid[]) and ${isMoved("j.id")} and j.state = 'active'
   )
   ${ANSWER}`,
);

export async function writePlans(db: Queryable, plans: CursorPlan[]): Promise<CursorPlan[]> {
  if (plans.length === 0) return [];
  const plain = plans.every(({ plan }) => plan.skips.length === 0 && !plan.completes);
  const values = [...cursorColumns(plans), ...fireColumns(plans)];
  const [answer] = plain
    ? await db.run<{ moved: string[] | null }>(writeFiresSql, values)
    : await db.run<{ moved: string[] | null }>(writePlansSql, [...values, ...skipColumns(plans), completing(plans)]);
  const { moved } = answer!;
  if (moved === null) return plans;
  const jobs = new Set(moved);
  return plans.filter(({ cursor }) => jobs.has(cursor.jobId));
}

function cursorColumns(plans: CursorPlan[]): Buffer[] {
  return [
    uuidArray(plans.map(({ cursor }) => cursor.jobId)),
    intArray(plans.map(({ cursor }) => cursor.version)),
    timeArray(plans.map(({ cursor }) => cursor.nextFireAt)),
    timeArray(plans.map(({ plan }) => plan.next)),
    timeArray(plans.map(({ plan }) => plan.plannedUntil)),
    intArray(plans.map(({ plan }) => plan.runs)),
  ];
}

function fireColumns(plans: CursorPlan[]): Buffer[] {
  const jobs: CursorPlan["job"][] = [];
  const fires: Fire[] = [];
  for (const { job, plan } of plans)
    for (const fire of plan.fires) {
      jobs.push(job);
      fires.push(fire);
    }
  return [
    uuidArray(fires.map(({ id }) => id)),
    uuidArray(jobs.map(({ projectId }) => projectId)),
    uuidArray(jobs.map(({ id }) => id)),
    intArray(jobs.map(({ version }) => version)),
    timeArray(fires.map(({ scheduledAt }) => scheduledAt)),
    timeArray(fires.map(({ lateAfter }) => lateAfter)),
    smallintArray(jobs.map(({ priority }) => priority)),
    textArray(fires.map(({ lane }) => lane)),
    textArray(fires.map(({ overlap }) => overlap)),
    boolArray(fires.map(({ lastFire }) => lastFire)),
  ];
}

function skipColumns(plans: CursorPlan[]): Buffer[] {
  const jobs: CursorPlan["job"][] = [];
  const skips: Stretch[] = [];
  for (const { job, plan } of plans)
    for (const skip of plan.skips) {
      jobs.push(job);
      skips.push(skip);
    }
  return [
    uuidArray(skips.map(({ id }) => id)),
    uuidArray(jobs.map(({ projectId }) => projectId)),
    uuidArray(jobs.map(({ id }) => id)),
    intArray(jobs.map(({ version }) => version)),
    timeArray(skips.map(({ first }) => first)),
    timeArray(skips.map(({ last }) => last)),
    intArray(skips.map(({ count }) => count)),
    textArray(skips.map(({ reason }) => reason.code)),
    textArray(skips.map(({ reason }) => reason.message)),
    smallintArray(jobs.map(({ priority }) => priority)),
  ];
}

function completing(plans: CursorPlan[]): Buffer {
  return uuidArray(plans.filter(({ plan }) => plan.completes).map(({ cursor }) => cursor.jobId));
}
