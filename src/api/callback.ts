// The token in a callback's URL is its only authority: the execution and the claim under which the call was made, 32 bytes
// that nobody guesses and that mean nothing once the attempt is over.

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

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function callbackToken(executionId: string, claim: string): string {
  return Buffer.from((executionId + claim).replaceAll("-", ""), "hex").toString("base64url");
}

export function readCallbackToken(token: string): { executionId: string; claim: string } | null {
  if (!TOKEN.test(token)) return null;
  const hex = Buffer.from(token, "base64url").toString("hex");
  return { executionId: uuid(hex.slice(0, 32)), claim: uuid(hex.slice(32)) };
}

function uuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
