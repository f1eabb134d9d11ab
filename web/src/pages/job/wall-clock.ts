// What a clock shows somewhere, and the instant that is. People write times as the clock beside them shows it; the server takes
// instants.

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The instant at which the zone's clock shows `2026-11-15T22:30`: the first if it does twice, the one after the gap if never. */
export function instantAt(written: string, zone: string): Date | null {
  const match = WRITTEN.exec(written);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0));
  const wall = Date.UTC(year!, month! - 1, day, hour, minute, second);
  // Zones change by a few hours at most: what holds a day before and after are all the offsets that can be meant.
  const offsets = [wall - 24 * HOUR_MS, wall + 24 * HOUR_MS].map((near) => offsetAt(near, zone));
  const fitting = offsets.map((offset) => wall - offset).filter((at) => at + offsetAt(at, zone) === wall);
  return new Date(fitting.length > 0 ? Math.min(...fitting) : wall - Math.min(...offsets));
}

/** What the zone's clock shows, as a field for date and time takes it: 2026-11-15T22:30. */
export function wallText(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetAt(at.getTime(), zone)).toISOString().slice(0, 16);
}

/** From when to when it is that date there: 23 hours on some days, 25 on others. */
export function dayBounds(date: string, zone: string): { from: Date; to: Date } | null {
  const from = instantAt(`${date}T00:00`, zone);
  if (from === null) return null;
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 24 * HOUR_MS).toISOString().slice(0, 10);
  return { from, to: instantAt(`${next}T00:00`, zone)! };
}

function offsetAt(at: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<Intl.DateTimeFormatPartTypes, number>;
  const shown = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return Math.round((shown - at) / MINUTE_MS) * MINUTE_MS;
}
