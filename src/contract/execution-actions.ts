import { z } from "zod";
import { jsonValue, text } from "./json.ts";

/** What cancelling an execution takes. */
export const cancelInput = z.strictObject({ reason: text(1024).optional() });

/** What running an execution again takes. */
export const retryInput = z.strictObject({
  version: z.enum(["current", "original"]).default("current"),
  payload: jsonValue.optional().describe("default: the one it had"),
});
