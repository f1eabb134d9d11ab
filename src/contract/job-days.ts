import { z } from "zod";
import { number } from "./parameters.ts";
import { timezoneName } from "./schedule.ts";

export const jobDaysQuery = z.strictObject({
  timezone: timezoneName.default("UTC").describe("whose days they are, such as Europe/Berlin"),
  days: number({ min: 1, max: 366, preset: 91 }).describe("how many, today included"),
});

export const jobDaySchema = z.object({
  date: z.iso.date().describe("in the zone"),
  succeeded: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  skipped: z.int().describe("instants"),
  unknown: z.int(),
  complete: z.boolean().describe("false if the day has more than are counted: then there are at least so many"),
});
export type JobDay = z.infer<typeof jobDaySchema>;

/** What became of a job's executions, day by day. */
export const jobDaysSchema = z.object({
  timezone: z.string(),
  complete: z.boolean().describe("whether every day is"),
  items: z.array(jobDaySchema).describe("every day, oldest first"),
});
export type JobDays = z.infer<typeof jobDaysSchema>;
