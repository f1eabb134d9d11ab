import { z } from "zod";
import { duration } from "./duration-schema.ts";
import { OVERLAP_POLICIES, prioritySchema } from "./job.ts";
import { jsonValue, text } from "./json.ts";
import { instant } from "./parameters.ts";

/** Jobs triggered in one request. */
export const TRIGGERS_MAX = 1_000;

const fields = {
  payload: jsonValue.optional().describe("default: the job's"),
  runAt: instant.optional().describe("default: now"),
  delay: duration.optional().describe("from now; instead of runAt"),
  priority: prioritySchema.optional().describe("default: the job's"),
  key: text(255).min(1).optional().describe("the same key for the same job is the same execution"),
  overlap: z.enum(OVERLAP_POLICIES).optional().describe("default: allow"),
};

const BOTH = { path: ["delay"], message: "stands beside runAt; give one of the two" };

export const triggerInput = z.strictObject(fields).refine((body) => !(body.runAt && body.delay), BOTH);

export type WrittenTrigger = z.infer<typeof triggerInput>;

const triggerOfJob = z
  .strictObject({ job: text(128).min(1).describe("the job's id or name"), ...fields })
  .refine((body) => !(body.runAt && body.delay), BOTH);

export const triggersInput = z.strictObject({ items: z.array(triggerOfJob).min(1).max(TRIGGERS_MAX) });
export const triggeredSchema = z.object({
  items: z.array(z.object({ executionId: z.uuid(), deduplicated: z.boolean() })),
});
export type Triggered = z.infer<typeof triggeredSchema>["items"][number];
