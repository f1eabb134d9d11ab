import { z } from "zod";
import { JOB_STATES } from "./job.ts";
import { text } from "./json.ts";
import { anyOf, listOf, pageQuery, tag } from "./parameters.ts";

/** What jobs have only if they are asked for it. */
const JOB_INCLUDES = ["lastExecutions", "recent"] as const;
export type JobInclude = (typeof JOB_INCLUDES)[number];

export const JOB_SORTS = ["created", "-created", "name", "-name", "nextFireAt", "-nextFireAt"] as const;
export type JobSort = (typeof JOB_SORTS)[number];

/** What a list of jobs takes. */
export const jobListQuery = z.strictObject({
  state: anyOf(z.enum(JOB_STATES), { enum: JOB_STATES }).optional(),
  tag: anyOf(tag).optional(),
  q: text(200).optional().describe("part of the name or description, any case"),
  source: text(200).optional(),
  sort: z.enum(JOB_SORTS).default("-created"),
  include: anyOf(z.enum(JOB_INCLUDES), { enum: JOB_INCLUDES }).optional(),
  ...pageQuery,
});

/** The same in the body of a bulk operation. */
export const jobFilterInput = z.strictObject({
  state: listOf(z.enum(JOB_STATES)).optional(),
  tag: listOf(tag).optional(),
  q: text(200).optional(),
  source: text(200).optional(),
});

/** What reading one job takes. */
export const jobQuery = z.strictObject({ include: jobListQuery.shape.include });
