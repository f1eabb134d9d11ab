import { parseDuration } from "../contract/duration.ts";
import type { JobSpec } from "../contract/job.ts";
import { jobHash } from "./ids.ts";
import { laneOf } from "./lane.ts";
import { type Timetable, timetable } from "./schedule/timetable.ts";

/** A version of a job made ready for planning: what would otherwise be parsed again for every fire. */
export interface CompiledJob {
  id: string;
  version: number;
  spec: JobSpec;
  timetable: Timetable;
  hash: string;
  lane: string;
  graceMs: number | null;
  windowMs: number;
  maxRuns: number;
}

export function compileJob(id: string, version: number, spec: JobSpec, createdAt: Date): CompiledJob {
  return {
    id,
    version,
    spec,
    timetable: timetable(spec.schedule, createdAt.getTime()),
    hash: jobHash(id),
    lane: laneOf(spec.target),
    graceMs: spec.misfire.grace === null ? null : parseDuration(spec.misfire.grace),
    windowMs: parseDuration(spec.misfire.window),
    maxRuns: spec.schedule?.maxRuns ?? Number.POSITIVE_INFINITY,
  };
}

/** The zone that decides a job's instants, or null where none does. */
export function zoneOf(spec: JobSpec): string | null {
  return spec.schedule !== null && "cron" in spec.schedule && spec.schedule.timezone !== "UTC"
    ? spec.schedule.timezone
    : null;
}
