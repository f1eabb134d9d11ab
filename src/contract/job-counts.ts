import { z } from "zod";
import { jobListQuery } from "./job-list.ts";

/** Jobs of one state are counted this far; beyond it the exact number helps nobody and costs everybody. */
export const JOB_COUNT_MAX = 50_000;
/** Where a text is looked for that is in no index, or in too many jobs, this many jobs of one state are looked through. */
export const JOB_SEARCH_MAX = 10_000;
/** The most used ones: a filter that offers more is not read. */
export const TAGS_MAX = 100;

const { tag, q, source } = jobListQuery.shape;

/** What a list of jobs takes, but for the state. */
export const jobCountsQuery = z.strictObject({ tag, q, source });

const state = z.int();
export const jobCountsSchema = z.object({
  active: state,
  paused: state,
  completed: state,
  deleted: state,
  tags: z
    .array(z.object({ tag: z.string(), jobs: z.int() }))
    .describe(`of jobs that are not deleted: the ${TAGS_MAX} most used, with how many jobs have each, most used first`),
  complete: z
    .boolean()
    .describe(
      `false if not all jobs were counted: of one state ${JOB_COUNT_MAX} at most, and ${JOB_SEARCH_MAX} are looked through for a common text`,
    ),
});
export type JobCounts = z.infer<typeof jobCountsSchema>;
