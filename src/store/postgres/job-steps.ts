import { LATE_AFTER_MS } from "../../contract/stats.ts";
import { idFloor } from "../../core/ids.ts";
import { FINAL_STATES } from "../../core/states.ts";
import type { JobStep, StateCounts, StatsWindow, SteppedWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";
import { LOOKED_AT_MAX, percentiles } from "./job-stats.ts";
import { jobStepSamples } from "./job-step-samples.ts";
import { jobWindowCounts } from "./job-window-counts.ts";

const COUNTS = FINAL_STATES.map(
  (state) => `coalesce(sum(l.count) filter (where l.state = '${state}'), 0) as ${state}`,
).join(", ");

/** $5 are the smallest ids of the steps: which step an execution belongs to is a search among them. */
export const jobStepsSql = statement(
  "job_steps",
  `with latest as materialized (
     select width_bucket(e.id, $5::uuid[]) - 1 as step, e.state, e.count, e.duration_ms, e.lateness_ms from punctual.execution e
     where e.project_id = $1 and e.job_id = $2 and e.id >= $3 and e.id < $4 order by e.id desc limit ${LOOKED_AT_MAX}
   )
   select l.step, count(*) as rows, ${COUNTS}, count(*) filter (where l.lateness_ms >= ${LATE_AFTER_MS}) as late,
     percentile_cont(array[0.5, 0.95, 0.99]) within group (order by l.duration_ms) as duration,
     percentile_cont(array[0.5, 0.95, 0.99]) within group (order by l.lateness_ms) as lateness
   from latest l group by l.step`,
);

interface Row extends StateCounts {
  step: number;
  rows: number;
  late: number;
  duration: number[] | null;
  lateness: number[] | null;
}

/** Of one job, straight from the ledger, step by step. */
export async function jobSteps(
  db: Queryable,
  projectId: string,
  jobId: string,
  { from, to, stepMs }: SteppedWindow,
): Promise<{ steps: JobStep[]; complete: boolean }> {
  const windows: StatsWindow[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += stepMs)
    windows.push({ from: new Date(at), to: new Date(at + stepMs) });
  const floors = windows.map((window) => idFloor(window.from.getTime()));
  const rows = await db.run<Row>(jobStepsSql, [projectId, jobId, floors[0], idFloor(to.getTime()), floors]);
  if (rows.reduce((sum, row) => sum + row.rows, 0) >= LOOKED_AT_MAX)
    return { steps: await crowdedSteps(db, projectId, jobId, windows), complete: false };
  const steps = rows.map(({ rows: _, step, duration, lateness, ...counts }) => ({
    ...counts,
    at: windows[step]!.from,
    durationMs: percentiles(duration),
    latenessMs: percentiles(lateness),
  }));
  return { steps, complete: true };
}

/** The latest alone would leave the earlier steps empty, as if nothing had happened: so a few of each are looked at. */
async function crowdedSteps(
  db: Queryable,
  projectId: string,
  jobId: string,
  windows: readonly StatsWindow[],
): Promise<JobStep[]> {
  const perStep = Math.ceil(LOOKED_AT_MAX / windows.length);
  const [counts, samples] = await Promise.all([
    jobWindowCounts(db, projectId, jobId, windows),
    jobStepSamples(db, projectId, jobId, windows, { perStep }),
  ]);
  return windows.flatMap(({ from }, step) => {
    const { complete: _, ...states } = counts[step]!;
    const sample = samples.get(step);
    return sample === undefined ? [] : [{ at: from, ...states, ...sample }];
  });
}
