import { z } from "zod";
import type { Json } from "./json.ts";
import { LOG_MESSAGE_MAX } from "./log-limits.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * A line as whoever runs the execution writes it. `seq` counts the lines of the attempt, from 1. Text that cannot be stored
 * is mended, not refused: one odd line must not cost the others of its batch.
 */
export const logLineInput = z.strictObject({
  seq: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  at: z.iso.datetime({ offset: true }).optional().describe("default: when it arrives"),
  level: z.enum(LOG_LEVELS).default("info"),
  message: z.string().describe(`cut after ${LOG_MESSAGE_MAX} characters`),
  fields: z
    .record(z.string(), z.unknown() as unknown as z.ZodType<Json>)
    .nullable()
    .default(null),
});
export type LogLineInput = z.infer<typeof logLineInput>;

/** A line as it is read. */
export const logLineSchema = z.object({
  attempt: z.int(),
  seq: z.int(),
  at: z.iso.datetime(),
  level: z.enum(LOG_LEVELS),
  message: z.string(),
  fields: (z.unknown() as unknown as z.ZodType<Record<string, Json>>).nullable(),
});
export type LogLine = z.infer<typeof logLineSchema>;
