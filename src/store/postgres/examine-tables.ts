import { type Queryable, statement } from "./database.ts";

/** The tables that are written to all the time. The ledger's days are written once, and vacuumed like any table. */
export const examineTablesSql = statement(
  "examine_tables",
  `select s.relname as name, s.n_live_tup as live, s.n_dead_tup as dead, pg_total_relation_size(s.relid) as bytes,
     greatest(s.last_vacuum, s.last_autovacuum) as "vacuumedAt",
     not coalesce(c.reloptions @> array['autovacuum_enabled=false'] or c.reloptions @> array['autovacuum_enabled=off'], false) as autovacuum
   from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   where s.schemaname = 'punctual' and s.relname in ('queue', 'cursor', 'gate', 'job', 'attempt', 'node', 'worker') order by s.relname`,
);

export const examineSizesSql = statement(
  "examine_sizes",
  `select current_setting('autovacuum')::boolean as autovacuum, pg_database_size(current_database()) as bytes,
     (select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c
      where c.relnamespace = 'punctual'::regnamespace and c.relkind = 'r' and c.relname ~ '^execution(_log)?_\\d{8}$') as "ledgerBytes"`,
);

export interface TableState {
  name: string;
  live: number;
  dead: number;
  bytes: number;
  vacuumedAt: Date | null;
  autovacuum: boolean;
}

export interface Sizes {
  autovacuum: boolean;
  bytes: number;
  ledgerBytes: number;
}

export async function examineTables(db: Pick<Queryable, "run">): Promise<{ tables: TableState[]; sizes: Sizes }> {
  const tables = await db.run<TableState>(examineTablesSql, []);
  const [sizes] = await db.run<Sizes>(examineSizesSql, []);
  return { tables, sizes: sizes! };
}
