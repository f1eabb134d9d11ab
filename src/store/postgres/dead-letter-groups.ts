import type { DeadLetterGroup } from "../../contract/dead-letter.ts";
import type { AttemptError } from "../../contract/execution.ts";
import type { DeadLetterFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { DEAD_LETTER_FILTER, deadLetterFilterValues } from "./dead-letter-filter.ts";

/** A group's error is that of its latest member: texts differ in details, and the newest is the one to look at. */
export const deadLetterGroupsSql = statement(
  "dead_letter_groups",
  `select g.fingerprint, d.job_id, j.name as job_name, d.execution -> 'error' as error, g.n, g.first_at, g.last_at
   from (
     select d.fingerprint, count(*) as n, max(d.execution_id::text)::uuid as latest, min(d.created_at) as first_at, max(d.created_at) as last_at
     from punctual.dead_letter d where d.status = any($2::text[]) and ${DEAD_LETTER_FILTER}
     group by d.fingerprint order by n desc, d.fingerprint limit $6
   ) as g
   join punctual.dead_letter d on d.execution_id = g.latest
   left join punctual.job j on j.id = d.job_id
   order by g.n desc, g.fingerprint`,
);

interface Row {
  fingerprint: string;
  job_id: string;
  job_name: string | null;
  error: AttemptError | null;
  n: number;
  first_at: Date;
  last_at: Date;
}

/** The largest first. */
export async function deadLetterGroups(
  db: Queryable,
  projectId: string,
  filter: DeadLetterFilter,
  limit: number,
): Promise<DeadLetterGroup[]> {
  const rows = await db.run<Row>(deadLetterGroupsSql, [...deadLetterFilterValues(projectId, filter), limit]);
  return rows.map((row) => ({
    group: row.fingerprint,
    jobId: row.job_id,
    jobName: row.job_name ?? row.job_id,
    error: row.error,
    count: row.n,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
  }));
}
