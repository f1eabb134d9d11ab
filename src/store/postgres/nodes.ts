import type { NodeRecord, NodeStore } from "../port/instance.ts";
import { type Queryable, statement } from "./database.ts";
import { heldRows } from "./held-rows.ts";
import { shelveAllOfSql } from "./shelve-claims.ts";

/** One row per node, not one per execution: a lease costs the same whatever the node holds. */
export const renewLeaseSql = statement(
  "renew_lease",
  `insert into punctual.node (id, name, roles, version, concurrency, started_at, renewed_at, lease_until)
   values ($1, $2, $3, $4, $5, now(), now(), now() + $6::integer * interval '1 millisecond')
   on conflict (id) do update set renewed_at = excluded.renewed_at, lease_until = excluded.lease_until
   returning renewed_at`,
);

export const leaveSql = statement("leave", "delete from punctual.node where id = $1");

export const listNodesSql = statement(
  "list_nodes",
  `select n.id, n.name, n.roles, n.version, n.concurrency, n.started_at, n.renewed_at, n.lease_until, n.lease_until > now() as alive,
     (select count(*) from ${heldRows("q.id", "n.id")} q) as running
   from punctual.node n order by n.started_at, n.id limit 1000`,
);

const DEAD = `n.lease_until < now() - interval '1 minute' and not exists (select from ${heldRows("q.id", "n.id")} q)`;

export const deadNodesSql = statement("dead_nodes", `select n.id from punctual.node n where ${DEAD} limit 1000`);

export const forgetNodesSql = statement(
  "forget_nodes",
  `delete from punctual.node n where n.id = any($1::uuid[]) and ${DEAD} returning n.id`,
);

interface NodeRow {
  id: string;
  name: string;
  roles: string[];
  version: string;
  concurrency: number;
  started_at: Date;
  renewed_at: Date;
  lease_until: Date;
  alive: boolean;
  running: number;
}

export function nodeStore(db: Queryable): NodeStore {
  const renew: NodeStore["renew"] = async (node) => {
    const [row] = await db.run<{ renewed_at: Date }>(renewLeaseSql, [
      node.id,
      node.name,
      node.roles,
      node.version,
      node.concurrency,
      node.leaseMs,
    ]);
    return row!.renewed_at;
  };
  return {
    join: renew,
    renew,
    leave: async (id) => void (await db.run(leaveSql, [id])),
    list: async () => (await db.run<NodeRow>(listNodesSql, [])).map(toNode),
    forgetDead: async () => {
      const dead = (await db.run<{ id: string }>(deadNodesSql, [])).map((row) => row.id);
      if (dead.length === 0) return [];
      await db.run(shelveAllOfSql, [dead]);
      return (await db.run<{ id: string }>(forgetNodesSql, [dead])).map((row) => row.id);
    },
  };
}

function toNode(row: NodeRow): NodeRecord {
  return {
    id: row.id,
    name: row.name,
    roles: row.roles,
    version: row.version,
    concurrency: row.concurrency,
    startedAt: row.started_at,
    renewedAt: row.renewed_at,
    leaseUntil: row.lease_until,
    alive: row.alive,
    running: row.running,
  };
}
