import type { JobSpec, JobState } from "../../contract/job.ts";
import type { JobRecord } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";

/** Columns of a job with its current version and cursor, from `job j`, `job_version v` and `cursor c`. */
export const JOB_COLUMNS = `j.id, j.project_id, j.version, j.state, j.source, v.source as version_source, j.pause_reason, j.pause_by, j.paused_at, j.pause_until,
  j.created_at, j.updated_at, v.spec, case when j.state = 'active' then c.next_fire_at end as next_fire_at`;

export const JOB_TABLES = `punctual.job j join punctual.job_version v on v.job_id = j.id and v.version = j.version
  join punctual.cursor c on c.job_id = j.id`;

export const readJobByIdSql = statement(
  "read_job_by_id",
  `select ${JOB_COLUMNS} from ${JOB_TABLES} where j.project_id = $1 and j.id = $2`,
);

export const readJobByNameSql = statement(
  "read_job_by_name",
  `select ${JOB_COLUMNS} from ${JOB_TABLES} where j.project_id = $1 and j.name = $2 and j.state <> 'deleted'`,
);

export interface JobRow {
  id: string;
  project_id: string;
  version: number;
  state: JobState;
  source: string | null;
  version_source: string | null;
  pause_reason: string | null;
  pause_by: string | null;
  paused_at: Date | null;
  pause_until: Date | null;
  created_at: Date;
  updated_at: Date;
  spec: JobSpec;
  next_fire_at: Date | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** By id also a deleted one; by name only one that is not. */
export async function readJob(db: Queryable, projectId: string, idOrName: string): Promise<JobRecord | null> {
  const [row] = await db.run<JobRow>(isUuid(idOrName) ? readJobByIdSql : readJobByNameSql, [projectId, idOrName]);
  return row ? toJobRecord(row) : null;
}

export function toJobRecord(row: JobRow): JobRecord {
  return {
    id: row.id,
    projectId: row.project_id,
    version: row.version,
    state: row.state,
    spec: row.spec,
    source: row.source,
    drifted: row.source !== null && row.source !== row.version_source,
    pause: row.paused_at && {
      reason: row.pause_reason,
      by: row.pause_by,
      at: row.paused_at.toISOString(),
      until: row.pause_until?.toISOString() ?? null,
    },
    nextFireAt: row.next_fire_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
