import { z } from "zod";
import { JOB_STATES } from "./job.ts";
import { text } from "./json.ts";
import { anyOf, listOf, pageQuery, tag } from "./parameters.ts";

export const JOB_SORTS = ["created", "-created", "name", "-name", "nextFireAt", "-nextFireAt"] as const;
export type JobSort = (typeof JOB_SORTS)[number];

/** What a list of jobs takes. */
export const jobListQuery = z.strictObject({
  state: anyOf(z.enum(JOB_STATES), { enum: JOB_STATES }).optional(),
  tag: anyOf(tag).optional(),
  q: text(200).optional().describe("part of the name or description, any case"),
  source: text(200).optional(),
  sort: z.enum(JOB_SORTS).default("-created"),
  include: anyOf(z.enum(["lastExecutions"]), { enum: ["lastExecutions"] }).optional(),
  ...pageQuery,
});

/** The same in the body of a bulk operation. */
export const jobFilterInput = z.strictObject({
  state: listOf(z.enum(JOB_STATES)).optional(),
  tag: listOf(tag).optional(),
  q: text(200).optional(),
  source: text(200).optional(),
});
