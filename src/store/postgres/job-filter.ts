import { JOB_STATES } from "../../contract/job.ts";
import type { JobFilter } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";

/** Those that `job j` itself can tell. */
export const PLAIN_JOB_FILTER = `j.project_id = $1
  and ($3::text[] is null or j.tags && $3)
  and ($5::text is null or j.source = $5)
  and ($6::uuid[] is null or j.id = any($6))`;

/** What punctual.job_text says. The name stands in the job too, and most of the work is taking the spec apart. */
const TEXT = "lower(j.name || ' ' || left(v.spec ->> 'description', 200))";

export const HAS_TEXT = `($4::text is null or lower(j.name) like $4 or (
    select ${TEXT} from punctual.job_version v where v.job_id = j.id and v.version = j.version) like $4)`;

/**
 * Conditions of a job filter on `job j`, with $1 project, $3 tags, $4 text, $5 source and $6 ids; those that are null do
 * not count, and the planner leaves them out. The states, $2, are each statement's own affair, because they lead the index.
 */
export const JOB_FILTER = `${PLAIN_JOB_FILTER} and ${HAS_TEXT}`;

const NOT_DELETED = JOB_STATES.filter((state) => state !== "deleted");

export function jobFilterValues(projectId: string, filter: JobFilter): unknown[] {
  return [
    projectId,
    filter.states ?? NOT_DELETED,
    filter.tags ?? null,
    filter.text === undefined ? null : pattern(filter.text),
    filter.source ?? null,
    filter.ids ?? null,
  ];
}

/** Beyond this many a text is common, and walking along the list meets it soon enough. */
const FOUND_MAX = 2_000;

/**
 * Through the index of three-letter pieces, which finds a rare text among a million jobs; $3 is looked at for what it finds.
 * Each find leads to its job at once, by a limit that lets nothing else be planned: joined with all jobs, a common text
 * would be looked at in every one of them before the limit ends it.
 */
export const searchJobsSql = statement(
  "search_jobs",
  `select v.job_id as id from punctual.job_version v cross join lateral (
     select j.name from punctual.job j where j.id = v.job_id and j.version = v.version and j.project_id = $1 limit 1
   ) j
   where punctual.trigrams(punctual.job_text(v.spec)) @> punctual.trigrams($2) and ${TEXT} like $3
   limit ${FOUND_MAX + 1}`,
);

/** A rare text is the same question as the few jobs that have it. Shorter ones than three letters are in no index. */
export async function resolveText(db: Queryable, projectId: string, filter: JobFilter): Promise<JobFilter> {
  const { text, ids, ...rest } = filter;
  if (text === undefined || text.length < 3) return filter;
  const rows = await db.run<{ id: string }>(searchJobsSql, [projectId, text.toLowerCase(), pattern(text)]);
  if (rows.length > FOUND_MAX) return filter;
  const found = rows.map((row) => row.id);
  return { ...rest, ids: ids === undefined ? found : found.filter((id) => ids.includes(id)) };
}

function pattern(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
}
