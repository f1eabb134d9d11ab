import type { Timetable } from "./timetable.ts";

export interface PlannedStep {
  /** The first instant of the step, and the last. */
  first: number;
  last: number;
  count: number;
}

export interface PlannedStretch {
  /** Instants after this one… */
  after: number;
  /** …and before this one. */
  until: number;
  stepMs: number;
  /** How many more there may be; null if there is no limit. */
  runsLeft: number | null;
}

/**
 * The instants of a stretch of time, those that lie in one step taken together. It looks at each step once and counts what is
 * in it, so that a schedule that fires every second costs no more than one that fires every step.
 */
export function plannedSteps(table: Timetable, { after, until, stepMs, runsLeft }: PlannedStretch): PlannedStep[] {
  const steps: PlannedStep[] = [];
  let left = runsLeft ?? Number.POSITIVE_INFINITY;
  let first = table.next(after);
  while (first !== null && first < until && left > 0) {
    const end = Math.min(until, (Math.floor(first / stepMs) + 1) * stepMs);
    const next = table.next(first);
    const alone = next === null || next >= end;
    const step = alone ? { first, last: first, count: 1 } : crowdedStep(table, first, end, left);
    steps.push(step);
    left -= step.count;
    first = alone ? next : table.next(end - 1);
  }
  return steps;
}

function crowdedStep(table: Timetable, first: number, end: number, left: number): PlannedStep {
  const count = table.count(first - 1, end - 1);
  if (count <= left) return { first, last: table.previous(end)!, count };
  let last = first;
  for (let n = 1; n < left; n += 1) last = table.next(last)!;
  return { first, last, count: left };
}
