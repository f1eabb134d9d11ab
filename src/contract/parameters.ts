// Pieces that the parameters of requests are made of.

import { z } from "zod";
import { jobNameSchema } from "./job.ts";
import { text } from "./json.ts";
import { isWithinYears } from "./years.ts";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

/** A number as a query has it. */
export function number({ min, max, preset }: { min: number; max: number; preset: number }) {
  return z
    .string()
    .default(String(preset))
    .transform((text, context) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      context.addIssue({
        code: "custom",
        message: `must be a whole number from ${min} to ${max}`,
        params: { code: "out_of_range" },
      });
      return z.NEVER;
    })
    .meta({ type: "integer", minimum: min, maximum: max, default: preset });
}

export const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true")
  .meta({ type: "boolean", default: false });

/** Every list takes these. */
export const pageQuery = {
  limit: number({ min: 1, max: LIMIT_MAX, preset: LIMIT_DEFAULT }),
  cursor: text(1024).optional().describe("nextCursor of the page before"),
};

/** Values separated by commas, any of which may match. */
export function anyOf<T extends string>(
  value: z.ZodType<T>,
  shown: { enum?: readonly string[]; format?: string } = {},
) {
  return text(10_000)
    .transform((list, context): T[] => {
      const values = list.split(",").map((item) => value.safeParse(item.trim()));
      for (const parsed of values)
        if (!parsed.success) context.addIssue({ code: "custom", message: parsed.error.issues[0]!.message });
      return values.flatMap((parsed) => (parsed.success ? [parsed.data] : []));
    })
    .meta({ type: "array", items: { type: "string", ...shown } });
}

/** The same in a body, where a list is the natural way and the text with commas works too. */
export function listOf<T extends string>(value: z.ZodType<T>) {
  return z.union([z.array(value).min(1).max(10_000), anyOf(value)]);
}

const INSTANT = z.iso.datetime({ offset: true, error: "must be a time such as 2026-12-01T09:00:00Z" });

/** A moment, with `Z` or an offset. */
export const instant = INSTANT.transform((value, context) => {
  const moment = new Date(value);
  if (isWithinYears(moment.getTime())) return moment;
  context.addIssue({ code: "custom", message: "must be in the years 1970 to 9999" });
  return z.NEVER;
}).meta({ type: "string", format: "date-time" });

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, "must be a UUID")
  .transform((id) => id.toLowerCase())
  .meta({ type: "string", format: "uuid" });

/** Ids and names stand in the same places, and no name looks like an id. */
export const idOrName = z.union([uuid, jobNameSchema]).meta({ type: "string", description: "a job's id or name" });

export const tag = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/, "is not a tag");
