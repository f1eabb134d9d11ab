// From the schedule that a client wrote to the one that is stored. A delay is stored as the moment it leads to, and the
// delay stays beside it, unseen: written again (a PUT, an apply) it means the same job and not a new moment, and only what
// was written before can tell.

import { isDeepStrictEqual } from "node:util";
import { parseDuration } from "../../contract/duration.ts";
import { PunctualError } from "../../contract/errors.ts";
import type { MisfirePolicy } from "../../contract/job.ts";
import type { Schedule, ScheduleInput } from "../../contract/schedule.ts";
import { validateSchedule } from "./validate.ts";

/** Late by less than this is merely late, unless the job says otherwise. */
const GRACE_MS = 60_000;

export interface Present {
  /** The job as it is; null for a new one. */
  schedule: Schedule;
  createdAt: Date;
}

export function storedSchedule(
  written: ScheduleInput,
  misfire: MisfirePolicy,
  present: Present | null,
  now: Date,
): Schedule {
  if (present !== null && meansTheSame(written, present, now)) return present.schedule;
  const graceMs = misfire.grace === null ? GRACE_MS : parseDuration(misfire.grace);
  const checked = checkedSchedule(written, { now, anchor: present?.createdAt ?? now, graceMs });
  return written?.delay === undefined ? checked : withDelay(checked, written.delay);
}

export function withoutDelay(schedule: Schedule): Schedule {
  if (schedule === null || !("delay" in schedule)) return schedule;
  const { delay: _, ...shown } = schedule;
  return shown as Schedule;
}

function withDelay(schedule: Schedule, delay: string): Schedule {
  return Object.assign({}, schedule, { delay });
}

/** A moment that has passed since is still the same moment, so the past is not refused here. */
function meansTheSame(written: ScheduleInput, present: Present, now: Date): boolean {
  if (written === null || present.schedule === null) return written === present.schedule;
  const before = present.schedule as { at?: string; delay?: string };
  const context = { now: now.getTime(), graceMs: Number.POSITIVE_INFINITY, anchor: present.createdAt.getTime() };
  const { delay, ...rest } = written;
  if (delay !== undefined && (before.delay === undefined || parseDuration(before.delay) !== parseDuration(delay)))
    return false;
  const checked = validateSchedule(delay === undefined ? written : { ...rest, at: before.at! }, context);
  return checked.ok && isDeepStrictEqual(checked.schedule, withoutDelay(present.schedule));
}

/** Throws all that is wrong with it. */
export function checkedSchedule(
  written: ScheduleInput,
  { now, anchor, graceMs }: { now: Date; anchor: Date; graceMs: number },
): Schedule {
  const checked = validateSchedule(written, { now: now.getTime(), graceMs, anchor: anchor.getTime() });
  if (checked.ok) return checked.schedule;
  throw PunctualError.validation(
    checked.problems.map((problem) => ({
      ...problem,
      path: problem.path === "" ? "schedule" : `schedule.${problem.path}`,
    })),
  );
}
