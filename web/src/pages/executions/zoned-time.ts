// What a field for date and time holds is a clock's face without a zone. Here it is read in the zone that the page shows.

/** 2026-11-15T22:09, as the clocks in the zone show it. */
export function fieldText(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetMs(at.getTime(), zone)).toISOString().slice(0, 16);
}

/** The moment at which clocks in the zone show it; the earlier one where they show it twice. null: it is no time. */
export function momentOf(text: string, zone: string): Date | null {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  // The offset half a day before and after: at most one change lies between them.
  const candidates = [-1, 1].map((side) => asUtc - offsetMs(asUtc + side * 43_200_000, zone));
  const fitting = candidates.filter((ms) => ms + offsetMs(ms, zone) === asUtc);
  // Where clocks skip it, nobody ever saw it: the offset before the change counts, as for schedules.
  return new Date(fitting.length > 0 ? Math.min(...fitting) : candidates[0]!);
}

function offsetMs(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(ms);
  const [year, month, day, hour, minute, second] = (["year", "month", "day", "hour", "minute", "second"] as const).map(
    (type) => Number(parts.find((part) => part.type === type)!.value),
  ) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}
