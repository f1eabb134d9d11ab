import { type Queryable, statement } from "./database.ts";

export const examineConnectionsSql = statement(
  "examine_connections",
  `select current_setting('max_connections')::integer as max,
     current_setting('superuser_reserved_connections')::integer as reserved,
     count(*)::integer as used,
     count(*) filter (where a.application_name like 'punctual%')::integer as ours
   from pg_stat_activity a where a.backend_type = 'client backend'`,
);

export interface Connections {
  max: number;
  /** Of those, for superusers only. */
  reserved: number;
  used: number;
  /** Of those, Punctual's. */
  ours: number;
}

export async function examineConnections(db: Pick<Queryable, "run">): Promise<Connections> {
  const [row] = await db.run<Connections>(examineConnectionsSql, []);
  return row!;
}
