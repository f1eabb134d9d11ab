import { StoredChoice, useChoice } from "./stored-choice.ts";

/** Places that have been renamed, though a browser may list them by the name before only: nobody there looks for that one. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** As it is called today, if the browser knows that name. */
function currentName(zone: string): string {
  const current = RENAMED[zone];
  if (current === undefined) return zone;
  try {
    Intl.DateTimeFormat("en-GB", { timeZone: current });
    return current;
  } catch {
    return zone;
  }
}

export const LOCAL_ZONE = currentName(Intl.DateTimeFormat().resolvedOptions().timeZone);
export const ALL_ZONES: readonly string[] = [
  ...new Set(["UTC", ...Intl.supportedValuesOf("timeZone").map(currentName).sort()]),
];

/** In which zone times are shown; "local" is the browser's. It is read here and now, so the zones have to be known by now. */
export const zoneChoice = new StoredChoice<string>("zone", "local", isZone);

function isZone(value: string): value is string {
  return value === "local" || ALL_ZONES.includes(value);
}

/** The zone as a name that everybody understands. */
export function useZone(): string {
  const chosen = useChoice(zoneChoice);
  return chosen === "local" ? LOCAL_ZONE : chosen;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = FORMATS.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", ...options });
  FORMATS.set(key, made);
  return made;
}

const DAY = { year: "numeric", month: "short", day: "2-digit" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;

/** Sun, 15 Nov 2026, 22:09:14 Europe/Berlin. */
export function absoluteText(at: Date, zone: string): string {
  return `${formatOf(zone, { weekday: "short", ...DAY, ...CLOCK }).format(at)} ${zone}`;
}

/** 15 Nov, 22:09:14; with the year where it is another. */
export function shortText(at: Date, zone: string): string {
  const sameYear = at.getFullYear() === new Date().getFullYear();
  return formatOf(zone, { month: "short", day: "2-digit", ...CLOCK, ...(sameYear ? {} : { year: "numeric" }) }).format(
    at,
  );
}

/** 22:09, for the axis of a chart. */
export function clockText(at: Date, zone: string): string {
  return formatOf(zone, { hour: "2-digit", minute: "2-digit" }).format(at);
}

/** 22:09:14.123. */
export function preciseClockText(at: Date, zone: string): string {
  return formatOf(zone, { ...CLOCK, fractionalSecondDigits: 3 }).format(at);
}

/** 15 Nov. */
export function dayText(at: Date, zone: string): string {
  return formatOf(zone, { month: "short", day: "2-digit" }).format(at);
}

/** The offset that holds in a zone at a time: UTC+01:00. Nothing for a zone that the browser does not know. */
export function offsetText(zone: string, at: Date): string {
  try {
    const parts = formatOf(zone, { timeZoneName: "longOffset" }).formatToParts(at);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    return name === "GMT" ? "UTC+00:00" : name.replace("GMT", "UTC");
  } catch {
    return "";
  }
}

/** Whether the browser knows the zone: it knows more names than it lists. */
export function isKnownZone(zone: string): boolean {
  return offsetText(zone, new Date(0)) !== "";
}
