import { z } from "zod";
import { EXECUTION_STATES } from "./execution.ts";

/** As many runs as a strip in a list has room for. */
export const RECENT_RUNS = 20;
/** Over how many of its latest executions a job is judged. */
export const RECENT_FINAL = 100;

const instant = z.iso.datetime({ offset: true });

/** How a job has been doing of late, in little: for lists, which have many jobs. */
export const jobRecentSchema = z.object({
  runs: z
    .array(
      z.object({
        executionId: z.uuid(),
        state: z.enum(EXECUTION_STATES),
        scheduledAt: instant,
        durationMs: z.number().nullable(),
        latenessMs: z.number().nullable(),
        attempt: z.int(),
        count: z.int().describe("instants covered; 1 unless it is a skipped stretch"),
      }),
    )
    .describe(`the newest ${RECENT_RUNS}, oldest first, without those whose time has not come`),
  successRate: z
    .number()
    .nullable()
    .describe(
      `from 0 to 1: of those that ended in success, failure or doubt among the last ${RECENT_FINAL} final ones`,
    ),
  p95DurationMs: z.number().nullable().describe(`of the last ${RECENT_FINAL} final ones`),
  counted: z.int().describe("how many executions the success rate is of"),
});
export type JobRecent = z.infer<typeof jobRecentSchema>;
