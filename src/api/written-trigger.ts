import { z } from "zod";
import { DURATION_MAX_MS, duration, parseDuration } from "../contract/duration.ts";
import { PunctualError } from "../contract/errors.ts";
import { OVERLAP_POLICIES, prioritySchema } from "../contract/job.ts";
import { type Json, jsonValue, text } from "../contract/json.ts";
import type { TriggerRequest } from "../store/port/jobs.ts";
import type { Store } from "../store/port.ts";
import { instant } from "./parameters.ts";
import { BODY_LIMIT } from "./route.ts";

/** A moment that has just passed is now; one that passed long ago is a mistake. */
const PAST_MAX_MS = 60_000;

const fields = {
  payload: jsonValue.optional().describe("default: the job's"),
  runAt: instant.optional().describe("default: now"),
  delay: duration.optional().describe("from now; instead of runAt"),
  priority: prioritySchema.optional().describe("default: the job's"),
  key: text(255).min(1).optional().describe("the same key for the same job is the same execution"),
  overlap: z.enum(OVERLAP_POLICIES).optional().describe("default: allow"),
};

const BOTH = { path: ["delay"], message: "stands beside runAt; give one of the two" };

export const triggerSchema = z.strictObject(fields).refine((body) => !(body.runAt && body.delay), BOTH);
export const triggerOfJobSchema = z
  .strictObject({ job: text(128).min(1).describe("the job's id or name"), ...fields })
  .refine((body) => !(body.runAt && body.delay), BOTH);

export type WrittenTrigger = z.infer<typeof triggerSchema>;

export function triggerRequest(job: string, written: WrittenTrigger): TriggerRequest {
  return {
    job,
    ...("payload" in written ? { payload: written.payload as Json } : {}),
    ...(written.runAt ? { runAt: written.runAt } : {}),
    ...(written.delay ? { delayMs: parseDuration(written.delay) } : {}),
    ...(written.priority === undefined ? {} : { priority: written.priority }),
    ...(written.key === undefined ? {} : { key: written.key }),
    ...(written.overlap === undefined ? {} : { overlap: written.overlap }),
  };
}

/** What only the database's clock can tell, and the size of each payload. `path` says where in the body a trigger stands. */
export async function checkTriggers(
  store: Store,
  triggers: WrittenTrigger[],
  path: (index: number) => string,
): Promise<void> {
  const now = triggers.some((trigger) => trigger.runAt) ? (await store.now()).getTime() : 0;
  for (const [index, { runAt, payload }] of triggers.entries()) {
    if (payload !== undefined) checkPayloadSize(payload, `${path(index)}payload`);
    const value = runAt?.toISOString();
    const refuse = (code: string, message: string) =>
      PunctualError.validation([{ path: `${path(index)}runAt`, code, message, value }]);
    if (runAt && runAt.getTime() < now - PAST_MAX_MS)
      throw refuse("in_the_past", `is in the past: it is ${new Date(now).toISOString()} now`);
    if (runAt && runAt.getTime() > now + DURATION_MAX_MS) throw refuse("out_of_range", "is more than ten years ahead");
  }
}

export function checkPayloadSize(payload: Json, path: string): void {
  const size = Buffer.byteLength(JSON.stringify(payload));
  if (size <= BODY_LIMIT) return;
  const message = `has ${size} bytes; a payload may have ${BODY_LIMIT}`;
  throw new PunctualError("body_too_large", `${path}: ${message}`, { details: [{ path, code: "too_large", message }] });
}
