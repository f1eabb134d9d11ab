import { parseDuration } from "../../contract/duration.ts";
import { parseTime, type Schedule, type ScheduleBounds, type ScheduleInput } from "../../contract/schedule.ts";
import { isWithinYears } from "../../contract/years.ts";
import { parseCron } from "../cron/parse.ts";
import { type Zone, zoneNamed } from "../cron/zone.ts";
import { timetable } from "./timetable.ts";
import { unknownZone } from "./zone-names.ts";

interface ScheduleProblem {
  /** Within the schedule, such as `cron`. */
  readonly path: string;
  readonly code:
    | "invalid_cron"
    | "unknown_timezone"
    | "nonexistent_time"
    | "out_of_range"
    | "in_the_past"
    | "ends_before_start"
    | "never_fires";
  readonly message: string;
  readonly value: unknown;
}

export type CheckedSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly problems: readonly ScheduleProblem[] };

export interface ScheduleContext {
  readonly now: number;
  /** How far in the past `at` may be. */
  readonly graceMs: number;
  /** The creation of the job, which is now for a new one. */
  readonly anchor: number;
}

/** From what was asked for to what is stored, or all reasons why not. The shape has been checked by the contract. */
export function validateSchedule(input: ScheduleInput, context: ScheduleContext): CheckedSchedule {
  if (input === null) return { ok: true, schedule: null };
  const problems: ScheduleProblem[] = [];
  const schedule = normalise(input, context, problems);
  if (problems.length === 0) problems.push(...emptiness(schedule, context));
  return problems.length === 0 ? { ok: true, schedule } : { ok: false, problems };
}

type Input = NonNullable<ScheduleInput>;

function normalise(
  input: Input,
  { now, graceMs }: ScheduleContext,
  problems: ScheduleProblem[],
): NonNullable<Schedule> {
  const zone = zoneNamed(input.timezone ?? "UTC");
  if (zone === null) report(problems, "timezone", "unknown_timezone", unknownZone(input.timezone!), input.timezone);
  const bounds = readBounds(input, zone, problems);
  const shownIn = input.timezone === undefined ? {} : { timezone: input.timezone };
  if (input.cron !== undefined) {
    const parsed = parseCron(input.cron);
    if (!parsed.ok) report(problems, "cron", "invalid_cron", parsed.problem.message, input.cron);
    const dst = { gap: input.dst?.gap ?? "shift", fold: input.dst?.fold ?? "first" };
    return { cron: input.cron.trim(), timezone: input.timezone ?? "UTC", dst, ...bounds };
  }
  if (input.every !== undefined) return { every: input.every, ...shownIn, ...bounds };
  if (input.delay !== undefined) return { at: iso(now + parseDuration(input.delay)), ...shownIn, ...bounds };
  const at = readTime("at", input.at!, zone, problems);
  if (at !== null && at < now - graceMs) {
    report(problems, "at", "in_the_past", `"${input.at}" is in the past: it is ${iso(now)} now`, input.at);
  }
  return { at: iso(at ?? now), ...shownIn, ...bounds };
}

function readBounds(input: Input, zone: Zone | null, problems: ScheduleProblem[]): ScheduleBounds {
  const startsAt = input.startsAt === undefined ? null : readTime("startsAt", input.startsAt, zone, problems);
  const endsAt = input.endsAt === undefined ? null : readTime("endsAt", input.endsAt, zone, problems);
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    const message = `"${input.endsAt}" is not after startsAt, "${input.startsAt}"`;
    report(problems, "endsAt", "ends_before_start", message, input.endsAt);
  }
  return {
    ...(startsAt === null ? {} : { startsAt: iso(startsAt) }),
    ...(endsAt === null ? {} : { endsAt: iso(endsAt) }),
    ...(input.maxRuns === undefined ? {} : { maxRuns: input.maxRuns }),
  };
}

function readTime(path: string, text: string, zone: Zone | null, problems: ScheduleProblem[]): number | null {
  const { wallMs, offsetMinutes } = parseTime(text)!;
  if (offsetMinutes === null && zone === null) return null;
  const ms = offsetMinutes !== null ? wallMs - offsetMinutes * 60_000 : instantOf(wallMs, zone!);
  if (ms === null) {
    const message = `"${text}" does not exist in ${zone!.name}: the clock was moved past the rest of that day`;
    report(problems, path, "nonexistent_time", message, text);
  } else if (!isWithinYears(ms)) {
    report(problems, path, "out_of_range", `"${text}" is not in the years 1970 to 9999`, text);
    return null;
  }
  return ms;
}

function instantOf(wallMs: number, zone: Zone): number | null {
  const wall = Math.floor(wallMs / 1_000);
  const second = zone.secondOf(wall);
  if (second === null) return null;
  // A time in a gap becomes the instant after it, which has no fraction of its own.
  const shows = second + zone.at(second).offset === wall;
  return second * 1_000 + (shows ? wallMs - wall * 1_000 : 0);
}

/** A schedule without a single instant is a mistake that would otherwise never be noticed. */
function emptiness(schedule: NonNullable<Schedule>, { anchor }: ScheduleContext): ScheduleProblem[] {
  const from = "at" in schedule ? Number.NEGATIVE_INFINITY : anchor;
  if (timetable(schedule, anchor).next(from) !== null) return [];
  const [kind, text] = kindOf(schedule);
  const message = `${kind} "${text}" never fires ${when(schedule)}`;
  if (schedule.endsAt !== undefined) return [{ path: "endsAt", code: "never_fires", message, value: schedule.endsAt }];
  return [{ path: kind, code: "never_fires", message, value: text }];
}

function kindOf(schedule: NonNullable<Schedule>): [kind: string, text: string] {
  if ("cron" in schedule) return ["cron", schedule.cron];
  return "every" in schedule ? ["every", schedule.every] : ["at", schedule.at];
}

function when(schedule: NonNullable<Schedule>): string {
  const { startsAt, endsAt } = schedule;
  if (startsAt !== undefined) return endsAt === undefined ? `after ${startsAt}` : `from ${startsAt} until ${endsAt}`;
  if (endsAt !== undefined) return `before ${endsAt}`;
  // The parser has seen to it that dates exist, and gaps are made up for unless that is turned off.
  if ("cron" in schedule) return `in ${schedule.timezone} with dst.gap "skip": its times do not exist there`;
  return "before the year 10000";
}

function report(
  to: ScheduleProblem[],
  path: string,
  code: ScheduleProblem["code"],
  message: string,
  value: unknown,
): void {
  to.push({ path, code, message, value });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
