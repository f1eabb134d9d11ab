import { z } from "zod";
import { bulkFields, ONE_SELECTION, oneSelection } from "./bulk.ts";
import { attemptErrorSchema, executionSchema, reasonSchema } from "./execution.ts";
import { text } from "./json.ts";
import { anyOf, listOf, number, pageQuery, uuid } from "./parameters.ts";

export const DEAD_LETTER_STATUSES = ["open", "retried", "discarded"] as const;
export type DeadLetterStatus = (typeof DEAD_LETTER_STATUSES)[number];

const instant = z.iso.datetime({ offset: true });

export const deadLetterSchema = z.object({
  id: z.uuid().describe("the execution's id"),
  jobId: z.uuid(),
  jobName: z.string(),
  status: z.enum(DEAD_LETTER_STATUSES),
  group: z.string().describe("executions with the same job and kind of error share it"),
  reason: reasonSchema.nullable(),
  error: attemptErrorSchema.nullable(),
  execution: executionSchema,
  retriedAs: z.uuid().nullable(),
  createdAt: instant,
  handledAt: instant.nullable(),
  handledBy: z.string().nullable(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const deadLetterGroupSchema = z.object({
  group: z.string(),
  jobId: z.uuid(),
  jobName: z.string(),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe("of the latest"),
  count: z.int(),
  firstAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
});
export type DeadLetterGroup = z.infer<typeof deadLetterGroupSchema>;

const filterQuery = {
  status: anyOf(z.enum(DEAD_LETTER_STATUSES), { enum: DEAD_LETTER_STATUSES }).optional().describe("default: open"),
  jobId: anyOf(uuid, { format: "uuid" }).optional(),
};

/** What a list of dead letters takes. */
export const deadLetterListQuery = z.strictObject({ ...filterQuery, group: anyOf(text(256)).optional(), ...pageQuery });
export const deadLetterGroupsQuery = z.strictObject({
  ...filterQuery,
  limit: number({ min: 1, max: 200, preset: 50 }),
});

/** Which dead letters are to be run again or discarded. */
export const bulkDeadLettersInput = z
  .strictObject(bulkFields(z.strictObject({ jobId: listOf(uuid).optional(), group: listOf(text(256)).optional() })))
  .refine(oneSelection, ONE_SELECTION);
