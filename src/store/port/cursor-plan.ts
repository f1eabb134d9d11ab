import type { CompiledJob } from "../../core/compiled-job.ts";
import type { Plan } from "../../core/plan.ts";
import type { CursorPlan, DueCursor } from "./queue.ts";

/** A plan as the store takes it: with the cursor it was made for and dates for milliseconds. */
export function toCursorPlan(cursor: DueCursor, job: CompiledJob, plan: Plan): CursorPlan {
  return {
    cursor,
    fires: plan.fires.map((fire) => ({
      ...fire,
      priority: job.spec.priority,
      scheduledAt: new Date(fire.scheduledAt),
      runAt: new Date(fire.runAt),
      lateAfter: fire.lateAfter === null ? null : new Date(fire.lateAfter),
    })),
    skips: plan.skips.map((skip) => ({ ...skip, first: new Date(skip.first), last: new Date(skip.last) })),
    next: {
      fireAt: plan.next === null ? null : new Date(plan.next),
      plannedUntil: new Date(plan.plannedUntil),
      runs: plan.runs,
    },
    completes: plan.completes,
    priority: job.spec.priority,
  };
}
