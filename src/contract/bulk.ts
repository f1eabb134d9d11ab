// One action on many things: those named, or those that match a filter. The client may say how many it expects, and then
// nothing happens if it is another number: between looking and acting the world goes on.

import { z } from "zod";
import { executionFilterInput } from "./execution-list.ts";
import { jobFilterInput } from "./job-list.ts";
import { text } from "./json.ts";
import { uuid } from "./parameters.ts";

/** Work per call is bounded; what is more is done in several calls. */
export const BULK_MAX = 10_000;
export const FAILURES_SHOWN = 100;

/** The fields of a bulk body; refine it with `oneSelection`. */
export function bulkFields<Filter extends z.ZodType>(filter: Filter) {
  return {
    ids: z.array(uuid).min(1).max(BULK_MAX).optional(),
    filter: filter.optional(),
    expected: z.int().min(0).optional().describe("how many are to match; with another number nothing is done"),
    dryRun: z.boolean().default(false).describe("only count"),
  };
}

export function oneSelection(body: { ids?: unknown; filter?: unknown }): boolean {
  return (body.ids === undefined) !== (body.filter === undefined);
}
export const ONE_SELECTION = { path: ["ids"], message: "give either ids or a filter" };

export const bulkJobsInput = z
  .strictObject({
    action: z.enum(["pause", "resume", "trigger", "delete"]),
    reason: text(1024).nullable().default(null).describe("of a pause"),
    ...bulkFields(jobFilterInput),
  })
  .refine(oneSelection, ONE_SELECTION);

export const bulkExecutionsInput = z
  .strictObject({ action: z.enum(["cancel", "retry"]), ...bulkFields(executionFilterInput) })
  .refine(oneSelection, ONE_SELECTION);

const bulkFailure = z.object({ id: z.string(), code: z.string(), message: z.string() });
export type BulkFailure = z.infer<typeof bulkFailure>;

export const bulkAnswerSchema = z.object({
  matched: z.int(),
  changed: z.int(),
  failed: z.int(),
  failures: z.array(bulkFailure).describe(`the first ${FAILURES_SHOWN}`),
});
export type BulkAnswer = z.infer<typeof bulkAnswerSchema>;
