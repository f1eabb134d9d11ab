// Handlers: what workers offer on one side, what jobs want on the other, and what waits in between.

import type { HandlerView } from "../../contract/worker.ts";
import { type Queryable, statement } from "./database.ts";
import { handlerLanes } from "./handler-lanes.ts";

/** Names in one answer; beyond it nobody reads them one by one. */
const HANDLERS_SHOWN = 1_000;
/** Waiting executions are counted this far. */
const WAITING_MAX = 10_000;
/** Lanes with work that one watch looks at, and executions of each that it counts. */
const WATCHED_MAX = 2_000;
const WATCHED_WAITING_MAX = 1_000;

/** A living worker that takes more. */
const OFFERS = (project: string, name: string) =>
  `w.project_id = ${project} and w.lease_until > now() and not w.draining and w.handlers @> jsonb_build_array(jsonb_build_object('name', ${name}))`;

const DUE = (project: string, lane: string) =>
  `q.state <> 'running' and q.hold is null and q.lane like '@%' and q.project_id = ${project} and q.lane = ${lane} and q.priority >= 0 and q.run_at <= now()`;

/** The lanes that jobs want are found by stepping through the index, one probe each, however many jobs want each. */
export const listHandlersSql = statement(
  "list_handlers",
  `with recursive wanted as (
     (select j.lane from punctual.job j where j.project_id = $1 and j.lane like '@%' and j.state in ('active', 'paused') order by j.lane limit 1)
     union all
     select following.lane from wanted w cross join lateral (
       select j.lane from punctual.job j
       where j.project_id = $1 and j.lane > w.lane and j.lane like '@%' and j.state in ('active', 'paused') order by j.lane limit 1) following
   ),
   names as (
     select substr(w.lane, 2) as name from (select lane from wanted limit ${HANDLERS_SHOWN}) w
     union
     select h.name from (select h.name from punctual.handler h where h.project_id = $1 order by h.name limit ${HANDLERS_SHOWN}) h
     order by name limit ${HANDLERS_SHOWN}
   )
   select n.name, j.jobs, h.last_seen_at, o.workers, o.slots, o.renewed_at, d.waiting, d.oldest
   from names n
     left join punctual.handler h on h.project_id = $1 and h.name = n.name
     cross join lateral (
       select count(*) as jobs from punctual.job j
       where j.project_id = $1 and j.lane = '@' || n.name and j.lane like '@%' and j.state in ('active', 'paused')) j
     cross join lateral (
       select count(*) as workers, coalesce(sum((s ->> 'slots')::integer), 0) as slots, max(w.renewed_at) as renewed_at
       from punctual.worker w cross join jsonb_array_elements(w.handlers) as s
       where ${OFFERS("$1", "n.name")} and s ->> 'name' = n.name) o
     cross join lateral (
       select count(*) as waiting, min(q.run_at) as oldest from ${handlerLanes("n.name")} cross join lateral (
         select q.run_at from punctual.queue q where ${DUE("$1", "l.lane")} order by q.run_at limit ${WAITING_MAX}) q) d
   order by n.name`,
);

export const servedBySql = statement(
  "served_by",
  `select n.name, exists (select from punctual.worker w where ${OFFERS("$1", "n.name")}) as served,
     exists (select from punctual.handler h where h.project_id = $1 and h.name = n.name) as known
   from unnest($2::text[]) as n (name)`,
);

/** Every lane of every project with something due is one step through the index. */
export const watchHandlersSql = statement(
  "watch_handlers",
  `with recursive present as (
     (select q.project_id, q.lane, 1 as n from punctual.queue q
      where q.hold is null and q.lane like '@%' and q.priority >= 0 order by q.project_id, q.lane limit 1)
     union all
     select following.project_id, following.lane, p.n + 1 from present p cross join lateral (
       select q.project_id, q.lane from punctual.queue q
       where q.hold is null and q.lane like '@%' and q.priority >= 0 and (q.project_id, q.lane) > (p.project_id, p.lane)
       order by q.project_id, q.lane limit 1) following
     where p.n < ${WATCHED_MAX}
   ),
   lanes as (
     select p.project_id, p.lane, regexp_replace(substr(p.lane, 2), ' \\(catch-up\\)$', '') as name from present p
   ),
   waiting as (
     select l.project_id, l.name, sum(d.n) as n from lanes l cross join lateral (
       select count(*) as n from (select from punctual.queue q where ${DUE("l.project_id", "l.lane")} limit ${WATCHED_WAITING_MAX}) q) d
     where not exists (select from punctual.worker w where ${OFFERS("l.project_id", "l.name")})
     group by l.project_id, l.name
   )
   select null::uuid as project_id, null as name, (select count(*) from punctual.worker w where w.lease_until > now()) as n
   union all
   select w.project_id, w.name, w.n from waiting w where w.n > 0`,
);

interface HandlerRow {
  name: string;
  jobs: number;
  last_seen_at: Date | null;
  workers: number;
  slots: number;
  renewed_at: Date | null;
  waiting: number;
  oldest: Date | null;
}

export async function listHandlers(db: Queryable, projectId: string): Promise<HandlerView[]> {
  return (await db.run<HandlerRow>(listHandlersSql, [projectId])).map((row) => ({
    name: row.name,
    status: statusOf(row),
    workers: row.workers,
    slots: row.slots,
    jobs: row.jobs,
    waiting: Math.min(row.waiting, WAITING_MAX),
    oldestDueAt: row.oldest?.toISOString() ?? null,
    // Written when a worker registers or is gone; while one lives, its heartbeats say more.
    lastSeenAt: (row.renewed_at ?? row.last_seen_at)?.toISOString() ?? null,
  }));
}

function statusOf({ jobs, workers, last_seen_at }: HandlerRow): HandlerView["status"] {
  if (jobs === 0) return "unused";
  if (workers > 0) return "served";
  return last_seen_at === null ? "unknown" : "unserved";
}

export async function servedBy(
  db: Queryable,
  projectId: string,
  handlers: string[],
): Promise<Map<string, "served" | "unserved" | "unknown">> {
  if (handlers.length === 0) return new Map();
  const rows = await db.run<{ name: string; served: boolean; known: boolean }>(servedBySql, [projectId, handlers]);
  return new Map(
    rows.map(({ name, served, known }) => [name, served ? "served" : known ? "unserved" : "unknown"] as const),
  );
}

export async function watchHandlers(
  db: Queryable,
): Promise<{ active: number; unserved: { projectId: string; handler: string; waiting: number }[] }> {
  const [living, ...unserved] = await db.run<{ project_id: string; name: string; n: number }>(watchHandlersSql, []);
  return {
    active: living!.n,
    unserved: unserved.map((row) => ({ projectId: row.project_id, handler: row.name, waiting: row.n })),
  };
}
