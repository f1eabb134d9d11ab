// What has served its time, other than the ledger's days. Every delete is bounded: a long one would hold its snapshot
// against the vacuum of the hot tables.

import { type Queryable, statement } from "./database.ts";
import { foldCounts } from "./fold-counts.ts";

const BOUNDED = (table: string, key: string, condition: string) =>
  `delete from punctual.${table} where (${key}) in (select ${key} from punctual.${table} where ${condition} limit $1)`;

export const sweepIdempotencyKeysSql = statement(
  "sweep_idempotency_keys",
  `with gone as (${BOUNDED("idempotency_key", "project_id, key", "created_at < now() - interval '24 hours'")} returning 1) select count(*) as n from gone`,
);
export const sweepTriggerKeysSql = statement(
  "sweep_trigger_keys",
  `with gone as (${BOUNDED("trigger_key", "job_id, key", "created_at < now() - $2::bigint * interval '1 millisecond'")} returning 1) select count(*) as n from gone`,
);
export const sweepDeadLettersSql = statement(
  "sweep_dead_letters",
  `with gone as (${BOUNDED("dead_letter", "execution_id", "handled_at < now() - $2::bigint * interval '1 millisecond'")} returning 1) select count(*) as n from gone`,
);
export const sweepMinuteCountsSql = statement(
  "sweep_minute_counts",
  `with gone as (
     delete from punctual.minute_count where ctid = any(array(
       select ctid from punctual.minute_count where minute < now() - $2::bigint * interval '1 millisecond' limit $1)) returning 1
   ) select count(*) as n from gone`,
);

/** Keys that were revoked or expired long ago: until then whoever still comes with one is told what became of it. */
export const sweepApiKeysSql = statement(
  "sweep_api_keys",
  `with gone as (${BOUNDED("api_key", "id", "least(revoked_at, expires_at) < now() - $2::bigint * interval '1 millisecond'")} returning 1) select count(*) as n from gone`,
);

/** Over by their time. Those that were not used for long are over too, but may wait for it. */
export const sweepSessionsSql = statement(
  "sweep_sessions",
  `with gone as (${BOUNDED("session", "id", "expires_at < now()")} returning 1) select count(*) as n from gone`,
);
export const sweepLinksSql = statement(
  "sweep_links",
  `with gone as (${BOUNDED("link", "hash", "expires_at < now()")} returning 1) select count(*) as n from gone`,
);

/** Signing keys that were rotated and have not signed for as long as the longest overlap. */
export const sweepSigningKeysSql = statement(
  "sweep_signing_keys",
  `with gone as (${BOUNDED("signing_key", "id", "expires_at < now() - interval '30 days'")} returning 1) select count(*) as n from gone`,
);

/** Handlers that nobody has offered for so long are as good as never seen. */
export const sweepHandlersSql = statement(
  "sweep_handlers",
  `with gone as (
     delete from punctual.handler where (project_id, name) in (
       select h.project_id, h.name from punctual.handler h where h.last_seen_at < now() - $2::bigint * interval '1 millisecond'
         and not exists (select from punctual.worker w where w.project_id = h.project_id
           and w.handlers @> jsonb_build_array(jsonb_build_object('name', h.name))) limit $1) returning 1
   ) select count(*) as n from gone`,
);

/** One-time jobs whose time of keeping is over. What code still declares stays, or its next start would make it anew. */
export const expiredJobsSql = statement(
  "expired_jobs",
  `select j.id, j.project_id from punctual.job j where j.expires_at < now() and j.state = 'completed'
     and not exists (select from punctual.code_job c where c.job_id = j.id and c.undeclared_at is null) limit $1`,
);

/** Deleted jobs of which the ledger no longer speaks. */
export const purgeJobsSql = statement(
  "purge_jobs",
  `with old as materialized (
     select j.id from punctual.job j where j.expires_at < now() and j.state = 'deleted'
       and not exists (select from punctual.queue q where q.job_id = j.id)
       and not exists (select from punctual.dead_letter d where d.job_id = j.id)
     order by j.id limit $1 for update of j
   ),
   cursors as (delete from punctual.cursor c using old where c.job_id = old.id),
   gates as (delete from punctual.gate t using old where t.job_id = old.id),
   versions as (delete from punctual.job_version v using old where v.job_id = old.id)
   select id from old`,
);
export const purgeJobRowsSql = statement(
  "purge_job_rows",
  "delete from punctual.job j where j.id = any($1::uuid[]) returning j.id",
);

export const elapsedPausesSql = statement(
  "elapsed_pauses",
  "select j.id, j.project_id from punctual.job j where j.pause_until <= now() and j.state = 'paused' order by j.pause_until limit $1",
);

export const analyzeLedgerSql = statement("analyze_ledger", "analyze punctual.execution, punctual.execution_log");

export async function sweep(
  db: Queryable,
  options: { retentionMs: number; limit: number },
): Promise<Record<string, number>> {
  const count = async (which: typeof sweepTriggerKeysSql, values: unknown[]) =>
    (await db.run<{ n: number }>(which, values))[0]!.n;
  const purged = await db.transaction(async (tx) => {
    const old = await tx.run<{ id: string }>(purgeJobsSql, [options.limit]);
    return old.length === 0 ? 0 : (await tx.run(purgeJobRowsSql, [old.map((row) => row.id)])).length;
  });
  return {
    idempotencyKeys: await count(sweepIdempotencyKeysSql, [options.limit]),
    triggerKeys: await count(sweepTriggerKeysSql, [options.limit, options.retentionMs]),
    deadLetters: await count(sweepDeadLettersSql, [options.limit, options.retentionMs]),
    minuteCounts: await count(sweepMinuteCountsSql, [options.limit, options.retentionMs]),
    foldedCounts: await foldCounts(db, options.limit),
    apiKeys: await count(sweepApiKeysSql, [options.limit, options.retentionMs]),
    sessions: await count(sweepSessionsSql, [options.limit]),
    links: await count(sweepLinksSql, [options.limit]),
    signingKeys: await count(sweepSigningKeysSql, [options.limit]),
    handlers: await count(sweepHandlersSql, [options.limit, options.retentionMs]),
    jobs: purged,
  };
}
