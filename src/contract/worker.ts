// What workers and nodes say to each other. Plain JSON over HTTP: docs/workers.md tells it without this program's types.

import { z } from "zod";
import { duration, durationWithin } from "./duration-schema.ts";
import { type Json, text } from "./json.ts";
import { logLineInput } from "./log.ts";
import { handlerNameSchema } from "./target.ts";
import { CLAIM_WAIT_MS_MAX, HANDLERS_MAX, SETTLE_MAX, WORKER_ID } from "./worker-rules.ts";

/** Chosen by the worker and kept while it lives. */
export const workerIdSchema = z.string().regex(WORKER_ID.pattern, WORKER_ID.rule);

const handlerOffer = z.strictObject({ name: handlerNameSchema, slots: z.int().min(1).max(10_000).default(1) });
export type HandlerOffer = z.infer<typeof handlerOffer>;

function refuseTwice(handlers: { name: string }[], context: z.core.$RefinementCtx<{ name: string }[]>): void {
  const names = handlers.map(({ name }) => name);
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      context.addIssue({ code: "custom", path: [index, "name"], message: `"${name}" is named twice` });
}

export const registrationSchema = z.strictObject({
  name: text(128).min(1).optional().describe("what people call it; default: its id"),
  handlers: z.array(handlerOffer).max(HANDLERS_MAX).superRefine(refuseTwice),
  lease: durationWithin({ min: "5s", max: "10m" })
    .optional()
    .describe("how long it is believed alive without a heartbeat; 5s to 10m, default 30s"),
});
export type Registration = z.infer<typeof registrationSchema>;
export const registeredSchema = z.object({ leaseMs: z.int(), heartbeatMs: z.int() });

export const claimSchema = z.strictObject({
  requestId: text(128).min(1).describe("chosen by the worker; the same again answers the same claim"),
  handlers: z
    .array(z.strictObject({ name: handlerNameSchema, free: z.int().min(0).max(10_000) }))
    .max(HANDLERS_MAX)
    .superRefine(refuseTwice),
  waitMs: z.int().min(0).max(CLAIM_WAIT_MS_MAX).default(0),
});

const instant = z.iso.datetime();

/** An execution as a worker gets it. */
export const handedOutSchema = z.object({
  id: z.uuid(),
  attempt: z.int(),
  token: z.string().describe("names the claim; everything said about the execution carries it"),
  handler: z.string(),
  payload: z.unknown() as unknown as z.ZodType<Json>,
  job: z.object({ id: z.uuid(), name: z.string(), version: z.int() }),
  trigger: z.string(),
  scheduledAt: instant,
  deadline: instant.describe("when the attempt's time is over, by the database's clock"),
  timeoutMs: z.int().describe("the same as a duration from the claim, for clocks that differ"),
  idempotencyKey: z.string().describe("the same for all attempts and retries of one execution"),
  traceparent: z.string(),
});
export type HandedOut = z.infer<typeof handedOutSchema>;
export const claimedSchema = z.object({ executions: z.array(handedOutSchema) });

const held = { id: z.uuid().toLowerCase(), token: text(128).min(1).toLowerCase() };

/** Any JSON. What of it cannot be kept is the matter of its execution alone, and no reason to refuse the others. */
const anyJson = z.unknown() as unknown as z.ZodType<Json>;

/** What a handler said. Mended, not refused: U+0000 and halves of surrogate pairs are replaced, what is too long is cut. */
const said = (max: number) =>
  z
    .string()
    .transform((value) => {
      const mended = value.replaceAll("\u0000", "\ufffd");
      return (mended.length <= max ? mended : `${mended.slice(0, max - 1)}…`).toWellFormed();
    })
    .describe(`cut after ${max} characters`);

export const heartbeatSchema = z.strictObject({
  executions: z
    .array(z.strictObject({ ...held, progress: anyJson.optional() }))
    .max(10_000)
    .default([]),
});
export const HEARTBEAT_STATUSES = ["ok", "cancel", "lost"] as const;
export const heartbeatAnswerSchema = z.object({
  items: z.array(z.object({ id: z.uuid(), status: z.enum(HEARTBEAT_STATUSES) })),
  drain: z.boolean().describe("take nothing more, finish, and leave"),
});

/** What went wrong in a handler. `stack` and `cause` are kept for whoever looks at the execution. */
export const handlerErrorSchema = z.strictObject({
  code: said(128).default("handler"),
  message: said(16_384),
  stack: said(32_768).optional(),
  cause: said(16_384).optional(),
});
export type HandlerError = z.infer<typeof handlerErrorSchema>;

/** `returned`: it was not begun, and is as if it had not been claimed. */
export const OUTCOMES = ["succeeded", "failed", "cancelled", "returned"] as const;

const settlement = z.strictObject({
  ...held,
  outcome: z.enum(OUTCOMES),
  result: anyJson.default(null),
  error: z
    .union([said(16_384).transform((message): HandlerError => ({ code: "handler", message })), handlerErrorSchema])
    .nullable()
    .default(null)
    .describe("what went wrong: a text, or code, message, stack and cause"),
  retryable: z.boolean().default(true),
  retryAfter: z
    .union([duration, z.number().min(0).max(86_400).describe("seconds")])
    .nullable()
    .default(null)
    .describe("when to try again: exactly this long from now"),
});
export type Settlement = z.infer<typeof settlement>;
/** How an attempt ended. */
export type Ended = Settlement & { outcome: Exclude<Settlement["outcome"], "returned"> };

export const settleSchema = z.strictObject({ items: z.array(settlement).max(SETTLE_MAX) });
export const settledSchema = z.object({
  items: z.array(
    z.object({
      id: z.uuid(),
      accepted: z.boolean(),
      reason: z.string().nullable().describe("why not: claim_lost"),
    }),
  ),
});

export const workerLogsSchema = z.strictObject({
  items: z.array(z.strictObject({ ...held, lines: z.array(logLineInput).max(5_000) })).max(1_000),
});
export const logsAcceptedSchema = z.object({ accepted: z.int(), dropped: z.int() });

export const workerSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["remote", "library"]),
  handlers: z.array(z.object({ name: z.string(), slots: z.int() })),
  running: z.int(),
  alive: z.boolean(),
  draining: z.boolean(),
  startedAt: instant,
  renewedAt: instant,
  leaseUntil: instant,
});
export type WorkerView = z.infer<typeof workerSchema>;

export const HANDLER_STATUSES = ["served", "unserved", "unknown", "unused"] as const;
export const handlerSchema = z.object({
  name: z.string(),
  status: z
    .enum(HANDLER_STATUSES)
    .describe(
      "served: offered and wanted; unserved: wanted, nobody offers it now; unknown: wanted, nobody ever offered it; unused: offered, no job wants it",
    ),
  workers: z.int().describe("living workers that offer it"),
  slots: z.int(),
  jobs: z.int().describe("jobs that want it"),
  waiting: z.int().describe("due executions not yet taken, counted to 10,000"),
  oldestDueAt: instant.nullable(),
  lastSeenAt: instant.nullable().describe("when a worker last offered it; null: never"),
});
export type HandlerView = z.infer<typeof handlerSchema>;
