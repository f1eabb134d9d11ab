import { type Queryable, statement } from "./database.ts";
import { isUuid } from "./read-job.ts";

/** Of those that fire at one instant, in all projects, so many are looked at; a million may. */
const LOOKED_AT_MAX = 5_000;

/** $3 and $4 are the id and the name of a job that does not count. */
export const countFiringAtSql = statement(
  "count_firing_at",
  `with crowd as materialized (
     select c.job_id from punctual.cursor c where not c.parked and c.next_fire_at = $2::timestamptz limit ${LOOKED_AT_MAX}
   )
   select count(*) as jobs from (
     select from crowd join punctual.job j on j.id = crowd.job_id
     where j.project_id = $1 and j.state = 'active' and j.id is distinct from $3::uuid and j.name is distinct from $4::text limit $5
   ) as counted`,
);

export async function countFiringAt(
  db: Queryable,
  projectId: string,
  instant: Date,
  { except, limit }: { except: string | null; limit: number },
): Promise<number> {
  const [id, name] = except !== null && isUuid(except) ? [except, null] : [null, except];
  const [row] = await db.run<{ jobs: number }>(countFiringAtSql, [projectId, instant, id, name, limit]);
  return row!.jobs;
}
