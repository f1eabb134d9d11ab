import type { ExecutionState } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import { LOG_LEVELS, type LogLevel, type LogLine } from "../../contract/log.ts";
import { type Queryable, statement } from "./database.ts";

/** State and lines are of one moment: whoever reads a final state has all the lines that were written before it. */
export const readLogLinesSql = statement(
  "read_log_lines",
  `select x.state, l.attempt, l.seq, l.at, l.level, l.message, l.fields
   from (select q.state from punctual.queue q where q.id = $2 and q.project_id = $1
         union all
         select e.state from punctual.execution e where e.id = $2 and e.project_id = $1 limit 1) x
     left join lateral (
       select l.attempt, l.seq, l.at, l.level, l.message, l.fields from punctual.execution_log l
       where l.execution_id = $2 and (l.attempt, l.seq) > ($3::integer, $4::integer) and l.level = any($5::text[])
       order by l.attempt, l.seq limit $6) l on true
   order by l.attempt, l.seq`,
);

type Row = { state: ExecutionState } & ({ attempt: null } | (Omit<LogLine, "at"> & { at: Date }));

export async function readLogLines(
  db: Queryable,
  projectId: string,
  executionId: string,
  page: { after: { attempt: number; seq: number } | null; level: LogLevel; limit: number },
): Promise<{ lines: LogLine[]; state: ExecutionState } | null> {
  const { attempt, seq } = page.after ?? { attempt: 0, seq: 0 };
  const levels = LOG_LEVELS.slice(LOG_LEVELS.indexOf(page.level));
  const rows = await db.run<Row>(readLogLinesSql, [projectId, executionId, attempt, seq, levels, page.limit]);
  const [first] = rows;
  return first === undefined ? null : { lines: rows.flatMap(toLine), state: first.state };
}

function toLine(row: Row): LogLine[] {
  if (row.attempt === null) return [];
  const { attempt, seq, at, level, message, fields } = row;
  return [{ attempt, seq, at: at.toISOString(), level, message, fields: fields as Record<string, Json> | null }];
}
