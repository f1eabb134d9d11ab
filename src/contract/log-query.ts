import { z } from "zod";
import { text } from "./json.ts";
import { LOG_LEVELS } from "./log.ts";
import { number } from "./parameters.ts";

/** A line's place in the log of its execution. */
export interface LogPosition {
  attempt: number;
  seq: number;
}

/** `2.17` is line 17 of the second attempt; `17` alone is of the first. null: neither. */
export function readLogPosition(text: string): LogPosition | null {
  const [, attempt = "1", seq] = /^(?:(\d{1,9})\.)?(\d{1,9})$/.exec(text) ?? [];
  return seq === undefined ? null : { attempt: Number(attempt), seq: Number(seq) };
}

export function logCursor({ attempt, seq }: LogPosition): string {
  return `${attempt}.${seq}`;
}

const position = z
  .string()
  .transform((text, context): LogPosition => {
    const read = readLogPosition(text);
    if (read !== null) return read;
    context.addIssue({
      code: "custom",
      message: 'must be a nextCursor, "<attempt>.<line>" such as "1.200", or the number of a line of the first attempt',
    });
    return z.NEVER;
  })
  .meta({ type: "string", pattern: "^(\\d+\\.)?\\d+$" });

/** Which part of an execution's log. */
export const logQuery = z.strictObject({
  after: position
    .optional()
    .describe("the lines that follow this one: nextCursor of the page before, or a line's number"),
  cursor: position.optional().describe("the same as after"),
  level: z.enum(LOG_LEVELS).default("debug").describe("and above"),
  limit: number({ min: 1, max: 1_000, preset: 200 }).describe("not for those who follow, who get all"),
  project: text(128).optional().describe("where no header can be sent: the project's id or name"),
});
