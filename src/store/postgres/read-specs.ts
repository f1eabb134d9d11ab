import type { JobSpec } from "../../contract/job.ts";
import type { VersionedSpec } from "../port/queue.ts";
import { type Queryable, statement } from "./database.ts";

export const readSpecsSql = statement(
  "read_specs",
  `select v.job_id, v.version, v.spec, j.created_at
   from unnest($1::uuid[], $2::integer[]) as i (job_id, version)
     join punctual.job_version v on v.job_id = i.job_id and v.version = i.version join punctual.job j on j.id = v.job_id`,
);

export async function readSpecs(db: Queryable, keys: { jobId: string; version: number }[]): Promise<VersionedSpec[]> {
  if (keys.length === 0) return [];
  const rows = await db.run<{ job_id: string; version: number; spec: JobSpec; created_at: Date }>(readSpecsSql, [
    keys.map((key) => key.jobId),
    keys.map((key) => key.version),
  ]);
  return rows.map((row) => ({ jobId: row.job_id, version: row.version, spec: row.spec, jobCreatedAt: row.created_at }));
}
