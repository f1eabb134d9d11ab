// What a file says once for all its jobs. A job's own word always wins.

type Fields = Record<string, unknown>;

/** Fields of a job that may stand under `defaults`, beside `timezone`. */
export const DEFAULT_FIELDS = [
  "timezone",
  "tags",
  "target",
  "payload",
  "priority",
  "timeout",
  "delivery",
  "retry",
  "overlap",
  "misfire",
  "retainFor",
] as const;

/** Fields whose own fields are merged one by one, instead of being replaced as a whole. */
const MERGED = ["retry", "misfire"];
const MERGED_IN_TARGET = ["headers", "query", "env"];

export function withDefaults(job: Fields, { timezone, tags, target, ...defaults }: Fields): Fields {
  const merged: Fields = { ...defaults, ...job };
  for (const field of MERGED) {
    const both = bothFields(defaults[field], job[field]);
    if (both !== null) merged[field] = both;
  }
  if (tags !== undefined) merged.tags = allTags(tags, job.tags);
  if (target !== undefined) merged.target = targetWithDefaults(target, job.target);
  if (timezone !== undefined && needsZone(job.schedule)) merged.schedule = { ...(job.schedule as Fields), timezone };
  return merged;
}

/** A default for web calls says nothing about a job that is a command. */
function targetWithDefaults(common: unknown, own: unknown): unknown {
  if (own === undefined) return common;
  if (!isFields(common) || !isFields(own)) return own;
  if (own.type !== undefined && common.type !== undefined && own.type !== common.type) return own;
  const merged: Fields = { ...common, ...own };
  for (const field of MERGED_IN_TARGET) {
    const both = bothFields(common[field], own[field]);
    if (both !== null) merged[field] = both;
  }
  return merged;
}

function bothFields(common: unknown, own: unknown): Fields | null {
  return isFields(common) && isFields(own) ? { ...common, ...own } : null;
}

function allTags(common: unknown, own: unknown): unknown {
  if (own === undefined) return common;
  return Array.isArray(common) && Array.isArray(own) ? [...new Set([...common, ...own])] : own;
}

/** Only what a clock shows needs to know where the clock hangs: cron expressions, and times without an offset. */
function needsZone(schedule: unknown): boolean {
  if (!isFields(schedule) || schedule.timezone !== undefined) return false;
  const isLocal = (time: unknown) => typeof time === "string" && !/(Z|[+-]\d\d:?\d\d)$/.test(time);
  return schedule.cron !== undefined || [schedule.at, schedule.startsAt, schedule.endsAt].some(isLocal);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
