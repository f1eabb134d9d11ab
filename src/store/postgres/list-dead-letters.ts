import type { DeadLetter, DeadLetterStatus } from "../../contract/dead-letter.ts";
import type { DeadLetterFilter } from "../port/executions.ts";
import { type Queryable, statement } from "./database.ts";
import { DEAD_LETTER_FILTER, deadLetterFilterValues } from "./dead-letter-filter.ts";
import { type ExecutionRow, toExecution } from "./execution-row.ts";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";

export const listDeadLettersSql = statement(
  "list_dead_letters",
  `select d.execution_id, d.job_id, j.name as job_name, d.status, d.fingerprint, d.execution, d.retried_as, d.created_at, d.handled_at, d.handled_by
   from (
     select each.* from unnest($2::text[]) as wanted (status) cross join lateral (
       select d.execution_id, d.job_id, d.status, d.fingerprint, d.execution, d.retried_as, d.created_at, d.handled_at, d.handled_by
       from punctual.dead_letter d
       where d.status = wanted.status and ($7::uuid is null or d.execution_id < $7) and ${DEAD_LETTER_FILTER}
       order by d.execution_id desc limit $6
     ) as each order by each.execution_id desc limit $6
   ) as d left join punctual.job j on j.id = d.job_id
   order by d.execution_id desc`,
);

interface Row {
  execution_id: string;
  job_id: string;
  job_name: string | null;
  status: DeadLetterStatus;
  fingerprint: string;
  execution: LedgerRowAsJson;
  retried_as: string | null;
  created_at: Date;
  handled_at: Date | null;
  handled_by: string | null;
}

/** The ledger's row at the time, kept whole because the ledger forgets it sooner. */
type LedgerRowAsJson = {
  [Column in keyof ExecutionRow]: ExecutionRow[Column] extends Date | null
    ? string | Extract<ExecutionRow[Column], null>
    : ExecutionRow[Column];
};

/** Newest first. */
export async function listDeadLetters(
  db: Queryable,
  projectId: string,
  filter: DeadLetterFilter,
  page: { after: string | null; limit: number },
): Promise<{ items: DeadLetter[]; next: string | null }> {
  const after = page.after === null ? null : cursorId(decodeCursor("dead", page.after)[0], page.after);
  const rows = await db.run<Row>(listDeadLettersSql, [
    ...deadLetterFilterValues(projectId, filter),
    page.limit + 1,
    after,
  ]);
  const items = rows.slice(0, page.limit).map(toDeadLetter);
  return { items, next: rows.length > page.limit ? encodeCursor("dead", [items.at(-1)!.id]) : null };
}

function toDeadLetter(row: Row): DeadLetter {
  const execution = toExecution(fromJson(row.execution, row.job_name), { payload: true, result: true, attempts: true });
  return {
    id: row.execution_id,
    jobId: row.job_id,
    jobName: execution.jobName,
    status: row.status,
    group: row.fingerprint,
    reason: execution.reason,
    error: execution.error,
    execution,
    retriedAs: row.retried_as,
    createdAt: row.created_at.toISOString(),
    handledAt: row.handled_at?.toISOString() ?? null,
    handledBy: row.handled_by,
  };
}

function fromJson(row: LedgerRowAsJson, jobName: string | null): ExecutionRow {
  const moment = (text: string | null) => (text === null ? null : new Date(text));
  return {
    ...row,
    job_name: jobName,
    scheduled_at: new Date(row.scheduled_at),
    scheduled_until: moment(row.scheduled_until),
    run_at: new Date(row.run_at),
    started_at: moment(row.started_at),
    finished_at: moment(row.finished_at),
    created_at: new Date(row.created_at),
    attempt_started_at: null,
    node: null,
    worker: null,
    queued: false,
  };
}
