// Triggers, one or a thousand in one statement. The jobs are locked (share), so that a delete that is under way is seen.
// Ids begin with the moment of the run by the database's clock: the rest of each id is made here and put behind that
// moment in SQL.

import type { Execution } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import type { IdSource } from "../../core/ids.ts";
import type { TriggerOneResult, TriggerRequest, TriggerResult } from "../port/jobs.ts";
import { bigintArray, intArray, jsonArray, smallintArray, textArray, timeArray, uuidArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";
import { toExecution } from "./execution-row.ts";
import { findExecution } from "./find-execution.ts";
import { readClock } from "./read-due-cursors.ts";
import { isUuid } from "./read-job.ts";

/** Joined by the one or by the other: an "or" would compare every trigger with every job. */
const matched = (
  on: string,
) => `select i.nth, i.run_at, i.payload, i.key, j.id as job_id, j.name as job_name, j.version, j.lane,
       coalesce(i.priority, j.priority) as priority, coalesce(i.overlap, 'allow') as overlap,
       j.overlap <> 'allow' or coalesce(i.overlap, 'allow') <> 'allow' as gated,
       (lpad(to_hex((date_part('epoch', i.run_at) * 1000)::bigint), 12, '0') || i.id_tail)::uuid as id
     from input i join jobs j on ${on}`;

/**
 * `where` says which of those whose job was found are inserted; `select` what is told of each; `given` are values of each beside its own, by
 * their names, and `first` what is to be done with them before.
 */
export const triggerText = ({
  where,
  select,
  given = {},
  first = "",
}: {
  where: string;
  select: string;
  given?: Record<string, string>;
  first?: string;
}) => `with input as materialized (
     select i.*, coalesce(i.at, now() + i.delay_ms * interval '1 millisecond')::timestamptz(3) as run_at
     from unnest($2::integer[], $3::uuid[], $4::text[], $5::text[], $6::json[], $7::timestamptz[], $8::bigint[], $9::smallint[], $10::text[], $11::text[]${listed(Object.values(given))})
       as i (nth, job_id, job_name, id_tail, payload, at, delay_ms, priority, key, overlap${listed(Object.keys(given))})
   ),
   jobs as materialized (
     select j.id, j.name, j.version, j.priority, j.lane, j.overlap from punctual.job j
     where j.project_id = $1 and j.state <> 'deleted'
       and (j.id = any(array(select job_id from input where job_id is not null)) or j.name = any(array(select job_name from input where job_name is not null)))
     order by j.id for share
   ),
   matched as materialized (${matched("j.id = i.job_id")} union all ${matched("j.name = i.job_name")}),${first}
   added as (
     insert into punctual.queue (id, project_id, job_id, version, payload_version, payload, trigger, state, hold, scheduled_at, run_at, priority, lane,
       overlap, gated, key, root_id, triggered_by, created_at)
     select m.id, $1, m.job_id, m.version, m.version, m.payload, 'manual', 'scheduled',
       case when m.run_at > now() + $12::integer * interval '1 millisecond' then 'later' end, m.run_at, m.run_at, m.priority, m.lane,
       m.overlap, m.gated, m.key, m.id, $13, now()
     from matched m where ${where}
   )
   ${select}`;

function listed(more: string[]): string {
  return more.map((each) => `, ${each}`).join("");
}

/** All or none. */
export const triggerSql = statement(
  "trigger",
  triggerText({
    where: "(select count(*) from matched) = (select count(*) from input)",
    select: "select m.nth, m.id, m.job_id from matched m order by m.nth",
  }),
);

/** Of `matched m`, told as a whole. */
export const TOLD = `m.id, m.job_id, m.job_name, m.version, m.run_at, m.priority, now()::timestamptz(3) as created_at,
       case when m.payload is null then (select v.spec -> 'payload' from punctual.job_version v
         where v.job_id = m.job_id and v.version = m.version) end as payload`;

/** Each for itself. */
const TRIGGER_EACH = triggerText({ where: "true", select: `select m.nth, ${TOLD} from matched m` });
export const triggerEachSql = statement("trigger_each", TRIGGER_EACH);
/** Of so few any plan is good, and making one would take longer than all the rest. */
export const triggerFewSql = statement("trigger_few", TRIGGER_EACH, "kept");
export const FEW = 64;

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

export interface TriggerOptions {
  actor: string;
  horizonMs: number;
  /** Whether the connection takes arrays in binary; ours do, somebody else's may not. */
  binary?: boolean;
}

export async function trigger(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  items: TriggerRequest[],
  options: TriggerOptions,
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
  options: TriggerOptions,
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

/** Triggers that have no key and nothing to do with each other. */
export async function triggerEach(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  items: TriggerRequest[],
  options: TriggerOptions,
): Promise<TriggerOneResult[]> {
  const made = items.map((item) => ({ ...item, id: ids.next(0) }));
  const text = items.length <= FEW ? triggerFewSql : triggerEachSql;
  const rows = await db.run<TriggeredRow>(text, values(projectId, made, options));
  const byNth = new Map(rows.map((row) => [row.nth, row]));
  return items.map((item, nth) => {
    const row = byNth.get(nth);
    if (row === undefined) return { kind: "not_found", job: item.job };
    return { kind: "triggered", execution: triggered(row, item, options.actor), deduplicated: false };
  });
}

/** One that may have been made before: then it is read as it is now. */
export async function triggerByKey(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  item: TriggerRequest,
  options: TriggerOptions,
): Promise<TriggerOneResult> {
  try {
    const [result] = await trigger(db, ids, projectId, [item], options);
    if (result!.kind === "not_found") return result!;
    const execution = await findExecution(db, projectId, result!.executionId);
    return { kind: "triggered", execution: execution!, deduplicated: result!.deduplicated };
  } catch (error) {
    if (error instanceof UnknownJobs) return { kind: "not_found", job: item.job };
    throw error;
  }
}

export interface TriggeredRow {
  nth: number;
  id: string;
  job_id: string;
  job_name: string;
  version: number;
  run_at: Date;
  priority: number;
  created_at: Date;
  payload: Json;
}

/** As it would be read now; nothing can have happened to it yet. */
export function triggered(row: TriggeredRow, { payload = row.payload }: TriggerRequest, actor: string): Execution {
  return toExecution(
    {
      ...row,
      job_version: row.version,
      trigger: "manual",
      state: "scheduled",
      reason_code: null,
      reason_message: null,
      scheduled_at: row.run_at,
      scheduled_until: null,
      count: 1,
      attempt: 0,
      attempt_started_at: null,
      claim: null,
      node: null,
      worker: null,
      started_at: null,
      finished_at: null,
      lateness_ms: null,
      duration_ms: null,
      payload,
      result: null,
      error: null,
      key: null,
      retry_of: null,
      triggered_by: actor,
      progress: null,
      log_lines: 0,
      attempts: null,
      queued: true,
    },
    { payload: true, result: true, attempts: true },
  );
}

async function insert(
  db: Queryable,
  projectId: string,
  items: Item[],
  options: TriggerOptions,
): Promise<TriggerResult[]> {
  if (items.length === 0) return [];
  const rows = await db.run<{ nth: number; id: string; job_id: string }>(triggerSql, values(projectId, items, options));
  const byNth = new Map(rows.map((row) => [row.nth, row]));
  return items.map((item, nth) => {
    const row = byNth.get(nth);
    return row === undefined
      ? { kind: "not_found", job: item.job }
      : { kind: "triggered", executionId: row.id, jobId: row.job_id, deduplicated: false };
  });
}

export function values(
  projectId: string,
  items: Item[],
  { actor, horizonMs, binary = true }: TriggerOptions,
): unknown[] {
  const [jobIds, jobNames] = jobColumns(items);
  const tails = items.map((item) => item.id.replaceAll("-", "").slice(12));
  const payloads = items.map((item) => payloadText(item.payload));
  const delays = items.map((item) => item.delayMs ?? 0);
  const priorities = items.map((item) => item.priority ?? null);
  const keys = items.map((item) => item.key ?? null);
  const overlaps = items.map((item) => item.overlap ?? null);
  const columns = binary
    ? [
        intArray(items.map((_, nth) => nth)),
        uuidArray(jobIds),
        textArray(jobNames),
        textArray(tails),
        jsonArray(payloads),
        timeArray(items.map((item) => item.runAt?.getTime() ?? null)),
        bigintArray(delays),
        smallintArray(priorities),
        textArray(keys),
        textArray(overlaps),
      ]
    : [
        items.map((_, nth) => nth),
        jobIds,
        jobNames,
        tails,
        payloads,
        items.map((item) => item.runAt?.toISOString() ?? null),
        delays,
        priorities,
        keys,
        overlaps,
      ];
  return [projectId, ...columns, horizonMs, actor];
}

function jobColumns(items: { job: string }[]): [(string | null)[], (string | null)[]] {
  const named = items.map(({ job }) => !isUuid(job));
  return [
    items.map(({ job }, nth) => (named[nth] ? null : job)),
    items.map(({ job }, nth) => (named[nth] ? job : null)),
  ];
}

function payloadText(payload: Json | undefined): string | null {
  return payload === undefined ? null : JSON.stringify(payload);
}
