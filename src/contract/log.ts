import { z } from "zod";
import { type Json, jsonValue, text } from "./json.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is kept of one execution, over all its attempts; further lines are counted and dropped. */
export const LOG_LINES_MAX = 10_000;
export const LOG_BYTES_MAX = 1024 * 1024;
/** Longer messages are cut. */
export const LOG_MESSAGE_MAX = 16_384;

/** A line as whoever runs the execution writes it. `seq` counts the lines of the attempt, from 1. */
export const logLineInput = z.strictObject({
  seq: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  at: z.iso.datetime({ offset: true }).optional().describe("default: when it arrives"),
  level: z.enum(LOG_LEVELS).default("info"),
  message: text(64 * 1024),
  fields: z.record(z.string(), jsonValue).nullable().default(null),
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
