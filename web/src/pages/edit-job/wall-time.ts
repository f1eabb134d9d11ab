// Times as a clock on the wall of a zone shows them, which is how a person writes them.

const OFFSET = /(Z|[+-]\d\d:?\d\d)$/;

/** What a clock in the zone shows, as a field for date and time takes it: 2026-12-01T09:00, with seconds if there are any. */
export function wallText(written: string, zone: string): string {
  if (!OFFSET.test(written)) return short(written);
  const at = new Date(written);
  if (Number.isNaN(at.getTime())) return "";
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? "";
  return short(
    `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}`,
  );
}

function short(text: string): string {
  return text.replace(/\.\d+$/, "").replace(/^(.{16}):00$/, "$1");
}

/** The offset that holds in a zone at a time: UTC+01:00. Nothing for a zone that the browser does not know. */
export function offsetText(zone: string, at: Date): string {
  try {
    const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    return name === "GMT" ? "UTC+00:00" : name.replace("GMT", "UTC");
  } catch {
    return "";
  }
}

/** Whether the browser knows the zone. */
export function isKnownZone(zone: string): boolean {
  return offsetText(zone, new Date(0)) !== "";
}

/** Of an instant as the server shows it on the schedule's own clock: weekday and date, clock, and offset. */
export function localParts(local: string): { day: string; clock: string; offset: string } {
  const offset = OFFSET.exec(local)?.[0] ?? "";
  const wall = local.slice(0, local.length - offset.length);
  const day = DAY.format(new Date(`${wall.slice(0, 10)}T00:00:00Z`));
  return { day, clock: short(wall).slice(11), offset: offset === "" ? "" : `UTC${offset === "Z" ? "+00:00" : offset}` };
}

const DAY = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  weekday: "short",
  day: "2-digit",
  month: "short",
  year: "numeric",
});
