// From counted minutes to rates and percentiles. The counts are written by the statements that write the ledger, so that
// what is shown here adds up to it.

import { z } from "zod";
import { durationWithin } from "../contract/duration.ts";
import { percentiles } from "../core/histogram.ts";
import { FINAL_STATES } from "../core/states.ts";
import type { StatsWindow } from "../store/port/instance.ts";

const MINUTE_MS = 60_000;
const RATE_MINUTES = [1, 5, 15] as const;
export const RATES_WINDOW_MS = 15 * MINUTE_MS;

export const statsWindow = durationWithin({ min: "1m", max: "90d" })
  .default("1h")
  .describe("how far back, such as 1h, 24h or 7d");

const percentilesSchema = z.object({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});
const span = { window: z.string(), from: z.iso.datetime(), to: z.iso.datetime() };
const perMinutes = z.object({ "1m": z.number(), "5m": z.number(), "15m": z.number() });

export const jobStatsSchema = z.object({
  ...span,
  states: z.record(z.string(), z.int()),
  complete: z.boolean().describe("false if only the latest executions of the window were looked at"),
  durationMs: percentilesSchema,
  latenessMs: percentilesSchema,
});

export const statsSchema = z.object({
  ...span,
  totals: z.record(z.string(), z.int()).describe("instants by final state, and attempts made"),
  ratePerSecond: perMinutes.describe("executions finished a second"),
  errorRate: perMinutes.describe("share of the executions run that ended failed or unknown"),
  durationMs: percentilesSchema,
  latenessMs: percentilesSchema,
  deadLetters: z.int().describe("open ones"),
});

/** Whole minutes, the present one included. */
export function windowOf(now: Date, lengthMs: number): StatsWindow {
  const to = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  return { from: new Date(Math.max(0, to - MINUTE_MS - lengthMs)), to: new Date(to) };
}

interface Count {
  measure: string;
  bucket: number;
  n: number;
}

export function totalsOf(counts: readonly Count[]) {
  const sum = (measure: string) =>
    counts.reduce((total, count) => (count.measure === measure ? total + count.n : total), 0);
  return {
    totals: { ...Object.fromEntries(FINAL_STATES.map((state) => [state, sum(state)])), attempts: sum("attempt") },
    durationMs: percentiles(counts.filter(({ measure }) => measure === "duration")),
    latenessMs: percentiles(counts.filter(({ measure }) => measure === "lateness")),
  };
}

/** Over the last 1, 5 and 15 whole minutes and what has passed of the present one. */
export function ratesOf(counts: readonly (Count & { minute: Date })[], now: Date) {
  const rate: Record<string, number> = {};
  const errors: Record<string, number> = {};
  for (const minutes of RATE_MINUTES) {
    const from = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS;
    const within = counts.filter(({ minute }) => minute.getTime() >= from);
    const sum = (...states: string[]) =>
      within.reduce((total, { measure, n }) => (states.includes(measure) ? total + n : total), 0);
    const run = sum("succeeded", "failed", "unknown");
    rate[`${minutes}m`] = rounded(
      sum("succeeded", "failed", "unknown", "cancelled") / ((now.getTime() - from) / 1_000),
    );
    errors[`${minutes}m`] = run === 0 ? 0 : rounded(sum("failed", "unknown") / run);
  }
  return { ratePerSecond: rate, errorRate: errors };
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
