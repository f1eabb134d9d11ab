import { DEAD_LETTER_STATUSES } from "../../contract/dead-letter.ts";
import type { DeadLetterFilter } from "../port/executions.ts";

/** Conditions on `dead_letter d`, with $1 project, $3 jobs, $4 groups and $5 ids; the statuses, $2, lead the index of the list. */
export const DEAD_LETTER_FILTER = `d.project_id = $1
  and ($3::uuid[] is null or d.job_id = any($3))
  and ($4::text[] is null or d.fingerprint = any($4))
  and ($5::uuid[] is null or d.execution_id = any($5))`;

export function deadLetterFilterValues(projectId: string, filter: DeadLetterFilter): unknown[] {
  return [
    projectId,
    filter.statuses ?? DEAD_LETTER_STATUSES,
    filter.jobIds ?? null,
    filter.groups ?? null,
    filter.ids ?? null,
  ];
}
