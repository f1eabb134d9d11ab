import type { Schedule } from "../contract/schedule.ts";
import type { SchedulePreview } from "../contract/schedule-preview.ts";
import { CROWD_MAX, crowdNote } from "../core/schedule/crowd.ts";
import type { Store } from "../store/port.ts";

/** Adds what is to be said if many other jobs of the project come at the same instant. `job` is its own id or name. */
export async function withCrowdNote(
  shown: SchedulePreview,
  { store, projectId, schedule, job }: { store: Store; projectId: string; schedule: Schedule; job: string | null },
): Promise<SchedulePreview> {
  const [first] = shown.instants;
  if (first === undefined) return shown;
  const at = new Date(first.scheduledAt);
  const others = await store.jobs.firingAt(projectId, at, { except: job, limit: CROWD_MAX });
  const note = crowdNote(schedule, at.getTime(), others);
  return note === null ? shown : { ...shown, notes: [...shown.notes, note] };
}
