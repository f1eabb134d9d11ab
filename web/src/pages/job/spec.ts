import type { Job, JobSpec } from "punctual/client";

/** In the order in which the manual shows them. */
const FIELDS = [
  "name",
  "description",
  "tags",
  "schedule",
  "target",
  "payload",
  "priority",
  "timeout",
  "delivery",
  "retry",
  "overlap",
  "misfire",
  "retainFor",
] as const satisfies readonly (keyof JobSpec)[];

/** What was written of a job, without what the server tells of it. */
export function specOf(job: Job | JobSpec): JobSpec {
  return Object.fromEntries(FIELDS.map((field) => [field, job[field]])) as unknown as JobSpec;
}
