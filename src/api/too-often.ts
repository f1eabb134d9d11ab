import { formatDuration } from "../contract/duration.ts";
import { PunctualError } from "../contract/errors.ts";
import type { JobSpec } from "../contract/job.ts";
import { sameJson } from "../core/same-json.ts";
import { closestInstants } from "../core/schedule/closest-instants.ts";
import type { JobRecord, SpecEditor } from "../store/port/jobs.ts";

/** No schedule can be denser than this. */
const DENSEST_MS = 1_000;

/** The same edit, refused if it brings a schedule that fires more often than it may. One that is there already may stay. */
export function notTooOften({ minIntervalMs }: { minIntervalMs: number }, edit: SpecEditor): SpecEditor {
  return (current, now) => {
    const spec = edit(current, now);
    const isNew = current === null || !sameJson(spec.schedule, current.spec.schedule);
    if (minIntervalMs > DENSEST_MS && isNew) refuseTooOften(minIntervalMs, spec, current, now);
    return spec;
  };
}

function refuseTooOften(minIntervalMs: number, { schedule }: JobSpec, current: JobRecord | null, now: Date): void {
  const anchorMs = (current?.createdAt ?? now).getTime();
  const closest = closestInstants(schedule, { anchorMs, afterMs: now.getTime() });
  if (schedule === null || closest === null || closest.gapMs >= minIntervalMs) return;
  const [kind, value] =
    "cron" in schedule ? ["cron", schedule.cron] : ["every", "every" in schedule ? schedule.every : ""];
  const fires = `fires at ${new Date(closest.at).toISOString()} and ${formatDuration(closest.gapMs)} later`;
  const message = `"${value}" ${fires}; the smallest interval here is ${formatDuration(minIntervalMs)} (PUNCTUAL_MIN_INTERVAL)`;
  throw PunctualError.validation([{ path: `schedule.${kind}`, code: "too_often", message, value }]);
}
