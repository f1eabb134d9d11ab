// Pages of jobs. Each state is walked by itself in the order of an index and stops at the page's size, so that a page costs
// the same among ten jobs and among a million, whichever state is asked for: its name stands in the text, so that the planner
// knows how rare it is. The filters are conditions on that walk, or lead to another index where that is shorter.

import { JOB_STATES } from "../../contract/job.ts";
import type { JobSort } from "../../contract/job-list.ts";
import type { JobFilter, JobRecord } from "../port/jobs.ts";
import { type Queryable, type Statement, statement } from "./database.ts";
import { JOB_VIEW_COLUMNS, type JobViewRow, toViewedJob } from "./find-job.ts";
import { JOB_FILTER, jobFilterValues, resolveText } from "./job-filter.ts";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";
import { JOB_TABLES } from "./read-job.ts";

type Order = "asc" | "desc";
const BEHIND = { asc: ">", desc: "<" } as const;

/** $7 is the size of the page, $8 the last id of the one before. */
const byId = (order: Order) =>
  listing(`list_jobs_by_id_${order}`, `($8::uuid is null or j.id ${BEHIND[order]} $8)`, `j.id ${order}`);

/** Names of deleted jobs may be alike, hence the id behind the name. $9 is the last name of the page before. */
const byName = (order: Order) =>
  listing(
    `list_jobs_by_name_${order}`,
    `($8::uuid is null or (j.name, j.id) ${BEHIND[order]} ($9::text, $8))`,
    `j.name ${order}, j.id ${order}`,
  );

function listing(name: string, behind: string, order: string): Statement {
  const arms = JOB_STATES.map(
    (state) => `(select j.id, j.name from punctual.job j
       where '${state}' = any($2::text[]) and j.state = '${state}' and ${behind} and ${JOB_FILTER} order by ${order} limit $7)`,
  );
  return statement(
    name,
    `with page as materialized (select j.id from (${arms.join("\n union all ")}) as j order by ${order} limit $7)
     select ${JOB_VIEW_COLUMNS} from ${JOB_TABLES} where j.id = any(array(select id from page)) order by ${order}`,
  );
}

/** Jobs with a next fire, walked from the cursors; $9 is the last fire of the page before. */
const byNextFire = (order: Order) =>
  statement(
    `list_jobs_by_next_fire_${order}`,
    `with page as materialized (
       select j.id from punctual.cursor c join punctual.job j on j.id = c.job_id
       where not c.parked and c.next_fire_at is not null and j.state = any($2::text[])
         and ($8::uuid is null or (c.next_fire_at, c.job_id) ${BEHIND[order]} ($9::timestamptz, $8)) and ${JOB_FILTER}
       order by c.next_fire_at ${order}, c.job_id ${order} limit $7
     )
     select ${JOB_VIEW_COLUMNS} from ${JOB_TABLES} where j.id = any(array(select id from page))
     order by c.next_fire_at ${order}, c.job_id ${order}`,
  );

/** Jobs without one come after those, newest first. */
const idle = listing(
  "list_idle_jobs",
  `($8::uuid is null or j.id < $8)
   and exists (select from punctual.cursor c where c.job_id = j.id and (c.parked or c.next_fire_at is null))`,
  "j.id desc",
);

export const listJobsSql = {
  byId: { asc: byId("asc"), desc: byId("desc") },
  byName: { asc: byName("asc"), desc: byName("desc") },
  byNextFire: { asc: byNextFire("asc"), desc: byNextFire("desc") },
  idle,
};

interface Page {
  sort: JobSort;
  after: string | null;
  limit: number;
}

export async function listJobs(
  db: Queryable,
  projectId: string,
  asked: JobFilter,
  { sort, after, limit }: Page,
): Promise<{ items: JobRecord[]; next: string | null }> {
  const filter = await resolveText(db, projectId, asked);
  const values = [...jobFilterValues(projectId, filter), limit + 1];
  const place = after === null ? null : decodeCursor(sort, after);
  const id = place === null ? null : cursorId(place[0], after!);
  const order = sort.startsWith("-") ? "desc" : "asc";
  const rows = await { created: readById, name: readByName, nextFireAt: readByNextFire }[field(sort)]();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(toViewedJob),
    next: rows.length > limit && last ? encodeCursor(sort, [last.id, keyOf(field(sort), last)]) : null,
  };

  async function readById() {
    return await db.run<JobViewRow>(listJobsSql.byId[order], [...values, id]);
  }

  async function readByName() {
    return await db.run<JobViewRow>(listJobsSql.byName[order], [...values, id, String(place?.[1] ?? "")]);
  }

  async function readByNextFire() {
    const fire = place?.[1] ?? null;
    const inIdle = place !== null && fire === null;
    const found = inIdle ? [] : await db.run<JobViewRow>(listJobsSql.byNextFire[order], [...values, id, fire]);
    if (found.length > limit) return found;
    const rest = [...values.slice(0, -1), limit + 1 - found.length, inIdle ? id : null];
    return [...found, ...(await db.run<JobViewRow>(idle, rest))];
  }
}

function field(sort: JobSort): "created" | "name" | "nextFireAt" {
  return sort.replace("-", "") as "created" | "name" | "nextFireAt";
}

function keyOf(sorted: "created" | "name" | "nextFireAt", row: JobViewRow): string | null {
  if (sorted === "name") return row.spec.name;
  return sorted === "nextFireAt" ? (row.next_fire_at?.toISOString() ?? null) : null;
}
