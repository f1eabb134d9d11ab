import type { JobSpec } from "../../contract/job.ts";
import type { JobVersion } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";

export const listJobVersionsSql = statement(
  "list_job_versions",
  `select v.version, v.spec, v.created_at, v.created_by, v.source from punctual.job_version v join punctual.job j on j.id = v.job_id
   where j.project_id = $1 and v.job_id = $2 and v.version < coalesce($3::integer, 2147483647) order by v.version desc limit $4`,
);

export const findJobVersionSql = statement(
  "find_job_version",
  `select v.version, v.spec, v.created_at, v.created_by, v.source from punctual.job_version v join punctual.job j on j.id = v.job_id
   where j.project_id = $1 and v.job_id = $2 and v.version = $3`,
);

interface Row {
  version: number;
  spec: JobSpec;
  created_at: Date;
  created_by: string | null;
  source: string | null;
}

/** Newest first. */
export async function listJobVersions(
  db: Queryable,
  projectId: string,
  jobId: string,
  page: { after: number | null; limit: number },
): Promise<{ items: JobVersion[]; next: number | null }> {
  const rows = await db.run<Row>(listJobVersionsSql, [projectId, jobId, page.after, page.limit + 1]);
  const items = rows.slice(0, page.limit).map(toVersion);
  return { items, next: rows.length > page.limit ? items.at(-1)!.version : null };
}

export async function findJobVersion(
  db: Queryable,
  projectId: string,
  jobId: string,
  version: number,
): Promise<JobVersion | null> {
  const [row] = await db.run<Row>(findJobVersionSql, [projectId, jobId, version]);
  return row ? toVersion(row) : null;
}

function toVersion(row: Row): JobVersion {
  const { version, spec, created_at: createdAt, created_by: createdBy, source } = row;
  return { version, spec, createdAt, createdBy, source };
}
