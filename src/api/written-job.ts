// From what a client wrote to the spec that is stored. The editors made here run inside the store's transaction, where the
// job cannot change under them and the time is the database's.

import { z } from "zod";
import { PunctualError } from "../contract/errors.ts";
import { type JobInput, type JobSpec, jobInputSchema, READ_ONLY_FIELDS } from "../contract/job.ts";
import { parseOrThrow } from "../contract/validate.ts";
import { storedSchedule } from "../core/schedule/stored-schedule.ts";
import type { SpecEditor } from "../store/port/jobs.ts";

const readOnly = Object.fromEntries(
  READ_ONLY_FIELDS.map((field) => [
    field,
    z.unknown().optional().meta({ readOnly: true, description: "read only; ignored when written" }),
  ]),
);

/** What PUT takes: the fields of a job, and those that reading one gave. */
export const jobBodySchema = z.strictObject({ ...jobInputSchema.shape, ...readOnly });
/** What POST takes. */
export const newJobBodySchema = z.strictObject({
  ...jobBodySchema.shape,
  paused: z.boolean().default(false).describe("create it paused"),
});
/** What PATCH takes is read as an object only: which of its fields are right is decided together with those it leaves alone. */
export const jobPatchSchema = z.record(z.string(), z.unknown());
export const jobPatchShown = jobInputSchema.partial();

/** The fields that count. */
export function jobInput(body: z.infer<typeof jobBodySchema> & { paused?: boolean }): JobInput {
  const { paused: _, ...fields } = withoutReadOnly(body);
  return fields as JobInput;
}

export function withoutReadOnly(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).filter(([field]) => !(READ_ONLY_FIELDS as readonly string[]).includes(field)),
  );
}

/** The named fields, each as a whole; the others stay as they are. */
export function patch(fields: Record<string, unknown>): SpecEditor {
  return (current, now) => {
    const { schedule, ...rest } = current!.spec;
    const merged = { ...rest, ...withoutReadOnly(fields) };
    const input = parseOrThrow(jobInputSchema, merged);
    const present = { schedule, createdAt: current!.createdAt };
    const spec: JobSpec = { ...input, name: input.name ?? rest.name, schedule };
    return "schedule" in merged
      ? { ...spec, schedule: storedSchedule(input.schedule, input.misfire, present, now) }
      : spec;
  };
}

/** One-time jobs may be without a name of their own; whoever fires again and again must be called something. */
export function nameFor(input: JobInput, made: () => string): () => string {
  return () => {
    if (input.schedule?.at !== undefined || input.schedule?.delay !== undefined) return made();
    const message = "is needed; only one-time jobs (at, delay) may leave it out";
    throw PunctualError.validation([{ path: "name", code: "required", message }]);
  };
}
