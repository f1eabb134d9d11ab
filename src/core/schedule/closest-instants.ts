import type { Schedule } from "../../contract/schedule.ts";
import { timetable } from "./timetable.ts";

/** Two in a row this far ahead are rare; a schedule's habits show long before. */
const LOOKED_AT_MAX = 500;

/** The two instants in a row that are closest, of the coming few hundred; null of a schedule with fewer than two. */
export function closestInstants(
  schedule: Schedule,
  { anchorMs, afterMs }: { anchorMs: number; afterMs: number },
): { at: number; gapMs: number } | null {
  const instants = timetable(schedule, anchorMs);
  const most = Math.min(schedule?.maxRuns ?? LOOKED_AT_MAX, LOOKED_AT_MAX);
  let closest: { at: number; gapMs: number } | null = null;
  let at = instants.next(afterMs);
  for (let looked = 1; at !== null && looked < most; looked += 1) {
    const next = instants.next(at);
    if (next !== null && (closest === null || next - at < closest.gapMs)) closest = { at, gapMs: next - at };
    at = next;
  }
  return closest;
}
