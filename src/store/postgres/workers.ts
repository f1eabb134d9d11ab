// Who offers handlers. Like a node a worker has one lease row, judged by the database's clock.

import type { HandlerOffer } from "../../contract/worker.ts";
import { holderId } from "../../core/ids.ts";
import type { WorkerRecord, WorkerStore } from "../port/workers.ts";
import { type Queryable, statement } from "./database.ts";
import { listHandlers, servedBy, watchHandlers } from "./handlers.ts";
import { heldRows } from "./held-rows.ts";
import { shelveAllOfSql } from "./shelve-claims.ts";

/**
 * Whoever was away begins anew: also one that was drained before. Handlers are written in order, so that two workers that
 * register at once wait for each other at most once.
 */
export const registerWorkerSql = statement(
  "register_worker",
  `with before as (select w.lease_until > now() as alive from punctual.worker w where w.holder = $1),
   written as (
     insert into punctual.worker as w (holder, project_id, id, name, kind, handlers, lease_ms, started_at, renewed_at, lease_until)
     values ($1, $2, $3, $4, $5, $6, $7::integer, now(), now(), now() + $7::integer * interval '1 millisecond')
     on conflict (holder) do update set name = excluded.name, kind = excluded.kind, handlers = excluded.handlers,
       lease_ms = excluded.lease_ms, renewed_at = excluded.renewed_at, lease_until = excluded.lease_until,
       draining = w.draining and w.lease_until > now(),
       started_at = case when w.lease_until > now() then w.started_at else excluded.started_at end
     returning w.holder
   ),
   seen as (
     insert into punctual.handler as h (project_id, name, first_seen_at, last_seen_at)
     select $2, offered.name, now(), now() from (select distinct o ->> 'name' as name from jsonb_array_elements($6::jsonb) as o) as offered
     order by offered.name
     on conflict (project_id, name) do update set last_seen_at = excluded.last_seen_at
   )
   select w.holder, coalesce((select alive from before), false) as was_alive from written w`,
);

export const renewWorkerSql = statement(
  "renew_worker",
  `update punctual.worker w set renewed_at = now(), lease_until = now() + w.lease_ms * interval '1 millisecond'
   where w.project_id = $1 and w.id = $2 returning w.holder, w.name, w.lease_ms, w.draining, w.handlers`,
);

const COLUMNS = `w.holder, w.project_id, w.id, w.name, w.kind, w.handlers, w.lease_ms, w.draining, w.started_at, w.renewed_at, w.lease_until,
  w.lease_until > now() as alive, (select count(*) from ${heldRows("q.id", "w.holder")} q) as running`;

export const findWorkerSql = statement(
  "find_worker",
  `select ${COLUMNS} from punctual.worker w where w.project_id = $1 and w.id = $2`,
);

export const listWorkersSql = statement(
  "list_workers",
  `select ${COLUMNS} from punctual.worker w where w.project_id = $1 order by w.started_at, w.id limit 1000`,
);

export const drainWorkerSql = statement(
  "drain_worker",
  "update punctual.worker w set draining = true where w.project_id = $1 and w.id = $2 returning w.id",
);

/** CTEs that follow `gone`, rows of workers: when their handlers were last seen is kept. Locked in order, like in the above. */
const HANDLERS_LAST_SEEN = `
offered as (
  select g.project_id, o ->> 'name' as name, max(g.renewed_at) as at
  from gone g cross join jsonb_array_elements(g.handlers) as o group by 1, 2
),
seen as materialized (
  select h.project_id, h.name, o.at from punctual.handler h join offered o on o.project_id = h.project_id and o.name = h.name
  order by h.project_id, h.name for update of h
),
handlers as (
  update punctual.handler h set last_seen_at = greatest(h.last_seen_at, s.at)
  from seen s where h.project_id = s.project_id and h.name = s.name
)`;

const HOLDS = `exists (select from ${heldRows("q.id", "w.holder")} q)`;
const DEAD = `w.lease_until < now() - interval '1 minute' and not ${HOLDS}`;

