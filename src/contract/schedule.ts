import { z } from "zod";
import { durationWithin } from "./duration-schema.ts";
import { isWithinYears } from "./years.ts";

/** The smallest interval of `every`. */
const EVERY_MIN = "1s";
/** The longest cron expression that is looked at. */
export const CRON_MAX_LENGTH = 256;
/** Time zone names are short; what is longer is not looked up. */
const TIMEZONE_MAX_LENGTH = 64;
/** What a 32-bit column holds. */
const MAX_RUNS_MAX = 2_147_483_647;

/** The name of a time zone; whether there is such a zone is looked up where it is used. */
export const timezoneName = z.string().min(1).max(TIMEZONE_MAX_LENGTH);

const KINDS = ["cron", "every", "at", "delay"] as const;
const FIELDS = [...KINDS, "timezone", "dst", "startsAt", "endsAt", "maxRuns"] as const;
/** What people write who come from elsewhere. */
const MEANT: Readonly<Record<string, string>> = {
  tz: "timezone",
  timeZone: "timezone",
  time_zone: "timezone",
  expression: "cron",
  interval: "every",
  start: "startsAt",
  startAt: "startsAt",
  starts_at: "startsAt",
  end: "endsAt",
  endAt: "endsAt",
  ends_at: "endsAt",
  max_runs: "maxRuns",
  limit: "maxRuns",
  runAt: "at",
};

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/;

/** A time as written by people: an instant, or what a clock shows somewhere (then `offsetMinutes` is null). */
export interface WrittenTime {
  /** Milliseconds since the epoch, as if the clock stood in UTC. */
  readonly wallMs: number;
  readonly offsetMinutes: number | null;
}

/** Reads `2026-12-01T09:00:00+01:00`, or without the offset; null for everything else. Cut to milliseconds. */
export function parseTime(text: string): WrittenTime | null {
  const match = INSTANT.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as [number, number, number, number, number];
  const second = Number(match[6] ?? 0);
  const millisecond = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  // Date.UTC carries 30 February over into March, and takes the years 0 to 99 for the 1900s: both are mistakes here.
  const date = new Date(wallMs);
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month - 1 || date.getUTCFullYear() !== year) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const offsetMinutes = match[8] === undefined ? null : readOffset(match[8]);
  return Number.isNaN(offsetMinutes) ? null : { wallMs, offsetMinutes };
}

function readOffset(text: string): number {
  if (text === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(-2));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

function fitsTheYears({ wallMs, offsetMinutes }: WrittenTime): boolean {
  return isWithinYears(wallMs - (offsetMinutes ?? 0) * 60_000);
}

const time = z
  .string()
  .refine((text) => parseTime(text) !== null, {
    error: (issue) =>
      `"${String(issue.input).slice(0, 60)}" is not a time: write it as 2026-12-01T09:00:00+01:00, or without the offset beside a "timezone"`,
    abort: true,
  })
  .refine((text) => fitsTheYears(parseTime(text)!), {
    error: (issue) => `"${issue.input}" is not in the years 1970 to 9999`,
  })
  .meta({ examples: ["2026-12-01T09:00:00+01:00"] });

/**
 * The `schedule` of a job: when it fires. Exactly one of `cron`, `every`, `at` and `delay`, or null for a job that only
 * runs when triggered. Here only the shape is looked at; what it means is the business of `core/schedule`.
 */
export const scheduleInput = z
  .strictObject(
    {
      cron: z.string().optional(),
      every: durationWithin({ min: EVERY_MIN }).optional(),
      at: time.optional(),
      delay: durationWithin({}).optional(),
      timezone: timezoneName.optional(),
      dst: z
        .strictObject({ gap: z.enum(["shift", "skip"]).optional(), fold: z.enum(["first", "both"]).optional() })
        .optional(),
      startsAt: time.optional(),
      endsAt: time.optional(),
      maxRuns: z.int().min(1).max(MAX_RUNS_MAX).optional(),
    },
    {
      error: (issue) => {
        if (issue.code === "unrecognized_keys") return unknownFields(issue.keys as string[]);
        if (issue.code !== "invalid_type") return undefined;
        return `write an object with one of ${KINDS.map((kind) => `"${kind}"`).join(", ")}, or null for a job that only runs when triggered`;
      },
    },
  )
  .superRefine((input, context) => {
    const report = (path: string[], code: string, message: string) =>
      context.addIssue({ code: "custom", path, message, params: { code } });
    const [kind, ...others] = KINDS.filter((name) => input[name] !== undefined);
    if (kind === undefined) {
      report([], "kind_missing", "needs one of cron, every, at and delay");
    } else if (others.length > 0) {
      report([], "kind_ambiguous", `has ${[kind, ...others].join(" and ")}: keep one of them`);
    }
    if (input.dst !== undefined && kind !== "cron") {
      report(["dst"], "not_allowed", `goes with "cron" only: nothing else depends on what a clock shows`);
    }
    for (const field of ["at", "startsAt", "endsAt"] as const) {
      const text = input[field];
      if (text === undefined || input.timezone !== undefined || parseTime(text)?.offsetMinutes !== null) continue;
      const remedy = `write "${text}Z" or "${text}+01:00", or put a "timezone" beside it`;
      report([field], "offset_missing", `"${text}" has no offset: ${remedy}`);
    }
  })
  .meta({ oneOf: KINDS.map((kind) => ({ required: [kind] })) })
  .nullable()
  .meta({
    description: "When a job fires: exactly one of cron, every, at and delay; null for jobs that are only triggered.",
  });

export type ScheduleInput = z.infer<typeof scheduleInput>;

function unknownFields(keys: readonly string[]): string {
  const meant = keys.map((key) =>
    Object.hasOwn(MEANT, key) ? `"${key}" (did you mean "${MEANT[key]}"?)` : `"${key}"`,
  );
  return `unknown field ${meant.join(", ")}: a schedule has ${FIELDS.join(", ")}`;
}

export interface ScheduleBounds {
  /** The first instant that may fire. */
  readonly startsAt?: string;
  /** The first instant that may no longer fire. */
  readonly endsAt?: string;
  /** How many scheduled executions there will be at most. */
  readonly maxRuns?: number;
}

export interface CronSchedule extends ScheduleBounds {
  readonly cron: string;
  readonly timezone: string;
  readonly dst: { readonly gap: "shift" | "skip"; readonly fold: "first" | "both" };
}

interface IntervalSchedule extends ScheduleBounds {
  readonly every: string;
  /** Only shown: intervals know no zone. */
  readonly timezone?: string;
}

interface OneTimeSchedule extends ScheduleBounds {
  readonly at: string;
  /** Only shown: the instant is fixed. */
  readonly timezone?: string;
}

/** A schedule as it is stored and returned: checked, defaults filled in, all times as instants in UTC. */
export type Schedule = CronSchedule | IntervalSchedule | OneTimeSchedule | null;
