import { type Job, jobInputSchema } from "../../contract/job.ts";
import { usesSecret } from "../../contract/template.ts";
import { sameJson } from "../../core/same-json.ts";
import { isFields } from "./defaults.ts";

/** The fields of a job that are declared; the rest is the server's. */
const FIELDS = Object.keys(jobInputSchema.shape).filter((field) => field !== "name") as (keyof Job)[];
const PRIVATE = /pass(word|wd|phrase)?$|secret|token|api[-_]?key|credential|authorization|cookie|private[-_]?key/i;

/** Shown in place of what may be a password. What refers to a secret by name is shown as it is. */
export const HIDDEN = "(hidden)";

/** One field that differs. `undefined` is a field that is not there. */
export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

/** What differs between two states of a job, field by field as deep as there are fields. */
export function fieldChanges(from: Partial<Job>, to: Partial<Job>): FieldChange[] {
  return FIELDS.flatMap((field) => changesIn(field, from[field], to[field]));
}

function changesIn(field: string, from: unknown, to: unknown): FieldChange[] {
  if (sameJson(from, to)) return [];
  if (!mayHaveFields(from) || !mayHaveFields(to)) return [{ field, from: shown(field, from), to: shown(field, to) }];
  const inner = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])];
  if (inner.length === 0) return [{ field, from, to }];
  return inner.flatMap((key) => changesIn(`${field}.${key}`, from?.[key], to?.[key]));
}

/** What is not there at all is told field by field as well. */
function mayHaveFields(value: unknown): value is Record<string, unknown> | undefined {
  return isFields(value) || value === undefined;
}

function shown(field: string, value: unknown): unknown {
  if (isFields(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(`${field}.${key}`, inner)]));
  if (typeof value !== "string" || !PRIVATE.test(field.split(".").at(-1)!)) return value;
  return usesSecret(value) ? value : HIDDEN;
}
