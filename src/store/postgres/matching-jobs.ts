import type { JobFilter } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";
import { JOB_FILTER, jobFilterValues, resolveText } from "./job-filter.ts";

export const matchingJobsSql = statement(
  "matching_jobs",
  `select j.id from punctual.job j where j.state = any($2::text[]) and ${JOB_FILTER} limit $7`,
);

export async function matchingJobs(
  db: Queryable,
  projectId: string,
  filter: JobFilter,
  limit: number,
): Promise<string[]> {
  const resolved = await resolveText(db, projectId, filter);
  const rows = await db.run<{ id: string }>(matchingJobsSql, [...jobFilterValues(projectId, resolved), limit]);
  return rows.map((row) => row.id);
}
