import { z } from "zod";
import { durationWithin } from "./duration-schema.ts";
import { number } from "./parameters.ts";
import { percentiles, span } from "./stats.ts";

const points = number({ min: 10, max: 500, preset: 60 }).describe(
  "into how many steps the window is divided, about: steps are whole minutes, beyond 48 hours whole hours",
);

/** What a series of the project takes. */
export const seriesQuery = z.strictObject({
  window: durationWithin({ min: "1m", max: "90d" }).default("1h").describe("how far back, such as 1h, 24h or 7d"),
  points,
});

/** What a series of one job takes. */
export const jobSeriesQuery = z.strictObject({
  window: durationWithin({ min: "1m", max: "90d" }).default("24h").describe("how far back, such as 1h, 24h or 7d"),
  points,
});

export const seriesPointSchema = z.object({
  at: z.iso.datetime().describe("when the step begins"),
  succeeded: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  skipped: z.int().describe("instants"),
  unknown: z.int(),
  late: z.int().describe("started a second or more after their instant"),
  durationMs: percentiles,
  latenessMs: percentiles,
});
export type SeriesPoint = z.infer<typeof seriesPointSchema>;

const series = {
  ...span,
  stepMs: z.int().describe("how long each step is"),
  points: z.array(seriesPointSchema).describe("oldest first, every step, also those in which nothing happened"),
};

export const statsSeriesSchema = z.object(series);
export type StatsSeries = z.infer<typeof statsSeriesSchema>;

export const jobSeriesSchema = z.object({
  ...series,
  complete: z
    .boolean()
    .describe(
      "false if there are too many to look at: then percentiles and late are of the latest of each step, and counts are at least so many",
    ),
});
export type JobSeries = z.infer<typeof jobSeriesSchema>;
