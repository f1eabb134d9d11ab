import { z } from "zod";
import { jobNameSchema } from "./job.ts";
import { instant, number } from "./parameters.ts";
import { scheduleInput } from "./schedule.ts";

const COUNT_MAX = 1_000;
const COUNT_DEFAULT = 10;
const EXCLUSIVE = "exclusive; default: now";

export const previewInput = z.strictObject({
  schedule: scheduleInput,
  name: jobNameSchema.optional().describe("of the job, if it is there already: it is no crowd for itself"),
  from: instant.optional().describe(EXCLUSIVE),
  count: z.int().min(1).max(COUNT_MAX).default(COUNT_DEFAULT),
});

export const nextQuery = z.strictObject({
  from: instant.optional().describe(EXCLUSIVE),
  count: number({ min: 1, max: COUNT_MAX, preset: COUNT_DEFAULT }),
});

const time = z.iso.datetime();

/** The coming instants of a schedule, and what one may not expect of it. */
export const schedulePreviewSchema = z.object({
  instants: z.array(
    z.object({
      at: time.describe("when it will run"),
      scheduledAt: time.describe("the instant of the schedule that it stands for"),
      local: z.string().describe("what the clock shows in the schedule's zone"),
      note: z.string().nullable(),
    }),
  ),
  description: z.string().describe("the schedule in a sentence"),
  notes: z
    .array(z.string())
    .describe("which days match, what changes of the clock do, and whether many jobs come at once"),
});
export type SchedulePreview = z.infer<typeof schedulePreviewSchema>;
