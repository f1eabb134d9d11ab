import { z } from "zod";
import type { Json } from "./json.ts";

export const EXECUTION_STATES = [
  "scheduled",
  "running",
  "retrying",
  "succeeded",
  "failed",
  "cancelled",
  "skipped",
  "unknown",
] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

export const TRIGGERS = ["schedule", "manual", "retry"] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const ATTEMPT_OUTCOMES = ["succeeded", "failed", "timed_out", "lost", "cancelled"] as const;

/** Why an execution is in its state, for people and for programs. */
export const reasonSchema = z.object({ code: z.string(), message: z.string() });
export type Reason = z.infer<typeof reasonSchema>;

/** What went wrong in an attempt: `code` groups (timeout, network, http_status, template, egress_denied…). */
export const attemptErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  stack: z.string().optional().describe("of a handler's error"),
  cause: z.string().optional().describe("what a handler's error was caused by"),
});
export type AttemptError = z.infer<typeof attemptErrorSchema>;

const instant = z.iso.datetime({ offset: true });
const jsonField = z.unknown() as unknown as z.ZodType<Json>;

export const attemptSchema = z.object({
  number: z.int(),
  outcome: z.enum(ATTEMPT_OUTCOMES).nullable().describe("null while it runs"),
  jobVersion: z.int(),
  startedAt: instant,
  finishedAt: instant.nullable(),
  error: attemptErrorSchema.nullable(),
  node: z.string().nullable(),
  worker: z.string().nullable(),
  request: z.object({ method: z.string(), url: z.string() }).nullable(),
  response: z
    .object({
      status: z.int(),
      headers: z.record(z.string(), z.string()),
      body: z.string().nullable(),
      truncated: z.boolean(),
    })
    .nullable(),
  timings: z
    .object({
      dnsMs: z.number(),
      connectMs: z.number(),
      tlsMs: z.number(),
      firstByteMs: z.number(),
      totalMs: z.number(),
    })
    .nullable(),
});
export type Attempt = z.infer<typeof attemptSchema>;

export const executionSchema = z.object({
  id: z.uuid(),
  jobId: z.uuid(),
  jobName: z.string(),
  jobVersion: z.int(),
  trigger: z.enum(TRIGGERS),
  scheduledAt: instant.describe("the instant of the schedule; for triggers their runAt"),
  scheduledUntil: instant.nullable().describe("the last instant of a skipped stretch"),
  count: z.int().describe("instants covered by this row; 1 unless it is a skipped stretch"),
  runAt: instant,
  state: z.enum(EXECUTION_STATES),
  reason: reasonSchema.nullable(),
  priority: z.int(),
  attempt: z.int(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  latenessMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  payload: jsonField.optional(),
  result: jsonField.optional(),
  error: attemptErrorSchema.nullable(),
  progress: jsonField.nullable(),
  logLines: z.int().describe("lines in its log"),
  key: z.string().nullable(),
  retryOf: z.uuid().nullable(),
  triggeredBy: z.string().nullable(),
  createdAt: instant,
  attempts: z.array(attemptSchema).optional(),
});
export type Execution = z.infer<typeof executionSchema>;
