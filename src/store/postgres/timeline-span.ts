// What the statements of a timeline have in common: where an execution stands on it, and which of them are one.

import type { ExecutionState } from "../../contract/execution.ts";

const STARTS = "case e.state when 'skipped' then e.scheduled_at else coalesce(e.started_at, e.finished_at) end";
const ENDS = "case e.state when 'skipped' then coalesce(e.scheduled_until, e.scheduled_at) else e.finished_at end";

/** Of `execution e`: what was skipped stands at its instants, what was ended before it started where it was ended. */
export const MARKED = `e.id, e.state, e.reason_code as reason, e.count as n, ${STARTS} as starts, ${ENDS} as ends`;

/**
 * Spans of rows `s`, which are marked so, with `step` a parameter, the length of a step in milliseconds. Everything is counted from one moment, so that
 * steps stay where they are while the window moves on. There is no max of ids; of a text in this order there is, and quickly.
 */
export const SPAN = `s.state, min(s.reason) as reason, sum(s.n) as n, count(*) as rows, max(s.id::text collate "C") as latest,
       min(s.starts) as starts, max(s.ends) as ends`;
export const spansBy = (step: string) =>
  `s.state, case s.state when 'skipped' then s.reason end, date_bin(${step}::integer * interval '1 millisecond', s.starts, timestamptz 'epoch')`;

export interface SpanRow {
  job_id: string;
  /** What is in the queue for later is `planned`. */
  state: ExecutionState | "planned";
  reason: string | null;
  n: number;
  rows: number;
  latest: string;
  starts: Date;
  ends: Date | null;
}
