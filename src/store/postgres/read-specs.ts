import type { JobSpec } from "../../contract/job.ts";
import type { VersionedSpec } from "../port/queue.ts";
import { intArray, uuidArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";

export const readSpecsSql = statement(
  "read_specs",
  `select v.job_id, j.project_id, v.version, v.spec, j.created_at
   from unnest($1::uuid[], $2::integer[]) as i (job_id, version)
     join punctual.job_version v on v.job_id = i.job_id and v.version = i.version join punctual.job j on j.id = v.job_id`,
);

interface SpecRow {
  job_id: string;
  project_id: string;
  version: number;
  spec: JobSpec;
  created_at: Date;
}

export async function readSpecs(db: Queryable, keys: { jobId: string; version: number }[]): Promise<VersionedSpec[]> {
  if (keys.length === 0) return [];
  const rows = await db.run<SpecRow>(readSpecsSql, [
    uuidArray(keys.map((key) => key.jobId)),
    intArray(keys.map((key) => key.version)),
  ]);
  return rows.map((row) => ({
    jobId: row.job_id,
    projectId: row.project_id,
    version: row.version,
    spec: row.spec,
    jobCreatedAt: row.created_at,
  }));
}
