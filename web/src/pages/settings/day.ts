// A day as a person means it: from midnight to midnight of the zone that times are shown in.

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** 2026-11-15, as fields for dates give it. */
export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return DAY.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** When the day begins in the zone; in a zone that skips its midnight, the first moment after. */
export function startOfDay(day: string, zone: string): Date {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  const first = wanted - offsetMs(wanted, zone);
  // Between that guess and the midnight itself the zone may have changed its clocks.
  const second = wanted - offsetMs(first, zone);
  return new Date(first === second ? first : Math.max(first, second));
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** How far the zone's clock is ahead of UTC. */
function offsetMs(at: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}
