// Figures over time: a window in steps, and a point for each of them, also for those in which nothing happened, so that whoever
// draws a line need not know which are missing.

import type { SeriesPoint } from "../contract/series.ts";
import { MINUTES_KEPT_MS } from "../contract/stats.ts";
import type { JobStep, SteppedWindow } from "../store/port/stats.ts";
import { type Count, totalsOf } from "./stats-view.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NONE = { p50: null, p95: null, p99: null };

/**
 * The window in about so many steps, the present one included. Steps are whole minutes, or hours where only hours are known,
 * and begin at multiples of their length: a minute later most of them are the same.
 */
export function steppedWindow(now: Date, lengthMs: number, points: number): SteppedWindow {
  const unit = lengthMs > MINUTES_KEPT_MS ? HOUR_MS : MINUTE_MS;
  const stepMs = Math.max(1, Math.ceil(lengthMs / points / unit)) * unit;
  const begin = (ms: number) => Math.floor(ms / stepMs) * stepMs;
  const from = Math.max(0, begin(now.getTime() - lengthMs));
  return { from: new Date(from), to: new Date(begin(now.getTime()) + stepMs), stepMs };
}

/** Of a project, from what was counted. */
export function pointsOf(window: SteppedWindow, counts: readonly (Count & { at: Date })[]): SeriesPoint[] {
  const steps = new Map<number, Count[]>();
  for (const count of counts) {
    const at = count.at.getTime();
    const step = steps.get(at);
    if (step === undefined) steps.set(at, [count]);
    else step.push(count);
  }
  return everyStep(window, (at) => {
    const { totals, durationMs, latenessMs } = totalsOf(steps.get(at) ?? []);
    const { attempts: _, ...states } = totals;
    return { ...states, durationMs, latenessMs };
  });
}

/** Of a job, from what its ledger says of some of the steps. */
export function jobPointsOf(window: SteppedWindow, found: readonly JobStep[]): SeriesPoint[] {
  const steps = new Map(found.map(({ at, ...step }) => [at.getTime(), step]));
  const empty = { succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unknown: 0, late: 0 };
  return everyStep(window, (at) => steps.get(at) ?? { ...empty, durationMs: NONE, latenessMs: NONE });
}

function everyStep(
  { from, to, stepMs }: SteppedWindow,
  pointAt: (at: number) => Omit<SeriesPoint, "at">,
): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += stepMs)
    points.push({ at: new Date(at).toISOString(), ...pointAt(at) });
  return points;
}
