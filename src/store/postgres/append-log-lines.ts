// Lines that running executions wrote. Only the holder of a claim may write: rows are matched by claim and locked, in the
// order of their ids like everywhere, until the counts that bound each log are moved. Of lines that came twice the table
// keeps one, whatever the two senders saw. When a log is full its last line says so, under the number of the first line
// that did not fit, and `log_bytes` stands at its limit, which nothing else brings about: so it says so once. Lines that
// are there already are looked up one by one, `(select …) is null`: a `not exists` may be planned as a join over all logs.

import { LOG_BYTES_MAX, LOG_LINES_MAX } from "../../contract/log-limits.ts";
import { storableLine } from "../../core/storable-line.ts";
import type { LogBatch } from "../port/logs.ts";
import { type Queryable, statement } from "./database.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FULL = "the log ends here: an execution keeps at most";

const sizeOf = (line: string) => `octet_length(${line}.message) + coalesce(octet_length(${line}.fields::text), 0)`;

export const appendLogLinesSql = statement(
  "append_log_lines",
  `with input as (
     select i.id, i.claim, i.seq, i.at, i.level, i.message, i.fields, ${sizeOf("i")} as size
     from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::text[], $6::text[], $7::json[])
       as i (id, claim, seq, at, level, message, fields)
   ),
   held as materialized (
     select q.id, q.claim, q.attempt, q.log_lines, q.log_bytes from punctual.queue q
     where q.id = any(array(select distinct i.id from input i)) and q.state = 'running'
       and exists (select from input i where i.id = q.id and i.claim = q.claim)
     order by q.id for no key update of q
   ),
   fresh as materialized (
     select h.id, h.attempt, i.seq, coalesce(i.at, now()) as at, i.level, i.message, i.fields, h.log_bytes >= ${LOG_BYTES_MAX} as full,
       h.log_lines + row_number() over earlier < ${LOG_LINES_MAX} as in_lines,
       h.log_bytes + sum(i.size) over earlier < ${LOG_BYTES_MAX} as in_bytes
     from held h join input i on i.id = h.id and i.claim = h.claim
     where (select true from punctual.execution_log l
            where l.execution_id = h.id and l.attempt = h.attempt and l.seq = i.seq) is null
     window earlier as (partition by h.id order by i.seq rows unbounded preceding)
   ),
   cut as materialized (
     select distinct on (f.id) f.id, f.attempt, f.seq, f.at, case when f.in_lines then $9 else $8 end as message
     from fresh f where not f.full and not (f.in_lines and f.in_bytes) order by f.id, f.seq
   ),
   kept as (
     insert into punctual.execution_log as l (execution_id, attempt, seq, at, level, message, fields)
     select f.id, f.attempt, f.seq, f.at, f.level, f.message, f.fields from fresh f where f.in_lines and f.in_bytes
     union all
     select c.id, c.attempt, c.seq, c.at, 'warn', c.message, null from cut c
     on conflict do nothing
     returning l.execution_id, ${sizeOf("l")} as size
   ),
   counted as (
     update punctual.queue q set log_lines = q.log_lines + k.lines,
       log_bytes = case when k.is_cut then ${LOG_BYTES_MAX} else q.log_bytes + k.bytes end
     from (select kept.execution_id as id, count(*) as lines, sum(kept.size) as bytes,
             exists (select from cut c where c.id = kept.execution_id) as is_cut from kept group by kept.execution_id) k
     where q.id = k.id
   )
   select (select count(*) from held h join input i on i.id = h.id and i.claim = h.claim)
     - (select count(*) from fresh f where not (f.in_lines and f.in_bytes)) as accepted`,
);

export async function appendLogLines(
  db: Queryable,
  batches: LogBatch[],
): Promise<{ accepted: number; dropped: number }> {
  const total = batches.reduce((sum, { lines }) => sum + lines.length, 0);
  const named = batches.filter(({ id, claim }) => UUID.test(id) && UUID.test(claim));
  const lines = named.flatMap(({ id, claim, lines }) => lines.map((line) => ({ id, claim, ...storableLine(line) })));
  if (lines.length === 0) return { accepted: 0, dropped: total };
  const [row] = await db.run<{ accepted: number }>(appendLogLinesSql, [
    lines.map(({ id }) => id),
    lines.map(({ claim }) => claim),
    lines.map(({ seq }) => seq),
    lines.map(({ at }) => at),
    lines.map(({ level }) => level),
    lines.map(({ message }) => message),
    lines.map(({ fields }) => fields),
    `${FULL} ${LOG_LINES_MAX.toLocaleString("en")} lines`,
    `${FULL} ${LOG_BYTES_MAX.toLocaleString("en")} bytes of log`,
  ]);
  return { accepted: row!.accepted, dropped: total - row!.accepted };
}
