import { parseDuration } from "../contract/duration.ts";
import type { JobSpec, OverlapPolicy } from "../contract/job.ts";
import { jobHash } from "./ids.ts";
import { laneOf } from "./lane.ts";
import { type Timetable, timetable } from "./schedule/timetable.ts";

/** What planning needs of a version of a job, made ready: what would otherwise be parsed again for every fire. */
export interface CompiledSchedule {
  id: string;
  projectId: string;
  version: number;
  timetable: Timetable;
  hash: string;
  lane: string;
  priority: number;
  overlap: OverlapPolicy;
  misfire: { policy: JobSpec["misfire"]["policy"]; limit: number; graceMs: number | null; windowMs: number };
  maxRuns: number;
}

/** The same with all that the version says. */
export interface CompiledJob extends CompiledSchedule {
  spec: JobSpec;
  timeoutMs: number;
}

interface JobIdentity {
  id: string;
  projectId: string;
  createdAt: Date;
}

export function compileSchedule(job: JobIdentity, version: number, spec: JobSpec): CompiledSchedule {
  const { policy, limit, grace, window } = spec.misfire;
  return {
    id: job.id,
    projectId: job.projectId,
    version,
    timetable: timetable(spec.schedule, job.createdAt.getTime()),
    hash: jobHash(job.id),
    lane: laneOf(spec.target),
    priority: spec.priority,
    overlap: spec.overlap,
    misfire: { policy, limit, graceMs: grace === null ? null : parseDuration(grace), windowMs: parseDuration(window) },
    maxRuns: spec.schedule?.maxRuns ?? Number.POSITIVE_INFINITY,
  };
}

export function compileJob(job: JobIdentity, version: number, spec: JobSpec): CompiledJob {
  return { ...compileSchedule(job, version, spec), spec, timeoutMs: parseDuration(spec.timeout) };
}

/** The zone that decides a job's instants, or null where none does. */
export function zoneOf(spec: JobSpec): string | null {
  return spec.schedule !== null && "cron" in spec.schedule && spec.schedule.timezone !== "UTC"
    ? spec.schedule.timezone
    : null;
}
