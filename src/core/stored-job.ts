import type { JobInput, JobSpec } from "../contract/job.ts";
import { storedSchedule } from "./schedule/stored-schedule.ts";

/** A job as it is before a change. */
export interface PresentJob {
  spec: JobSpec;
  createdAt: Date;
}

/** All fields of a new job, or of one that is there. `name` is what it is called if whoever wrote it gave it no name. */
export function replacement(
  input: JobInput,
  name: (current: string | null) => string,
): (current: PresentJob | null, now: Date) => JobSpec {
  return (current, now) => {
    const present = current && { schedule: current.spec.schedule, createdAt: current.createdAt };
    return {
      ...input,
      name: input.name ?? name(current?.spec.name ?? null),
      schedule: storedSchedule(input.schedule, input.misfire, present, now),
    };
  };
}
