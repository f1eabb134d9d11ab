import { z } from "zod";
import { jobNameSchema } from "./job.ts";

/** The project that is always there, and that keys from the settings belong to. */
export const DEFAULT_PROJECT = { id: "00000000-0000-7000-8000-000000000001", name: "default" } as const;

/** Projects are named like jobs. */
export const projectNameSchema = jobNameSchema;

export const newProjectSchema = z.strictObject({ name: projectNameSchema });
export type NewProject = z.infer<typeof newProjectSchema>;

export const projectPatchSchema = z.strictObject({ name: projectNameSchema.optional() });

export const projectSchema = z.object({ id: z.uuid(), name: z.string(), createdAt: z.iso.datetime() });
export type Project = z.infer<typeof projectSchema>;
