// Is the work being done? What is due and not started, what is held by nobody alive, what nobody takes.

import { type Queryable, statement } from "./database.ts";
import { heldRows } from "./held-rows.ts";

export const examineWorkSql = statement(
  "examine_work",
  `select clock_timestamp() as now,
     (select extract(epoch from now() - q.run_at)::float8 * 1000 from punctual.queue q
      where q.state <> 'running' and q.hold is null and q.lane not like '@%' and q.priority >= 0 and q.run_at <= now()
      order by q.run_at limit 1) as "lagMs",
     (select extract(epoch from now() - c.next_fire_at)::float8 * 1000 from punctual.cursor c
      where not c.parked and c.next_fire_at is not null and c.next_fire_at <= now()
      order by c.next_fire_at limit 1) as "planningLagMs",
     (select count(*) from ${heldRows("q.holder")} q
      left join punctual.node n on n.id = q.holder left join punctual.worker w on w.holder = q.holder
      where coalesce(greatest(n.lease_until, w.lease_until), '-infinity') < now() - interval '2 minutes') as "abandoned",
     (select count(*) from punctual.queue q
      where q.state = 'running' and q.holder is null and q.deadline < now() - interval '2 minutes') as "overdueCallbacks",
     (select count(*) from (select from punctual.dead_letter d where d.status = 'open' limit 10000) open) as "deadLetters"`,
);

export const examineHandlersSql = statement(
  "examine_handlers",
  `select p.name as project, substr(q.lane, 2) as handler, count(*) as waiting,
     extract(epoch from now() - min(q.run_at))::float8 * 1000 as "oldestMs"
   from punctual.queue q join punctual.project p on p.id = q.project_id
   where q.state <> 'running' and q.hold is null and q.lane like '@%' and q.priority >= 0 and q.run_at <= now()
     and not exists (
       select from punctual.worker w, jsonb_array_elements(w.handlers) h
       where w.project_id = q.project_id and w.lease_until > now() and not w.draining and '@' || (h ->> 'name') = q.lane)
   group by 1, 2 order by 3 desc limit 20`,
);

export const examineNodesSql = statement(
  "examine_nodes",
  `select n.name, n.roles, n.version, n.concurrency, n.lease_until > now() as alive,
     extract(epoch from now() - n.lease_until)::float8 * 1000 as "deadMs"
   from punctual.node n order by n.name limit 1000`,
);

export interface WorkState {
  now: Date;
  /** How late the oldest execution is that is due and not started, of those that nodes start; null: none is. */
  lagMs: number | null;
  /** The same of schedules whose next instant is not planned. */
  planningLagMs: number | null;
  /** Running, and held by nobody who is alive. */
  abandoned: number;
  overdueCallbacks: number;
  /** Open ones, counted up to 10,000. */
  deadLetters: number;
  unserved: { project: string; handler: string; waiting: number; oldestMs: number }[];
  nodes: { name: string; roles: string[]; version: string; concurrency: number; alive: boolean; deadMs: number }[];
}

export async function examineWork(db: Pick<Queryable, "run">): Promise<WorkState> {
  const [work] = await db.run<Omit<WorkState, "unserved" | "nodes">>(examineWorkSql, []);
  const unserved = await db.run<WorkState["unserved"][number]>(examineHandlersSql, []);
  const nodes = await db.run<WorkState["nodes"][number]>(examineNodesSql, []);
  return { ...work!, unserved, nodes };
}
