import { z } from "zod";
import { durationWithin } from "./duration-schema.ts";
import { number } from "./parameters.ts";
import { span } from "./stats.ts";

export const failingJobsQuery = z.strictObject({
  window: durationWithin({ min: "1m", max: "90d" }).default("24h").describe("how far back, such as 1h, 24h or 7d"),
  limit: number({ min: 1, max: 100, preset: 10 }),
});

export const failingJobSchema = z.object({
  jobId: z.uuid(),
  jobName: z.string(),
  failed: z.int().describe("executions that ended failed or unknown"),
  executionId: z.uuid().describe("the latest of them"),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe("of the latest"),
  at: z.iso.datetime().describe("when the latest ended"),
});
export type FailingJob = z.infer<typeof failingJobSchema>;

/** The jobs with the most executions that failed, most first. */
export const failingJobsSchema = z.object({
  ...span,
  complete: z.boolean().describe("false if only the latest failures of the window were looked at"),
  items: z.array(failingJobSchema),
});
export type FailingJobs = z.infer<typeof failingJobsSchema>;
