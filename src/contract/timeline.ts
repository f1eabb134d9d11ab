import { z } from "zod";
import { EXECUTION_STATES } from "./execution.ts";
import { JOB_STATES } from "./job.ts";
import { jobListQuery } from "./job-list.ts";
import { instant, pageQuery } from "./parameters.ts";

/** A timeline is at most so long. */
export const TIMELINE_MAX_MS = 7 * 24 * 3_600_000;

/** What a timeline takes. */
export const timelineQuery = z.strictObject({
  from: instant.optional().describe("default: 18 hours ago, or 24 hours before `to`"),
  to: instant.optional().describe("excluded; default: in 6 hours, or 24 hours after `from`; at most 7 days after it"),
  q: jobListQuery.shape.q,
  tag: jobListQuery.shape.tag.describe("of the job"),
  state: jobListQuery.shape.state.describe("of the job; default: all but deleted"),
  ...pageQuery,
});

const time = z.iso.datetime();

export const timelineSpanSchema = z.object({
  from: time.describe("when it started; skipped: its instant; waiting to be started: when it was due"),
  to: time.nullable().describe("when it ended; null if it has not"),
  state: z.enum(EXECUTION_STATES),
  count: z.int().describe("executions, or skipped instants, that began within one step and are shown as one"),
  executionId: z.uuid().describe("the newest of them"),
  reason: z.string().nullable().describe("the code of why: what was skipped differs by overlap, misfire, paused…"),
});
export type TimelineSpan = z.infer<typeof timelineSpanSchema>;

export const timelinePlannedSchema = z.object({
  from: time.describe("the first instant"),
  to: time.describe("the last; the same if it is one"),
  count: z.int().describe("instants that lie within one step and are shown as one"),
});
export type TimelinePlanned = z.infer<typeof timelinePlannedSchema>;

export const timelineLaneSchema = z.object({
  jobId: z.uuid(),
  jobName: z.string(),
  jobState: z.enum(JOB_STATES),
  scheduleDescription: z.string().describe("the schedule in a sentence"),
  complete: z
    .boolean()
    .describe(
      "false if there are more executions than are counted: of the older ones a step shows one, and counts are at least so many",
    ),
  spans: z.array(timelineSpanSchema).describe("what ran, runs, waits or was skipped, oldest first"),
  planned: z.array(timelinePlannedSchema).describe("what is to come, soonest first"),
});
export type TimelineLane = z.infer<typeof timelineLaneSchema>;

/** Jobs by name, each with what it did and what it will do. */
export const timelineSchema = z.object({
  from: time,
  to: time,
  now: time.describe("the database's time: what is before it has happened"),
  stepMs: z.int().describe("executions that began within one step are shown as one"),
  items: z.array(timelineLaneSchema),
  nextCursor: z.string().nullable(),
});
export type Timeline = z.infer<typeof timelineSchema>;
