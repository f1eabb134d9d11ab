// From what the store has of each job to the lanes of a timeline, and what is still to come of their schedules.

import { PunctualError } from "../contract/errors.ts";
import { TIMELINE_MAX_MS, type TimelineLane, type TimelinePlanned } from "../contract/timeline.ts";
import { YEARS_END_MS } from "../contract/years.ts";
import { describe } from "../core/schedule/describe.ts";
import { plannedSteps } from "../core/schedule/planned-steps.ts";
import { timetable } from "../core/schedule/timetable.ts";
import type { JobRecord } from "../store/port/jobs.ts";
import type { SteppedWindow } from "../store/port/stats.ts";
import type { LaneRecord } from "../store/port/timeline.ts";

const HOUR_MS = 3_600_000;
const BEFORE_MS = 18 * HOUR_MS;
const AFTER_MS = 6 * HOUR_MS;
/** More than a screen has room to tell apart. */
const STEPS = 288;
const STEP_MIN_MS = 1_000;

export type TimelineWindow = SteppedWindow & { now: Date };

/** The window that was asked for; what was left unsaid makes it a day long. */
export function timelineWindow(asked: { from?: Date | undefined; to?: Date | undefined }, now: Date): TimelineWindow {
  const length = BEFORE_MS + AFTER_MS;
  const said = asked.from ?? (asked.to && new Date(Math.max(0, asked.to.getTime() - length)));
  const from = said ?? new Date(now.getTime() - BEFORE_MS);
  const to = asked.to ?? new Date(Math.min(from.getTime() + length, YEARS_END_MS - 1));
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs <= 0) throw refused("must be after from", to);
  if (lengthMs > TIMELINE_MAX_MS) throw refused("must be at most 7 days after from", to);
  return { from, to, now, stepMs: Math.max(STEP_MIN_MS, Math.ceil(lengthMs / STEPS)) };
}

function refused(message: string, to: Date): PunctualError {
  const details = [{ path: "to", code: "out_of_range", message, value: to.toISOString() }];
  return new PunctualError("validation_failed", `to: ${message}`, { details });
}

export function laneView(job: JobRecord, lane: LaneRecord, window: TimelineWindow): TimelineLane {
  return {
    jobId: job.id,
    jobName: job.spec.name,
    jobState: job.state,
    scheduleDescription: describe(job.spec.schedule),
    complete: lane.complete,
    spans: lane.spans,
    planned: merged([...lane.queued, ...comingOf(job, lane, window)], window.stepMs),
  };
}

/** The instants that are not in the queue yet. Those of a job that is paused will not run. */
function comingOf(job: JobRecord, { plannedUntil, runs }: LaneRecord, window: TimelineWindow): TimelinePlanned[] {
  if (job.state !== "active") return [];
  const { schedule } = job.spec;
  const steps = plannedSteps(timetable(schedule, job.createdAt.getTime()), {
    after: Math.max(plannedUntil.getTime(), window.now.getTime(), window.from.getTime() - 1),
    until: window.to.getTime(),
    stepMs: window.stepMs,
    runsLeft: schedule?.maxRuns === undefined ? null : schedule.maxRuns - runs,
  });
  return steps.map(({ first, last, count }) => ({
    from: new Date(first).toISOString(),
    to: new Date(last).toISOString(),
    count,
  }));
}

/** What is in the queue and what is not may lie in one step. */
function merged(planned: readonly TimelinePlanned[], stepMs: number): TimelinePlanned[] {
  const steps = new Map<number, TimelinePlanned>();
  for (const each of planned) {
    const step = Math.floor(Date.parse(each.from) / stepMs);
    const other = steps.get(step);
    steps.set(step, other === undefined ? each : together(other, each));
  }
  return [...steps].toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

/** Times in this form sort as text. */
function together(a: TimelinePlanned, b: TimelinePlanned): TimelinePlanned {
  return { from: a.from < b.from ? a.from : b.from, to: a.to > b.to ? a.to : b.to, count: a.count + b.count };
}
