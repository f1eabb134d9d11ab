// Rows of the ledger for tests of what is told about the past: nobody can wait for it to happen.

import type pg from "pg";
import { IdSource } from "../../src/core/ids.ts";
import type { FinalState } from "../../src/core/states.ts";
import { PROJECT } from "./store.ts";

export interface PastExecution {
  /** When it was due. */
  at: Date;
  state: FinalState;
  latenessMs?: number;
  durationMs?: number;
  reason?: string;
  error?: { code: string; message: string };
  /** A stretch of skipped instants: the last of them, and how many. */
  until?: Date;
  count?: number;
}

const ids = new IdSource();

/** Writes what a job is to have done; gives the ids, in the same order. */
export async function layExecutions(
  pool: pg.Pool,
  job: { id: string; projectId?: string },
  executions: readonly PastExecution[],
): Promise<string[]> {
  const laid: string[] = [];
  for (const { at, state, latenessMs = 0, durationMs = 100, reason, error, until, count = 1 } of executions) {
    const id = ids.next(at.getTime());
    const ran = state !== "skipped";
    const startedAt = new Date(at.getTime() + latenessMs);
    const finishedAt = new Date(startedAt.getTime() + durationMs);
    await pool.query(
      `insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, scheduled_at, scheduled_until, count,
         run_at, priority, attempt, started_at, finished_at, lateness_ms, duration_ms, error, root_id, created_at)
       values ($1, $2, $3, 1, 1, 'schedule', $4, $5, $6, $7, $8, $6, 50, $9, $10, $11, $12, $13, $14, $1, $6)`,
      [
        ...[id, job.projectId ?? PROJECT, job.id, state, reason ?? (ran ? null : "misfire"), at, until ?? null, count],
        ...[ran ? 1 : 0, ran ? startedAt : null, finishedAt, ran ? latenessMs : null, ran ? durationMs : null],
        error === undefined ? null : JSON.stringify(error),
      ],
    );
    laid.push(id);
  }
  return laid;
}

/** So many that ended alike, one after the other at a distance, the last of them at a moment. */
export async function layMany(
  pool: pg.Pool,
  job: { id: string },
  {
    last,
    everyMs,
    count,
    state = "succeeded",
  }: { last: Date; everyMs: number; count: number; state?: "succeeded" | "failed" },
): Promise<void> {
  await pool.query(
    `insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, scheduled_at, run_at, priority, attempt, started_at,
       finished_at, lateness_ms, duration_ms, root_id, created_at)
     select r.id, $1, $2::uuid, 1, 1, 'schedule', $6, r.at, r.at, 50, 1, r.at, r.at + interval '100 milliseconds', 0, 100, r.id, r.at
     from (
       select $3::timestamptz - n * $4::integer * interval '1 millisecond' as at,
         (lpad(to_hex((extract(epoch from $3::timestamptz) * 1000)::bigint - n::bigint * $4), 12, '0') || '8000' || '8' || substr(md5($2::text || n), 1, 15))::uuid as id
       from generate_series(0, $5 - 1) n
     ) r`,
    [PROJECT, job.id, last, everyMs, count, state],
  );
}
