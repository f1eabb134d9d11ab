// What has served its time, other than the ledger's days. Every delete is bounded: a long one would hold its snapshot
// against the vacuum of the hot tables.

import { type Queryable, type Statement, statement } from "./database.ts";
import { foldCounts } from "./fold-counts.ts";

/** Rows of a table that meet the condition, at most $1 of them. */
function sweeping(name: string, { table, key, where }: { table: string; key: string; where: string }): Statement {
  const rows = `select ${key} from punctual.${table} where ${where} limit $1`;
  return statement(
    `sweep_${name}`,
    `with gone as (delete from punctual.${table} where (${key}) in (${rows}) returning 1) select count(*) as n from gone`,
  );
}

/** $2 is in milliseconds. */
const RETENTION_AGO = "now() - $2::bigint * interval '1 millisecond'";

export const sweepIdempotencyKeysSql = sweeping("idempotency_keys", {
  table: "idempotency_key",
  key: "project_id, key",
  where: "created_at < now() - interval '24 hours'",
});
export const sweepTriggerKeysSql = sweeping("trigger_keys", {
  table: "trigger_key",
  key: "job_id, key",
  where: `created_at < ${RETENTION_AGO}`,
});
export const sweepDeadLettersSql = sweeping("dead_letters", {
  table: "dead_letter",
  key: "execution_id",
  where: `handled_at < ${RETENTION_AGO}`,
});
export const sweepMinuteCountsSql = statement(
  "sweep_minute_counts",
  `with gone as (
     delete from punctual.minute_count where ctid = any(array(
       select ctid from punctual.minute_count where minute < now() - $2::bigint * interval '1 millisecond' limit $1)) returning 1
   ) select count(*) as n from gone`,
);

/** Keys that were revoked or expired long ago: until then whoever still comes with one is told what became of it. */
export const sweepApiKeysSql = sweeping("api_keys", {
  table: "api_key",
  key: "id",
  where: `least(revoked_at, expires_at) < ${RETENTION_AGO}`,
});

/** Over by their time. Those that were not used for long are over too, but may wait for it. */
export const sweepSessionsSql = sweeping("sessions", { table: "session", key: "id", where: "expires_at < now()" });
export const sweepLinksSql = sweeping("links", { table: "link", key: "hash", where: "expires_at < now()" });

/** Signing keys that were rotated and have not signed for as long as the longest overlap. */
export const sweepSigningKeysSql = sweeping("signing_keys", {
  table: "signing_key",
  key: "id",
  where: "expires_at < now() - interval '30 days'",
});

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
  const count = async (which: Statement, values: unknown[]) => (await db.run<{ n: number }>(which, values))[0]!.n;
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
