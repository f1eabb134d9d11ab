// From counted minutes to rates and percentiles. The counts are written by the statements that write the ledger, so that
// what is shown here adds up to it.

import { LATE_AFTER_MS, MINUTES_KEPT_MS } from "../contract/stats.ts";
import { countAbove, percentiles } from "../core/histogram.ts";
import { FINAL_STATES, type FinalState } from "../core/states.ts";
import type { StatsWindow } from "../store/port/stats.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RATE_MINUTES = [1, 5, 15] as const;
export const RATES_WINDOW_MS = 15 * MINUTE_MS;

/** Whole minutes, the present one included; from a whole hour on where only hours are known. */
export function windowOf(now: Date, lengthMs: number): StatsWindow {
  const to = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const step = lengthMs > MINUTES_KEPT_MS ? HOUR_MS : MINUTE_MS;
  const from = Math.floor((to - MINUTE_MS - lengthMs) / step) * step;
  return { from: new Date(Math.max(0, from)), to: new Date(to) };
}

/** Which window an answer is about. */
export function spanOf(window: string, { from, to }: StatsWindow) {
  return { window, from: from.toISOString(), to: to.toISOString() };
}

export interface Count {
  measure: string;
  bucket: number;
  n: number;
}

export function totalsOf(counts: readonly Count[]) {
  const sum = (measure: string) =>
    counts.reduce((total, count) => (count.measure === measure ? total + count.n : total), 0);
  const lateness = counts.filter(({ measure }) => measure === "lateness");
  return {
    totals: {
      ...(Object.fromEntries(FINAL_STATES.map((state) => [state, sum(state)])) as Record<FinalState, number>),
      attempts: sum("attempt"),
      late: countAbove(lateness, LATE_AFTER_MS),
    },
    durationMs: percentiles(counts.filter(({ measure }) => measure === "duration")),
    latenessMs: percentiles(lateness),
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
