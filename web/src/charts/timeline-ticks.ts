import { clockText, dayText } from "../ui/zone.ts";
import type { TimelineView } from "./timeline-marks.ts";

export interface Tick {
  at: number;
  x: number;
  label: string;
  /** Midnight: it has the date instead of the clock. */
  isDay: boolean;
}

const MINUTE_MS = 60_000;
/** Every zone is a whole number of quarters of an hour away from UTC. */
const QUARTER_MS = 15 * MINUTE_MS;
const STEPS_MIN = [15, 30, 60, 120, 180, 360, 720, 1_440];
/** A label and the space around it. */
const LABEL_PX = 50;

/** Round times on the clocks of the zone, as close together as their labels allow. On days that are not 24 hours long too. */
export function ticksOf({ from, to, width }: Omit<TimelineView, "now">, zone: string): Tick[] {
  if (width <= 0) return [];
  const scale = width / (to - from);
  const step = STEPS_MIN.find((minutes) => minutes * MINUTE_MS * scale >= LABEL_PX) ?? STEPS_MIN.at(-1)!;
  const ticks: Tick[] = [];
  for (let at = Math.ceil(from / QUARTER_MS) * QUARTER_MS; at < to; at += QUARTER_MS) {
    const clock = clockText(new Date(at), zone);
    const minutes = Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
    if (minutes % step !== 0) continue;
    const isDay = minutes === 0;
    ticks.push({ at, x: (at - from) * scale, label: isDay ? dayText(new Date(at), zone) : clock, isDay });
  }
  return ticks;
}
