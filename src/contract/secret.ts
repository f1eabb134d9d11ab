import { z } from "zod";
import { text } from "./json.ts";

export const secretNameSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/);
export const secretInput = z.strictObject({ value: text(64 * 1024).min(1) });

/** A secret as it is shown: never with its value. */
export const secretSchema = z.object({
  name: z.string(),
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Secret = z.infer<typeof secretSchema>;
