import { z } from "zod";
import { EVENT_TYPES } from "./events.ts";
import { text } from "./json.ts";
import { anyOf, uuid } from "./parameters.ts";

/** Which events a listener wants. */
export const eventQuery = z.strictObject({
  types: anyOf(z.enum(EVENT_TYPES), { enum: EVENT_TYPES }).optional(),
  jobId: anyOf(uuid, { format: "uuid" }).optional(),
  executionId: anyOf(uuid, { format: "uuid" }).optional(),
  project: text(128).optional().describe("where no header can be sent: the project's id or name"),
});
