import { type Queryable, statement } from "./database.ts";

/**
 * The lock keeps the project from being deleted until the transaction is over: whatever is made in it is seen by the
 * deletion, or sees the deletion. It is the lock that the foreign keys take anyway.
 */
export const enterProjectSql = statement(
  "enter_project",
  "select clock_timestamp() as now from punctual.project p where p.id = $1 and p.deleted_at is null for key share",
);

/** First in a transaction that makes something in a project. The database's time, or null if the project is gone. */
export async function enterProject(tx: Queryable, projectId: string): Promise<Date | null> {
  const [row] = await tx.run<{ now: Date }>(enterProjectSql, [projectId]);
  return row?.now ?? null;
}
