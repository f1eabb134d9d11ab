import { z } from "zod";
import { findUnstorable, unstorableText } from "./storable.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Any JSON value that the database can keep. */
export const jsonValue = z.unknown().superRefine((value, context) => {
  const problem = findUnstorable(value);
  if (problem)
    context.addIssue({
      code: "custom",
      path: problem.path === "" ? [] : problem.path.split("."),
      message: problem.message,
    });
}) as unknown as z.ZodType<Json>;

/** Text that the database can keep. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine(
      (value) => unstorableText(value) === null,
      "contains characters that cannot be stored (U+0000 or half a surrogate pair)",
    );
