// Triggers, one or a thousand in one statement. The jobs are locked (share), so that a delete that is under way is seen;
// nothing is inserted unless every job was found. Ids begin with the moment of the run by the database's clock: the rest of
// each id is made here and put behind that moment in SQL.

import type { Json } from "../../contract/json.ts";
import type { IdSource } from "../../core/ids.ts";
import type { TriggerRequest, TriggerResult } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";
import { readClock } from "./read-due-cursors.ts";
import { isUuid } from "./read-job.ts";

export const triggerSql = statement(
  "trigger",
  `with input as (
     select i.*, coalesce(i.at, now() + i.delay_ms * interval '1 millisecond')::timestamptz(3) as run_at
     from unnest($2::integer[], $3::uuid[], $4::text[], $5::text[], $6::json[], $7::timestamptz[], $8::bigint[], $9::smallint[], $10::text[], $11::text[])
       as i (nth, job_id, job_name, id_tail, payload, at, delay_ms, priority, key, overlap)
   ),
   jobs as materialized (
     select j.id, j.name, j.version, j.priority, j.lane, j.overlap from punctual.job j
     where j.project_id = $1 and j.state <> 'deleted'
       and (j.id = any(array(select job_id from input where job_id is not null)) or j.name = any(array(select job_name from input where job_name is not null)))
     order by j.id for share
   ),
   matched as (
     select i.nth, i.run_at, i.payload, i.key, j.id as job_id, j.version, j.lane, coalesce(i.priority, j.priority) as priority,
       coalesce(i.overlap, 'allow') as overlap, j.overlap <> 'allow' or coalesce(i.overlap, 'allow') <> 'allow' as gated,
       (lpad(to_hex((extract(epoch from i.run_at) * 1000)::bigint), 12, '0') || i.id_tail)::uuid as id
     from input i join jobs j on j.id = i.job_id or j.name = i.job_name
   ),
   added as (
     insert into punctual.queue (id, project_id, job_id, version, payload_version, payload, trigger, state, hold, scheduled_at, run_at, priority, lane,
       overlap, gated, key, root_id, triggered_by, created_at)
     select m.id, $1, m.job_id, m.version, m.version, m.payload, 'manual', 'scheduled',
       case when m.run_at > now() + $12::integer * interval '1 millisecond' then 'later' end, m.run_at, m.run_at, m.priority, m.lane,
       m.overlap, m.gated, m.key, m.id, $13, now()
     from matched m where (select count(*) from matched) = (select count(*) from input)
     returning id
   )
   select i.nth, m.id, m.job_id from input i left join matched m on m.nth = i.nth order by i.nth`,
);

export const reserveKeysSql = statement(
  "reserve_trigger_keys",
  `insert into punctual.trigger_key (job_id, key, execution_id, created_at)
   select j.id, i.key, i.id, now()
   from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as i (job_id, job_name, key, id)
     join punctual.job j on j.project_id = $1 and j.state <> 'deleted' and (j.id = i.job_id or j.name = i.job_name)
   order by j.id, i.key
   on conflict (job_id, key) do nothing`,
);

export const readKeysSql = statement(
  "read_trigger_keys",
  `select i.nth, k.execution_id, k.job_id
   from unnest($2::integer[], $3::uuid[], $4::text[], $5::text[]) as i (nth, job_id, job_name, key)
     join punctual.job j on j.project_id = $1 and j.state <> 'deleted' and (j.id = i.job_id or j.name = i.job_name)
     join punctual.trigger_key k on k.job_id = j.id and k.key = i.key`,
);

interface Item extends TriggerRequest {
  id: string;
}

export async function trigger(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  items: TriggerRequest[],
  options: { actor: string; horizonMs: number },
): Promise<TriggerResult[]> {
  if (items.length === 0) return [];
  if (items.every((item) => item.key === undefined))
    return await insert(
      db,
      projectId,
      items.map((item) => ({ ...item, id: ids.next(0) })),
      options,
    );
  return await db.transaction((tx) => triggerWithKeys(tx, ids, projectId, items, options));
}

/**
 * Keys first, in a statement of their own: whoever inserts a key makes the execution, everybody else is told of it. The
 * moment of the run is fixed before, because the key names the execution's id, and the id begins with that moment.
 */
async function triggerWithKeys(
  tx: Queryable,
  ids: IdSource,
  projectId: string,
  items: TriggerRequest[],
  options: { actor: string; horizonMs: number },
): Promise<TriggerResult[]> {
  const now = items.every((item) => item.runAt !== undefined) ? 0 : (await readClock(tx)).getTime();
  const timed: Item[] = items.map((item) => {
    const runAt = item.runAt ?? new Date(now + (item.delayMs ?? 0));
    return { ...item, runAt, id: ids.next(runAt.getTime()) };
  });
  const keyed = timed.map((item, nth) => ({ ...item, nth })).filter((item) => item.key !== undefined);
  await tx.run(reserveKeysSql, [
    projectId,
    ...jobColumns(keyed),
    keyed.map((item) => item.key),
    keyed.map((item) => item.id),
  ]);
  const known = await tx.run<{ nth: number; execution_id: string; job_id: string }>(readKeysSql, [
    projectId,
    keyed.map((item) => item.nth),
    ...jobColumns(keyed),
    keyed.map((item) => item.key),
  ]);
  const seen = new Map(known.filter((row) => timed[row.nth]!.id !== row.execution_id).map((row) => [row.nth, row]));
  const fresh = await insert(
    tx,
    projectId,
    timed.filter((_, nth) => !seen.has(nth)),
    options,
  );
  const missing = fresh.filter((result) => result.kind === "not_found");
  if (missing.length > 0) throw new UnknownJobs(missing);
  const rest = fresh.values();
  return timed.map((_, nth) => {
    const row = seen.get(nth);
    return row
      ? { kind: "triggered", executionId: row.execution_id, jobId: row.job_id, deduplicated: true }
      : rest.next().value!;
  });
}

/** Rolls the reserved keys back; turned into a value by the caller outside the transaction. */
export class UnknownJobs extends Error {
  readonly results: TriggerResult[];

  constructor(results: TriggerResult[]) {
    super("a trigger names an unknown job");
    this.results = results;
  }
}

async function insert(
  db: Queryable,
  projectId: string,
  items: Item[],
  options: { actor: string; horizonMs: number },
): Promise<TriggerResult[]> {
  if (items.length === 0) return [];
  const rows = await db.run<{ nth: number; id: string | null; job_id: string | null }>(triggerSql, [
    projectId,
    items.map((_, nth) => nth),
    ...jobColumns(items),
    items.map((item) => item.id.replaceAll("-", "").slice(12)),
    items.map((item) => payloadText(item.payload)),
    items.map((item) => item.runAt?.toISOString() ?? null),
    items.map((item) => item.delayMs ?? 0),
    items.map((item) => item.priority ?? null),
    items.map((item) => item.key ?? null),
    items.map((item) => item.overlap ?? null),
    options.horizonMs,
    options.actor,
  ]);
  return rows.map((row) =>
    row.id === null
      ? { kind: "not_found", job: items[row.nth]!.job }
      : { kind: "triggered", executionId: row.id, jobId: row.job_id!, deduplicated: false },
  );
}

function jobColumns(items: { job: string }[]): [(string | null)[], (string | null)[]] {
  return [
    items.map((item) => (isUuid(item.job) ? item.job : null)),
    items.map((item) => (isUuid(item.job) ? null : item.job)),
  ];
}

function payloadText(payload: Json | undefined): string | null {
  return payload === undefined ? null : JSON.stringify(payload);
}
