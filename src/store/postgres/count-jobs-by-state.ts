import { JOB_STATES } from "../../contract/job.ts";
import { JOB_COUNT_MAX, JOB_SEARCH_MAX, type JobCounts, TAGS_MAX } from "../../contract/job-counts.ts";
import type { JobFilter } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";
import { HAS_TEXT, jobFilterValues, PLAIN_JOB_FILTER, resolveText } from "./job-filter.ts";

/**
 * Each state by itself, the newest first, and no further than the bound, $7. A text that no index leads to is looked for afterwards, in what
 * the bound let through: one that is rare after all would be looked for in all jobs before as many were found.
 */
const ARMS = JOB_STATES.map(
  (state) => `(select j.id, j.version, j.name, j.state, j.tags from punctual.job j
     where '${state}' = any($2::text[]) and j.state = '${state}' and ${PLAIN_JOB_FILTER} order by j.id desc limit $7)`,
);

export const countJobsByStateSql = statement(
  "count_jobs_by_state",
  `with looked_at as materialized (${ARMS.join("\n union all ")}),
   counted as materialized (select j.state, j.tags from looked_at j where ${HAS_TEXT})
   select ${JOB_STATES.map((state) => `count(*) filter (where c.state = '${state}') as ${state}`).join(", ")},
     (select json_agg(json_build_object('tag', t.tag, 'jobs', t.jobs) order by t.jobs desc, t.tag) from (
        select tag, count(*) as jobs from counted c, unnest(c.tags) as tag where c.state <> 'deleted'
        group by tag order by jobs desc, tag limit ${TAGS_MAX}) t) as tags,
     coalesce((select max(l.jobs) from (select count(*) as jobs from looked_at group by state) l), 0) < $7 as complete
   from counted c`,
);

type Row = Omit<JobCounts, "tags"> & { tags: JobCounts["tags"] | null };

export async function countJobsByState(db: Queryable, projectId: string, asked: JobFilter): Promise<JobCounts> {
  const filter = await resolveText(db, projectId, { ...asked, states: [...JOB_STATES] });
  const limit = filter.text === undefined ? JOB_COUNT_MAX : JOB_SEARCH_MAX;
  const [row] = await db.run<Row>(countJobsByStateSql, [...jobFilterValues(projectId, filter), limit]);
  return { ...row!, tags: row!.tags ?? [] };
}
