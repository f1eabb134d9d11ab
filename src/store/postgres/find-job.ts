import type { JobRecord } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";
import { isUuid, JOB_COLUMNS, JOB_TABLES, type JobRow, toJobRecord } from "./read-job.ts";

/**
 * As JOB_COLUMNS, and the earliest fire that is planned but not started: the cursor stands behind it already, yet it is
 * the next fire in everybody's eyes.
 */
export const JOB_VIEW_COLUMNS = `${JOB_COLUMNS}, case when j.state = 'active' then (
  select q.scheduled_at from punctual.queue q
  where q.job_id = j.id and q.trigger = 'schedule' and q.state = 'scheduled' and q.scheduled_at > now() order by q.id limit 1
) end as planned_at`;

export type JobViewRow = JobRow & { planned_at: Date | null };

export const findJobByIdSql = statement(
  "find_job_by_id",
  `select ${JOB_VIEW_COLUMNS} from ${JOB_TABLES} where j.project_id = $1 and j.id = $2`,
);

export const findJobByNameSql = statement(
  "find_job_by_name",
  `select ${JOB_VIEW_COLUMNS} from ${JOB_TABLES} where j.project_id = $1 and j.name = $2 and j.state <> 'deleted'`,
);

/** By id also a deleted one; by name only one that is not. */
export async function findJob(db: Queryable, projectId: string, idOrName: string): Promise<JobRecord | null> {
  const [row] = await db.run<JobViewRow>(isUuid(idOrName) ? findJobByIdSql : findJobByNameSql, [projectId, idOrName]);
  return row ? toViewedJob(row) : null;
}

export function toViewedJob(row: JobViewRow): JobRecord {
  return { ...toJobRecord(row), nextFireAt: row.planned_at ?? row.next_fire_at };
}
