import { zoneNamed } from "../cron/zone.ts";

/** Names in daily use that `Intl` takes but does not list, as it lists older names of the same zones. */
const NEWER_NAMES = [
  "UTC",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Ho_Chi_Minh",
  "Asia/Yangon",
  "Europe/Kyiv",
  "America/Nuuk",
  "America/Argentina/Buenos_Aires",
  "Atlantic/Faroe",
  "Pacific/Kanton",
];

const SUGGESTIONS_MAX = 3;

/** What to say of a name that is not a time zone, with the names that come near it. */
export function unknownZone(name: string): string {
  const near = nearZones(name);
  const hint =
    near.length > 0
      ? `did you mean ${near.map((zone) => `"${zone}"`).join(" or ")}?`
      : `write an IANA name such as "Europe/Berlin" or "UTC"`;
  return `"${name}" is not a time zone: ${hint}`;
}

function nearZones(name: string): string[] {
  const wanted = plain(name);
  const allowed = Math.max(1, Math.floor(wanted.length / 4));
  return [...NEWER_NAMES, ...Intl.supportedValuesOf("timeZone")]
    .map((zone) => ({ zone, distance: Math.min(distance(wanted, plain(zone)), distance(wanted, city(zone))) }))
    .filter((candidate) => candidate.distance <= allowed && zoneNamed(candidate.zone) !== null)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS_MAX)
    .filter((candidate, _, [best]) => candidate.distance === best!.distance)
    .map((candidate) => candidate.zone);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[ _-]/g, "");
}

/** People leave out the continent. */
function city(zone: string): string {
  return plain(zone.slice(zone.lastIndexOf("/") + 1));
}

/** How many characters must be changed, added or left out (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
