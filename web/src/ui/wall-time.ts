// What a clock on the wall shows somewhere, and the instant that is. People write times as the clock beside them shows it, and
// fields for date and time hold just that; the server takes instants.

const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;
const OFFSET = /(Z|[+-]\d\d:?\d\d)$/;
const DAY_MS = 86_400_000;

/** The instant at which the zone's clock shows `2026-11-15T22:30`: the first if it does twice, the one after the gap if never. */
export function instantAt(written: string, zone: string): Date | null {
  const wall = WRITTEN.test(written) ? Date.parse(`${written}Z`) : Number.NaN;
  // A thirtieth of February would be read as one of the first days of March.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(written)) return null;
  // Zones change by a few hours at most: what holds a day before and after are all the offsets that can be meant.
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((near) => offsetAt(near, zone));
  const fitting = offsets.map((offset) => wall - offset).filter((at) => at + offsetAt(at, zone) === wall);
  return new Date(fitting.length > 0 ? Math.min(...fitting) : wall - Math.min(...offsets));
}

/** What the zone's clock shows, as a field for date and time takes it: 2026-11-15T22:30. */
export function wallText(at: Date, zone: string): string {
  return wallSeconds(at, zone).slice(0, 16);
}

/** The same of a time as somebody wrote it, with seconds if there are any. Written without an offset it already is such a time. */
export function wallTextOf(written: string, zone: string): string {
  if (!OFFSET.test(written)) return withoutNoSeconds(written);
  const at = new Date(written);
  return Number.isNaN(at.getTime()) ? "" : withoutNoSeconds(wallSeconds(at, zone));
}

/**
 * From when to when it is that date there: 23 hours on some days, 25 on others. In a zone that skips its midnight the day begins
 * with the first moment after. null: it is no date.
 */
export function dayBounds(date: string, zone: string): { from: Date; to: Date } | null {
  const from = instantAt(`${date}T00:00`, zone);
  if (from === null) return null;
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return { from, to: instantAt(`${next}T00:00`, zone)! };
}

/** Of an instant as the server shows it on the schedule's own clock: weekday and date, clock, and offset. */
export function localParts(local: string): { day: string; clock: string; offset: string } {
  const offset = OFFSET.exec(local)?.[0] ?? "";
  const wall = local.slice(0, local.length - offset.length);
  const day = DAY.format(new Date(`${wall.slice(0, 10)}T00:00:00Z`));
  const clock = withoutNoSeconds(wall).slice(11);
  return { day, clock, offset: offset === "" ? "" : `UTC${offset === "Z" ? "+00:00" : offset}` };
}

const DAY = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  weekday: "short",
  day: "2-digit",
  month: "short",
  year: "numeric",
});

function wallSeconds(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetAt(at.getTime(), zone)).toISOString().slice(0, 19);
}

function withoutNoSeconds(text: string): string {
  return text.replace(/\.\d+$/, "").replace(/^(.{16}):00$/, "$1");
}

/** How far the zone's clock is ahead of UTC. */
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
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}
