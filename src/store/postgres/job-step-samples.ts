import { LATE_AFTER_MS } from "../../contract/stats.ts";
import { idFloor } from "../../core/ids.ts";
import type { JobStep, StatsWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";
import { percentiles } from "./job-stats.ts";

/** The latest $5 of each step, from its smallest id, of $3, to the smallest after it, of $4. */
export const jobStepSamplesSql = statement(
  "job_step_samples",
  `select (step.n - 1)::integer as step, count(*) filter (where s.lateness_ms >= ${LATE_AFTER_MS}) as late,
     percentile_cont(array[0.5, 0.95, 0.99]) within group (order by s.duration_ms) as duration,
     percentile_cont(array[0.5, 0.95, 0.99]) within group (order by s.lateness_ms) as lateness
   from unnest($3::uuid[], $4::uuid[]) with ordinality as step (floor, ceiling, n)
   cross join lateral (
     select e.duration_ms, e.lateness_ms from punctual.execution e
     where e.project_id = $1 and e.job_id = $2 and e.id >= step.floor and e.id < step.ceiling order by e.id desc limit $5
   ) as s
   group by step.n`,
);

interface Row {
  step: number;
  late: number;
  duration: number[] | null;
  lateness: number[] | null;
}

/** How late and how long the latest of each step were, for those steps that have any. */
export async function jobStepSamples(
  db: Queryable,
  projectId: string,
  jobId: string,
  steps: readonly StatsWindow[],
  { perStep }: { perStep: number },
): Promise<Map<number, Pick<JobStep, "late" | "durationMs" | "latenessMs">>> {
  const floors = steps.map(({ from }) => idFloor(from.getTime()));
  const ceilings = steps.map(({ to }) => idFloor(to.getTime()));
  const rows = await db.run<Row>(jobStepSamplesSql, [projectId, jobId, floors, ceilings, perStep]);
  return new Map(
    rows.map(({ step, late, duration, lateness }) => [
      step,
      { late, durationMs: percentiles(duration), latenessMs: percentiles(lateness) },
    ]),
  );
}
