import { z } from "zod";
import { durationWithin } from "./duration-schema.ts";

/** Finished executions are counted by the minute for so long; what is older only by the hour. */
export const MINUTES_KEPT_MS = 48 * 3_600_000;

/** A run that started so long after its instant was late. */
export const LATE_AFTER_MS = 1_000;

export const statsQuery = z.strictObject({
  window: durationWithin({ min: "1m", max: "90d" }).default("1h").describe("how far back, such as 1h, 24h or 7d"),
});

export const percentiles = z.object({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});
/** Every answer about a window says which it was. */
export const span = { window: z.string(), from: z.iso.datetime(), to: z.iso.datetime() };
const perMinutes = z.object({ "1m": z.number(), "5m": z.number(), "15m": z.number() });

export const jobStatsSchema = z.object({
  ...span,
  states: z.record(z.string(), z.int()),
  complete: z.boolean().describe("false if only the latest executions of the window were looked at"),
  durationMs: percentiles,
  latenessMs: percentiles,
});
export type JobStats = z.infer<typeof jobStatsSchema>;

export const statsSchema = z.object({
  ...span,
  totals: z.record(z.string(), z.int()).describe("instants by final state, attempts made, and runs that were late"),
  lateAfterMs: z.int().describe("so long after its instant a run was late; counted to a few per cent"),
  ratePerSecond: perMinutes.describe("executions finished a second"),
  errorRate: perMinutes.describe("share of the executions run that ended failed or unknown"),
  durationMs: percentiles,
  latenessMs: percentiles,
  deadLetters: z.int().describe("open ones"),
});
export type Stats = z.infer<typeof statsSchema>;
