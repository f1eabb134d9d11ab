import { z } from "zod";
import { text } from "./json.ts";
import { instant } from "./parameters.ts";

/** What pausing a job takes. */
export const pauseInput = z.strictObject({
  reason: text(1024).nullable().default(null),
  until: instant.nullable().default(null).describe("when it ends by itself"),
});
