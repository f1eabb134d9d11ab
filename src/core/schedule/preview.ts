import type { CronSchedule, Schedule } from "../../contract/schedule.ts";
import type { SchedulePreview } from "../../contract/schedule-preview.ts";
import { lowestBit } from "../cron/bits.ts";
import type { Occurrences } from "../cron/occurrences.ts";
import { ANY_DAY, ANY_WEEKDAY, type CronSets, LAST_WORKDAY } from "../cron/sets.ts";
import { type Zone, zoneNamed } from "../cron/zone.ts";
import { noteOnInstant, notesOnYear } from "./clock-changes.ts";
import { describe } from "./describe.ts";
import { cronOccurrences, timetable } from "./timetable.ts";

/** Days that each month has in every year. */
const SHORTEST = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export interface PreviewOptions {
  /** The creation of the job; now for one that is not saved yet. */
  readonly anchor: number;
  /** Instants after this time are shown. */
  readonly after: number;
  readonly count: number;
  /** How many runs are left; null if there is no limit. */
  readonly maxRuns: number | null;
}

/** The coming instants of a checked schedule. */
export function preview(schedule: Schedule, { anchor, after, count, maxRuns }: PreviewOptions): SchedulePreview {
  const occurrences = schedule !== null && "cron" in schedule ? cronOccurrences(schedule) : null;
  const zone = zoneNamed(schedule?.timezone ?? "UTC")!;
  const table = timetable(schedule, anchor);
  const instants: SchedulePreview["instants"] = [];
  let instant = table.next(after);
  while (instant !== null && instants.length < Math.min(count, maxRuns ?? count)) {
    const at = new Date(instant).toISOString();
    const note = occurrences === null ? null : noteOnInstant(occurrences, instant);
    instants.push({ at, scheduledAt: at, local: localTime(instant, zone), note });
    instant = table.next(instant);
  }
  const notes = occurrences === null ? [] : notesOn(occurrences, schedule as CronSchedule, after);
  return { instants, description: describe(schedule), notes };
}

function notesOn(occurrences: Occurrences, { startsAt, endsAt }: CronSchedule, after: number): string[] {
  const from = startsAt === undefined ? after : Math.max(after, Date.parse(startsAt) - 1);
  const end = endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endsAt);
  return [...notesOnDays(occurrences.cron), ...notesOnYear(occurrences, from, end)];
}

function notesOnDays(sets: CronSets): string[] {
  if ((sets.flags & (ANY_DAY | ANY_WEEKDAY)) === 0) {
    return ["Day of month and day of week are both given: it fires when either of them matches"];
  }
  if ((sets.flags & (ANY_DAY | LAST_WORKDAY)) !== 0 || sets.daysBeforeLast !== 0) return [];
  const first = lowestBit(sets.days | sets.nearestWeekdays) + 1;
  const tooShort = SHORTEST.some((length, index) => (sets.months >>> index) & 1 && length < first);
  return tooShort ? [`Months without a day ${first} are left out; "L" is the last day of any month`] : [];
}

/** `2026-03-29T03:00:00+02:00`. */
function localTime(ms: number, zone: Zone): string {
  const { offset } = zone.at(Math.floor(ms / 1_000));
  const wall = new Date(ms + offset * 1_000).toISOString().replace(/(?:\.000)?Z$/, "");
  const minutes = Math.floor(Math.abs(offset) / 60);
  const hours = Math.floor(minutes / 60);
  return `${wall}${offset < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(minutes - hours * 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
