import { z } from "zod";
import { type Json, jsonValue, text } from "../contract/json.ts";

const errorSchema = z.union([
  text(4096).transform((message) => ({ code: "callback", message })),
  z.strictObject({ code: text(128).default("callback"), message: text(4096) }),
]);

export const callbackBodySchema = z.strictObject({
  outcome: z.enum(["succeeded", "failed"]),
  result: jsonValue.default(null),
  error: errorSchema.nullable().default(null).describe("what went wrong: a text, or code and message"),
  retry: z.boolean().default(true).describe("whether a failure may be tried again"),
});

export interface CallbackReport {
  outcome: "succeeded" | "failed";
  result: Json;
  error: { code: string; message: string } | null;
  retry: boolean;
}

/** `accepted`: it ended the attempt; `repeated`: it had already; `stale`: the attempt is over, or never was. */
export type CompleteCallback = (
  executionId: string,
  claim: string,
  report: CallbackReport,
) => Promise<"accepted" | "repeated" | "stale">;
