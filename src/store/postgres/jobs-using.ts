import type { JobsUsing } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";

/** Of jobs that may still run. Counted up to a thousand: nobody reads further. */
export const jobsUsingSql = statement(
  "jobs_using",
  `with using_it as materialized (
     select j.name from punctual.job j
     where j.project_id = $1 and j.uses @> array[$2::text] and j.uses <> '{}' and j.state in ('active', 'paused') limit 1000
   )
   select (select count(*) from using_it) as count, array(select u.name from using_it u order by u.name limit 3) as names`,
);

/** The living jobs that use something, as `usesOf` writes it. */
export async function jobsUsing(db: Queryable, projectId: string, use: string): Promise<JobsUsing> {
  const [row] = await db.run<JobsUsing>(jobsUsingSql, [projectId, use]);
  return row!;
}
