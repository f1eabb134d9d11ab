import type { JobRecent } from "punctual/client";

export type StripRun = JobRecent["runs"][number];

/** As many as the server tells of. */
export const SLOTS = 20;
/** What took no time is still to be seen. */
const HEIGHT_MIN = 0.25;
/** Of what has no length, because it never ran or still runs. */
const HEIGHT_WITHOUT = 0.4;
/** Within this factor below the longest, lengths differ to the eye; a few milliseconds more or less are no news. */
const FACTOR_MIN = 8;

/**
 * How high each bar is, from 0 to 1: the longest fills the strip, and the scale is logarithmic, so that one run of an hour
 * leaves those of a second visible. A run without a length stands low.
 */
export function barHeights(runs: readonly StripRun[]): number[] {
  const lengths = runs.flatMap(({ durationMs }) => (durationMs === null ? [] : [Math.max(1, durationMs)]));
  const longest = Math.max(1, ...lengths);
  const floor = Math.min(longest / FACTOR_MIN, ...lengths);
  return runs.map(({ durationMs }) => {
    if (durationMs === null) return HEIGHT_WITHOUT;
    const share = Math.log(Math.max(1, durationMs) / floor) / Math.log(longest / floor);
    return HEIGHT_MIN + (1 - HEIGHT_MIN) * share;
  });
}

/** The strip in a sentence. A skipped stretch counts as the runs that it stands for. */
export function stripSentence(runs: readonly StripRun[]): string {
  const newest = runs.at(-1);
  if (newest === undefined) return "No runs yet";
  if (runs.length === 1) return `One run so far: ${stateWords(newest.state)}`;
  const counts = new Map<StripRun["state"], number>();
  for (const { state, count } of runs) counts.set(state, (counts.get(state) ?? 0) + count);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...counts].toSorted(([, a], [, b]) => b - a).map(([state, count]) => `${count} ${stateWords(state)}`);
  return `Last ${total} runs: ${parts.join(", ")}; the newest ${stateWords(newest.state)}`;
}

export function stateWords(state: StripRun["state"]): string {
  if (state === "unknown") return "with unknown result";
  return state === "scheduled" ? "waiting" : state;
}
