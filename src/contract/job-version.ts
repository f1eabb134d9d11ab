import { z } from "zod";
import { type JobSpec, jobInputSchema } from "./job.ts";
import { pageQuery } from "./parameters.ts";

export const jobVersionListQuery = z.strictObject(pageQuery);

/** A job as it was at a version. */
export const jobVersionSchema = z.object({
  version: z.int(),
  createdAt: z.iso.datetime(),
  createdBy: z.string().nullable(),
  source: z.string().nullable().describe("the declaration it was written from; null: by hand"),
  spec: jobInputSchema.describe("the job as it was written"),
});

export interface JobVersion extends Omit<z.infer<typeof jobVersionSchema>, "spec"> {
  spec: JobSpec;
}
