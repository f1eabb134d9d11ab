import { JOB_STATES, type JobState } from "../../contract/job.ts";
import type { JobFilter } from "../port/jobs.ts";

/**
 * Conditions of a job filter on `job j`, with $1 project, $3 tags, $4 text, $5 source and $6 ids; those that are null do
 * not count, and the planner leaves them out. The states, $2, are each statement's own affair, because they lead the index.
 */
export const JOB_FILTER = `j.project_id = $1
  and ($3::text[] is null or j.tags && $3)
  and ($4::text is null or j.name ilike $4
    or (select v.spec ->> 'description' from punctual.job_version v where v.job_id = j.id and v.version = j.version) ilike $4)
  and ($5::text is null or j.source = $5)
  and ($6::uuid[] is null or j.id = any($6))`;

const NOT_DELETED = JOB_STATES.filter((state) => state !== "deleted");

export function jobFilterValues(projectId: string, filter: JobFilter): unknown[] {
  return [
    projectId,
    filter.states ?? (NOT_DELETED satisfies JobState[]),
    filter.tags ?? null,
    filter.text === undefined ? null : `%${filter.text.replace(/[\\%_]/g, "\\$&")}%`,
    filter.source ?? null,
    filter.ids ?? null,
  ];
}
