import type { DeadLetterFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { DEAD_LETTER_FILTER, deadLetterFilterValues } from "./dead-letter-filter.ts";

export const matchingDeadLettersSql = statement(
  "matching_dead_letters",
  `select d.execution_id as id from punctual.dead_letter d where d.status = any($2::text[]) and ${DEAD_LETTER_FILTER}
   order by d.execution_id desc limit $6`,
);

/** Newest first. */
export async function matchingDeadLetters(
  db: Queryable,
  projectId: string,
  filter: DeadLetterFilter,
  limit: number,
): Promise<string[]> {
  const rows = await db.run<{ id: string }>(matchingDeadLettersSql, [
    ...deadLetterFilterValues(projectId, filter),
    limit,
  ]);
  return rows.map((row) => row.id);
}
