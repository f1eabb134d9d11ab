import { z } from "zod";
import { jsonValue, text } from "./json.ts";

const errorSchema = z.union([
  text(4096).transform((message) => ({ code: "callback", message })),
  z.strictObject({ code: text(128).default("callback"), message: text(4096) }),
]);

/** What the receiver of a call reports once it has done the work. */
export const callbackInput = z.strictObject({
  outcome: z.enum(["succeeded", "failed"]),
  result: jsonValue.default(null),
  error: errorSchema.nullable().default(null).describe("what went wrong: a text, or code and message"),
  retry: z.boolean().default(true).describe("whether a failure may be tried again"),
});
export type CallbackReport = z.infer<typeof callbackInput>;
