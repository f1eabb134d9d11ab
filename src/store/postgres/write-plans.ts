import type { CursorPlan } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";

// Compare and set, for many cursors at once: only those still at the version and instant that were read move, and only
// theirs insert. A cursor that another planner or a change of its job holds is left to them (skip locked): nobody waits.
export const writePlansSql = statement(
  "write_plans",
  `with input as (
     select * from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::integer[], $7::boolean[])
       as i (job_id, version, expected, next_fire_at, planned_until, runs, completes)
   ),
   locked as materialized (
     select c.job_id from punctual.cursor c join input i on c.job_id = i.job_id
     where c.version = i.version and c.next_fire_at = i.expected and not c.parked
     order by c.job_id for update of c skip locked
   ),
   moved as (
     update punctual.cursor c set next_fire_at = i.next_fire_at, planned_until = i.planned_until, runs = i.runs
     from input i where c.job_id = i.job_id and c.job_id = any(array(select job_id from locked))
     returning c.job_id, i.completes
   ),
   fired as (
     insert into punctual.queue (id, project_id, job_id, version, payload_version, trigger, state, scheduled_at, run_at, late_after, priority,
       lane, overlap, gated, last_fire, root_id, created_at)
     select f.id, f.project_id, f.job_id, f.version, f.version, 'schedule', 'scheduled', f.scheduled_at, f.run_at, f.late_after, f.priority,
       f.lane, f.overlap, f.gated, f.last_fire, f.id, now()
     from unnest($8::uuid[], $9::uuid[], $10::uuid[], $11::integer[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[], $15::smallint[],
                 $16::text[], $17::text[], $18::boolean[], $19::boolean[])
       as f (id, project_id, job_id, version, scheduled_at, run_at, late_after, priority, lane, overlap, gated, last_fire)
     where f.job_id in (select job_id from moved)
     returning 1
   ),
   skipped as (
     insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, reason_message,
       scheduled_at, scheduled_until, count, run_at, priority, attempt, finished_at, root_id, created_at)
     select s.id, s.project_id, s.job_id, s.version, s.version, 'schedule', 'skipped', s.reason_code, s.reason_message, s.first,
       case when s.count > 1 then s.last end, s.count, s.first, s.priority, 0, now(), s.id, now()
     from unnest($20::uuid[], $21::uuid[], $22::uuid[], $23::integer[], $24::timestamptz[], $25::timestamptz[], $26::integer[], $27::text[], $28::text[], $29::smallint[])
       as s (id, project_id, job_id, version, first, last, count, reason_code, reason_message, priority)
     where s.job_id in (select job_id from moved)
     returning count
   ),
   completed as (
     update punctual.job j set state = 'completed', updated_at = now(), expires_at = now() + j.retain_for
     where j.id = any(array(select job_id from moved where completes)) and j.state = 'active'
     returning 1
   )
   select (select coalesce(array_agg(job_id), '{}') from moved) as moved, (select count(*) from fired) as fires,
     (select coalesce(sum(count), 0) from skipped) as skipped`,
);

export async function writePlans(
  db: Queryable,
  plans: CursorPlan[],
): Promise<{ moved: string[]; fires: number; skipped: number }> {
  if (plans.length === 0) return { moved: [], fires: 0, skipped: 0 };
  const fires = plans.flatMap((plan) =>
    plan.fires.map((fire) => ({ ...fire, cursor: plan.cursor, priority: plan.priority })),
  );
  const skips = plans.flatMap((plan) =>
    plan.skips.map((skip) => ({ ...skip, cursor: plan.cursor, priority: plan.priority })),
  );
  const [counts] = await db.run<{ moved: string[]; fires: number; skipped: number }>(writePlansSql, [
    plans.map((plan) => plan.cursor.jobId),
    plans.map((plan) => plan.cursor.version),
    plans.map((plan) => plan.cursor.nextFireAt.toISOString()),
    plans.map((plan) => plan.next.fireAt?.toISOString() ?? null),
    plans.map((plan) => plan.next.plannedUntil.toISOString()),
    plans.map((plan) => plan.next.runs),
    plans.map((plan) => plan.completes),
    fires.map((fire) => fire.id),
    fires.map((fire) => fire.cursor.projectId),
    fires.map((fire) => fire.cursor.jobId),
    fires.map((fire) => fire.cursor.version),
    fires.map((fire) => fire.scheduledAt.toISOString()),
    fires.map((fire) => fire.runAt.toISOString()),
    fires.map((fire) => fire.lateAfter?.toISOString() ?? null),
    fires.map((fire) => fire.priority),
    fires.map((fire) => fire.lane),
    fires.map((fire) => fire.overlap),
    fires.map((fire) => fire.gated),
    fires.map((fire) => fire.lastFire),
    skips.map((skip) => skip.id),
    skips.map((skip) => skip.cursor.projectId),
    skips.map((skip) => skip.cursor.jobId),
    skips.map((skip) => skip.cursor.version),
    skips.map((skip) => skip.first.toISOString()),
    skips.map((skip) => skip.last.toISOString()),
    skips.map((skip) => skip.count),
    skips.map((skip) => skip.reason.code),
    skips.map((skip) => skip.reason.message),
    skips.map((skip) => skip.priority),
  ]);
  return counts!;
}
