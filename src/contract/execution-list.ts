import { z } from "zod";
import { EXECUTION_STATES, TRIGGERS } from "./execution.ts";
import { anyOf, instant, listOf, pageQuery, tag, uuid } from "./parameters.ts";

/** What lists leave out unless they are asked for it. */
export const EXECUTION_INCLUDES = ["attempts", "payload", "result"] as const;
export type ExecutionInclude = (typeof EXECUTION_INCLUDES)[number];

/** Executions of one state are counted this far; beyond it the exact number helps nobody and costs everybody. */
export const COUNT_MAX = 100_000;

const filterFields = {
  state: anyOf(z.enum(EXECUTION_STATES), { enum: EXECUTION_STATES }).optional(),
  trigger: anyOf(z.enum(TRIGGERS), { enum: TRIGGERS }).optional(),
  from: instant.optional().describe("by runAt, included"),
  to: instant.optional().describe("by runAt, excluded"),
};

export const executionFilterQuery = z.strictObject({
  ...filterFields,
  jobId: anyOf(uuid, { format: "uuid" }).optional(),
  tag: anyOf(tag).optional().describe("of the job"),
});

export const executionPageQuery = {
  ...pageQuery,
  order: z.enum(["desc", "asc"]).default("desc"),
  include: anyOf(z.enum(EXECUTION_INCLUDES), { enum: EXECUTION_INCLUDES }).optional(),
};

/** What a list of executions takes. */
export const executionListQuery = z.strictObject({ ...executionFilterQuery.shape, ...executionPageQuery });
/** What a list of one job's executions takes. */
export const jobExecutionListQuery = z.strictObject({ ...filterFields, ...executionPageQuery });

/** The filter in the body of a bulk operation. */
export const executionFilterInput = z.strictObject({
  state: listOf(z.enum(EXECUTION_STATES)).optional(),
  trigger: listOf(z.enum(TRIGGERS)).optional(),
  jobId: listOf(uuid).optional(),
  tag: listOf(tag).optional(),
  from: instant.optional(),
  to: instant.optional(),
});

const state = z.int();
export const executionCountsSchema = z.object({
  scheduled: state,
  running: state,
  retrying: state,
  succeeded: state,
  failed: state,
  cancelled: state,
  skipped: state,
  unknown: state,
  complete: z.boolean().describe(`false if a state has ${COUNT_MAX} or more, which are not counted further`),
});
export type ExecutionCounts = z.infer<typeof executionCountsSchema>;
