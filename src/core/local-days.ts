import { SECONDS_PER_DAY } from "./cron/wall.ts";
import type { Zone } from "./cron/zone.ts";

/** A day as the clocks of a zone have it: 23 or 25 hours long when they change. */
export interface LocalDay {
  /** `2026-11-15`. */
  date: string;
  from: Date;
  /** Excluded. */
  to: Date;
}

/** The last days of a zone up to the one in which a moment lies, oldest first. */
export function localDays(zone: Zone, now: Date, count: number): LocalDay[] {
  const second = Math.floor(now.getTime() / 1_000);
  const today = Math.floor((second + zone.at(second).offset) / SECONDS_PER_DAY);
  const first = today - count + 1;
  const midnights = Array.from({ length: count + 1 }, (_, n) => midnightOf(zone, first + n));
  return midnights.slice(0, count).map((from, n) => ({
    date: new Date((first + n) * SECONDS_PER_DAY * 1_000).toISOString().slice(0, 10),
    from: new Date(from * 1_000),
    to: new Date(midnights[n + 1]! * 1_000),
  }));
}

/** The first second of a day. One that a zone left out when it crossed the date line ends where it begins. */
function midnightOf(zone: Zone, day: number): number {
  return zone.secondOf(day * SECONDS_PER_DAY) ?? midnightOf(zone, day + 1);
}
