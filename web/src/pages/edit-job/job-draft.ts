// The job as it stands in the form. It is the very object that would be sent: the fields of the form and the JSON beside them are
// two ways to write it, and what only the JSON has, right or wrong, stays in it until the server has judged it.

import type { Job, Json } from "punctual/client";

export type JobDraft = { readonly [field: string]: Json };

/** What a person may write, in the order in which they think of it. */
const WRITTEN = [
  "name",
  "description",
  "tags",
  "schedule",
  "target",
  "payload",
  "retry",
  "overlap",
  "misfire",
  "timeout",
  "priority",
  "delivery",
  "retainFor",
] as const satisfies readonly (keyof Job)[];

/** What holds where nothing is written. The server fills it in; the form shows it. */
export const PRESETS: JobDraft = {
  description: "",
  tags: [],
  schedule: null,
  payload: {},
  priority: 50,
  timeout: "5m",
  delivery: "at_least_once",
  retry: {
    maxAttempts: 3,
    backoff: "exponential",
    initialDelay: "1s",
    multiplier: 2,
    maxDelay: "1h",
    jitter: true,
    maxElapsed: null,
    on: ["timeout", "network", "408", "425", "429", "5xx"],
  },
  overlap: "skip",
  misfire: { policy: "fire_once", grace: null, limit: 100, window: "24h" },
  retainFor: "7d",
};

export const TARGET_PRESETS: Record<TargetType, JobDraft> = {
  http: {
    type: "http",
    method: "POST",
    headers: {},
    query: {},
    timeout: "30s",
    connectTimeout: "10s",
    successOn: ["2xx"],
    completion: "response",
  },
  worker: { type: "worker" },
  shell: { type: "shell", args: [], env: {}, successOn: [0] },
};

/** Of a cron schedule, when the clocks are changed. */
export const CLOCK_PRESETS: JobDraft = { gap: "shift", fold: "first" };

export const TARGET_TYPES = ["http", "worker", "shell"] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** What a new job begins with: complete but for its name and whom to call. */
export function newDraft(timezone: string): JobDraft {
  return {
    schedule: { cron: "*/5 * * * *", timezone },
    target: { type: "http", method: "POST", url: "" },
    payload: {},
  };
}

export function draftOf(job: Job): JobDraft {
  return Object.fromEntries(WRITTEN.map((field) => [field, job[field] as Json]));
}

/** The fields in their usual order, and behind them those that are none. */
export function inOrder(draft: JobDraft): JobDraft {
  const known = WRITTEN.filter((field) => Object.hasOwn(draft, field)).map((field) => [field, draft[field]!] as const);
  return { ...Object.fromEntries(known), ...draft };
}

/** The same job under a name of its own. */
export function copyOf(job: Job): JobDraft {
  return { ...draftOf(job), name: `${job.name}-copy` };
}

/** The value at a path such as `retry.maxAttempts`; undefined if there is none. */
export function valueAt(draft: Json | undefined, path: string): Json | undefined {
  let value = draft;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as JobDraft)[part];
  }
  return value;
}

/** The draft with another value at the path, or with none. What is on the way to it is made. */
export function withValue(draft: JobDraft, path: string, value: Json | undefined): JobDraft {
  const [first, ...rest] = path.split(".") as [string, ...string[]];
  const inner = rest.length === 0 ? value : withValue(objectOf(draft[first]), rest.join("."), value);
  const next: Record<string, Json> = { ...draft };
  if (inner === undefined) delete next[first];
  else next[first] = inner;
  return next;
}

function objectOf(value: Json | undefined): JobDraft {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export function targetTypeOf(draft: JobDraft): TargetType | null {
  return TARGET_TYPES.find((type) => type === valueAt(draft, "target.type")) ?? null;
}

/** When the job runs, as the form tells the kinds apart. */
export const SCHEDULE_KINDS = ["cron", "every", "at", "manual"] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

/** Null for what is no schedule that the form knows. */
export function scheduleKindOf(schedule: Json | undefined): ScheduleKind | null {
  if (schedule === null || schedule === undefined) return "manual";
  return SCHEDULE_KINDS.find((kind) => kind !== "manual" && valueAt(schedule, kind) !== undefined) ?? null;
}

/** Whether two values say the same; the order of fields says nothing. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && sameJson((one as JobDraft)[key], (other as JobDraft)[key]));
}
