import { z } from "zod";
import { duration } from "./duration-schema.ts";
import { executionSchema } from "./execution.ts";
import { type JobRecent, jobRecentSchema } from "./job-recent.ts";
import { type Json, jsonValue, text } from "./json.ts";
import { type Schedule, scheduleInput } from "./schedule.ts";
import { statusPattern, type Target, targetSchema } from "./target.ts";

export const JOB_STATES = ["active", "paused", "completed", "deleted"] as const;
export type JobState = (typeof JOB_STATES)[number];

export const OVERLAP_POLICIES = ["allow", "skip", "queue_one", "queue_all", "cancel_previous"] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

export const PRIORITY_DEFAULT = 50;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const jobNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    "must start with a letter or digit and have only letters, digits, . _ - (at most 128)",
  )
  .refine((name) => !UUID.test(name), "must not look like a UUID, because ids and names are used in the same places");

export const prioritySchema = z.int().min(0).max(100);

export const retrySchema = z.strictObject({
  maxAttempts: z.int().min(1).max(100).default(3),
  backoff: z.enum(["exponential", "linear", "fixed"]).default("exponential"),
  initialDelay: duration.default("1s"),
  multiplier: z.number().min(1).max(10).default(2),
  maxDelay: duration.default("1h"),
  jitter: z.boolean().default(true),
  maxElapsed: duration.nullable().default(null),
  on: z
    .array(
      z.union([z.enum(["timeout", "network"]), statusPattern], {
        error: 'is not "timeout", "network", a status or a class such as "5xx"',
      }),
    )
    .max(64)
    .default(["timeout", "network", "408", "425", "429", "5xx"]),
});
export type RetryPolicy = z.infer<typeof retrySchema>;

export const misfireSchema = z.strictObject({
  policy: z.enum(["fire_once", "fire_all", "skip"]).default("fire_once"),
  grace: duration.nullable().default(null),
  limit: z.int().min(1).max(1000).default(100),
  window: duration.default("24h"),
});
export type MisfirePolicy = z.infer<typeof misfireSchema>;

const fields = {
  description: text(4096).default(""),
  tags: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/, "must be 1 to 64 letters, digits or . _ : / -"))
    .max(32)
    .default([])
    .transform((tags) => [...new Set(tags)]),
  schedule: scheduleInput.default(null),
  target: targetSchema,
  payload: jsonValue.default({}),
  priority: prioritySchema.default(PRIORITY_DEFAULT),
  timeout: duration.default("5m"),
  delivery: z.enum(["at_least_once", "at_most_once"]).default("at_least_once"),
  retry: retrySchema.prefault({}),
  overlap: z.enum(OVERLAP_POLICIES).default("skip"),
  misfire: misfireSchema.prefault({}),
  retainFor: duration.default("7d").describe("one-time jobs: how long after completion they are kept"),
};

/** What a client may write. `name` is checked for presence later: one-time jobs may leave it out. */
export const jobInputSchema = z.strictObject({ name: jobNameSchema.optional(), ...fields });
export type JobInput = z.infer<typeof jobInputSchema>;

/** Fields a client reads and may write back unchanged; they are ignored. */
export const READ_ONLY_FIELDS = [
  "id",
  "version",
  "state",
  "pause",
  "source",
  "drifted",
  "scheduleDescription",
  "nextFireAt",
  "lastExecution",
  "lastExecutions",
  "recent",
  "warnings",
  "createdAt",
  "updatedAt",
] as const;

/** A job as it is stored in a version: all defaults filled in, schedule normalised. */
export interface JobSpec extends Omit<JobInput, "name" | "schedule"> {
  name: string;
  schedule: Schedule;
  target: Target;
  payload: Json;
}

/** Where a job is declared: a file, an application, anything that says what its jobs are. */
export const sourceSchema = text(128).regex(
  /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/,
  "must start with a letter or digit and have only letters, digits, . _ : / -, such as file:billing",
);

const instant = z.iso.datetime({ offset: true });

export const pauseSchema = z.object({
  reason: z.string().nullable(),
  by: z.string().nullable(),
  at: instant,
  until: instant.nullable(),
});
export type Pause = z.infer<typeof pauseSchema>;

export const warningSchema = z.object({ code: z.string(), message: z.string() });
export type Warning = z.infer<typeof warningSchema>;

/** What a client reads. */
export const jobSchema = z.object({
  ...jobInputSchema.shape,
  id: z.uuid(),
  name: z.string(),
  version: z.int(),
  state: z.enum(JOB_STATES),
  pause: pauseSchema.nullable(),
  source: z.string().nullable().describe("the declaration it belongs to, such as file:billing; null: made by hand"),
  drifted: z.boolean().describe("it belongs to a source, and was last changed from elsewhere"),
  scheduleDescription: z.string().describe("the schedule in a sentence"),
  nextFireAt: instant.nullable(),
  lastExecution: executionSchema.nullable(),
  lastExecutions: z.array(executionSchema).optional(),
  recent: jobRecentSchema.optional(),
  warnings: z.array(warningSchema),
  createdAt: instant,
  updatedAt: instant,
});

export interface Job extends JobSpec {
  id: string;
  version: number;
  state: JobState;
  pause: Pause | null;
  source: string | null;
  drifted: boolean;
  scheduleDescription: string;
  nextFireAt: string | null;
  lastExecution: z.infer<typeof executionSchema> | null;
  lastExecutions?: z.infer<typeof executionSchema>[];
  recent?: JobRecent;
  warnings: Warning[];
  createdAt: string;
  updatedAt: string;
}
