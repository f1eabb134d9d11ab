import type { TimelinePlanned, TimelineSpan } from "../../contract/timeline.ts";
import type { SteppedWindow } from "./stats.ts";

/** What there is of a job in a window. */
export interface LaneRecord {
  /** Oldest first; those that began in one step and ended alike are one. */
  spans: TimelineSpan[];
  /** What is in the queue for later, by step, soonest first. */
  queued: TimelinePlanned[];
  /** All instants of the schedule up to here are among them. */
  plannedUntil: Date;
  /** Scheduled executions so far, of which some schedules have a number. */
  runs: number;
  /** False if there were more executions than were looked at: what is counted is the least there were. */
  complete: boolean;
}

export interface TimelineStore {
  /** By job, in one look, so that nothing is in two places; what is in the queue for after `now` is planned. */
  lanes(
    projectId: string,
    jobIds: readonly string[],
    window: SteppedWindow & { now: Date },
  ): Promise<Map<string, LaneRecord>>;
}