/** One that holds nothing is gone at once; the row of another is needed to tell whose its executions were. */
export const leaveWorkerSql = statement(
  "leave_worker",
  `with gone as (
     delete from punctual.worker w where w.project_id = $1 and w.id = $2
       and not ${HOLDS}
     returning w.id, w.project_id, w.handlers, w.renewed_at
   ),
   ended as (
     update punctual.worker w set lease_until = now() where w.project_id = $1 and w.id = $2
       and ${HOLDS}
     returning w.id
   ),
   ${HANDLERS_LAST_SEEN}
   select id from gone union all select id from ended`,
);

export const deadWorkersSql = statement(
  "dead_workers",
  `select w.holder from punctual.worker w where ${DEAD} limit 1000`,
);

export const forgetDeadWorkersSql = statement(
  "forget_dead_workers",
  `with dead as materialized (
     select w.holder from punctual.worker w where w.holder = any($1::uuid[]) and ${DEAD}
     order by w.holder for update skip locked
   ),
   gone as (
     delete from punctual.worker w using dead d where w.holder = d.holder
     returning w.project_id, w.id, w.name, w.handlers, w.renewed_at
   ),
   ${HANDLERS_LAST_SEEN}
   select project_id, id, name from gone`,
);

interface WorkerRow {
  holder: string;
  project_id: string;
  id: string;
  name: string;
  kind: WorkerRecord["kind"];
  handlers: HandlerOffer[];
  lease_ms: number;
  draining: boolean;
  started_at: Date;
  renewed_at: Date;
  lease_until: Date;
  alive: boolean;
  running: number;
}

export function workerStore(db: Queryable): WorkerStore {
  return {
    register: async (worker) => {
      const [row] = await db.run<{ holder: string; was_alive: boolean }>(registerWorkerSql, [
        holderId(worker.projectId, worker.id),
        worker.projectId,
        worker.id,
        worker.name,
        worker.kind,
        JSON.stringify(worker.handlers.map(({ name, slots }) => ({ name, slots }))),
        worker.leaseMs,
      ]);
      return { holder: row!.holder, joined: !row!.was_alive };
    },
    renew: async (projectId, id) => {
      const [row] = await db.run<Pick<WorkerRow, "holder" | "name" | "lease_ms" | "draining" | "handlers">>(
        renewWorkerSql,
        [projectId, id],
      );
      if (row === undefined) return null;
      const { holder, name, lease_ms: leaseMs, draining, handlers } = row;
      return { holder, name, leaseMs, draining, handlers };
    },
    find: async (projectId, id) => {
      const [row] = await db.run<WorkerRow>(findWorkerSql, [projectId, id]);
      return row === undefined ? null : toWorker(row);
    },
    list: async (projectId) => (await db.run<WorkerRow>(listWorkersSql, [projectId])).map(toWorker),
    drain: async (projectId, id) => (await db.run(drainWorkerSql, [projectId, id])).length > 0,
    leave: async (projectId, id) => (await db.run(leaveWorkerSql, [projectId, id])).length > 0,
    forgetDead: async () => {
      const dead = (await db.run<{ holder: string }>(deadWorkersSql, [])).map((row) => row.holder);
      if (dead.length === 0) return [];
      await db.run(shelveAllOfSql, [dead]);
      const rows = await db.run<Pick<WorkerRow, "project_id" | "id" | "name">>(forgetDeadWorkersSql, [dead]);
      return rows.map((row) => ({ projectId: row.project_id, id: row.id, name: row.name }));
    },
    handlers: (projectId) => listHandlers(db, projectId),
    servedBy: (projectId, handlers) => servedBy(db, projectId, handlers),
    watch: () => watchHandlers(db),
  };
}

function toWorker(row: WorkerRow): WorkerRecord {
  return {
    holder: row.holder,
    projectId: row.project_id,
    id: row.id,
    name: row.name,
    kind: row.kind,
    handlers: row.handlers,
    leaseMs: row.lease_ms,
    running: row.running,
    alive: row.alive,
    draining: row.draining,
    startedAt: row.started_at,
    renewedAt: row.renewed_at,
    leaseUntil: row.lease_until,
  };
}
