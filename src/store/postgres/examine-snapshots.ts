import { type Queryable, statement } from "./database.ts";

/**
 * What keeps rows that are gone from being cleaned away, for the whole server: a queue slows down by and by while an old
 * snapshot is held anywhere.
 */
export const examineSnapshotsSql = statement(
  "examine_snapshots",
  `select * from (
     (select 'transaction' as kind, a.pid::text as name, coalesce(a.application_name, '') as holder, a.datname::text as database,
        extract(epoch from clock_timestamp() - a.xact_start)::float8 * 1000 as "ageMs",
        age(coalesce(a.backend_xmin, a.backend_xid))::integer as transactions, coalesce(a.state, '') as state
      from pg_stat_activity a
      where a.xact_start is not null and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
        and coalesce(a.backend_xmin, a.backend_xid) is not null
      order by a.xact_start limit 5)
     union all
     (select 'prepared', p.gid, p.owner::text, p.database::text, extract(epoch from clock_timestamp() - p.prepared)::float8 * 1000,
        age(p.transaction)::integer, 'prepared'
      from pg_prepared_xacts p order by p.prepared limit 5)
     union all
     (select 'slot', s.slot_name::text, coalesce(s.plugin::text, s.slot_type), s.database::text, null,
        greatest(age(s.xmin), age(s.catalog_xmin))::integer, case when s.active then 'active' else 'inactive' end
      from pg_replication_slots s where s.xmin is not null or s.catalog_xmin is not null or not s.active
      order by 6 desc nulls last limit 5)
   ) held order by kind, "ageMs" desc nulls last`,
);

export interface HeldSnapshot {
  kind: "transaction" | "prepared" | "slot";
  /** The process number, the transaction's name or the slot's. */
  name: string;
  holder: string;
  database: string | null;
  ageMs: number | null;
  /** How many transactions have begun since. */
  transactions: number | null;
  state: string;
}

export async function examineSnapshots(db: Pick<Queryable, "run">): Promise<HeldSnapshot[]> {
  return await db.run<HeldSnapshot>(examineSnapshotsSql, []);
}
