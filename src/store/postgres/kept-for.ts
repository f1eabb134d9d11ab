import { type Queryable, statement } from "./database.ts";

/** In two statements: the second sees what another node said a moment ago. */
export const sayKeptForSql = statement(
  "say_kept_for",
  `insert into punctual.kept_for (retention_ms, said_at) values ($1, now())
   on conflict (retention_ms) do update set said_at = excluded.said_at`,
);

export const readKeptForSql = statement(
  "read_kept_for",
  "select max(k.retention_ms) as retention_ms from punctual.kept_for k where k.said_at > now() - interval '7 days'",
);

/** Says how long this process would keep history, and answers the longest that any said within a week: as long may the one that keeps longest be away. */
export async function keptFor(db: Queryable, retentionMs: number): Promise<number> {
  await db.run(sayKeptForSql, [retentionMs]);
  const [row] = await db.run<{ retention_ms: number }>(readKeptForSql, []);
  return row!.retention_ms;
}
