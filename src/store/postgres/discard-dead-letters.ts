import { type Queryable, statement } from "./database.ts";

export const discardDeadLettersSql = statement(
  "discard_dead_letters",
  `with open as materialized (
     select d.execution_id from punctual.dead_letter d
     where d.project_id = $1 and d.execution_id = any($2::uuid[]) and d.status = 'open' order by d.execution_id for update
   )
   update punctual.dead_letter d set status = 'discarded', handled_at = now(), handled_by = $3
   from open o where d.execution_id = o.execution_id
   returning d.execution_id`,
);

/** Only open ones; the answer counts those that were. */
export async function discardDeadLetters(
  db: Queryable,
  projectId: string,
  ids: string[],
  actor: string,
): Promise<number> {
  return (await db.run(discardDeadLettersSql, [projectId, ids, actor])).length;
}
