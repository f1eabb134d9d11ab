// Weeks of history in some minutes: one execution of each kind is made by a node, and copied.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { copyRow, fireId, jobId } from "../support/copied-rows.ts";
import type { ServiceNode } from "../support/service-node.ts";

export interface LedgerSize {
  days: number;
  rowsPerDay: number;
  jobs: number;
}

/** The first job has a fifth of all executions, the last ran once, on the oldest day; all others have about the same. */
export const BUSY_JOB = 1;
/** So many of them have the tag `rare`; every second one has `common`. */
const RARELY_TAGGED = 3;

/** Of a thousand executions these end otherwise; all others succeed. */
const KINDS = [
  { name: "failed", only: "g % 1000 < 10", changed: {} },
  { name: "unknown", from: "failed", only: "g % 1000 = 10", changed: { state: "'unknown'" } },
  { name: "skipped", only: "g % 1000 between 11 and 14", changed: { count: "1", scheduled_until: "null" } },
  { name: "cancelled", only: "g % 1000 between 15 and 16", changed: {} },
  { name: "manual", only: "g % 1000 between 17 and 26", changed: {} },
  { name: "succeeded", only: "g % 1000 > 26", changed: {} },
];

/** Lets a node make one execution of each kind; their ids by kind. */
async function makeTemplates({ client }: ServiceNode, targetUrl: string): Promise<Map<string, string>> {
  const target = (path: string) => ({ type: "http" as const, url: targetUrl + path });
  const plain = await client.jobs.create({ name: "plain", schedule: { every: "1s" }, target: target("/ok") });
  const failing = await client.jobs.create({
    name: "failing",
    target: target("/fail"),
    retry: { maxAttempts: 2, initialDelay: "100ms" },
  });
  const failed = await client.jobs.trigger(failing.id);
  const later = await client.jobs.trigger(plain.id, { delay: "1h" });
  const manual = await client.jobs.trigger(plain.id);
  await client.executions.cancel(later.id);
  await client.executions.waitFor(failed.id);
  await client.executions.waitFor(manual.id);
  // Fires that run, then fires that are skipped.
  await sleep(2_500);
  await client.jobs.pause(plain.id);
  await sleep(2_500);
  await client.jobs.resume(plain.id);
  const firstOf = async (state: "succeeded" | "skipped") =>
    (await client.executions.list({ jobId: plain.id, state, trigger: "schedule", limit: 1 })).items[0]!.id;
  const skipped = await firstOf("skipped");
  const succeeded = await firstOf("succeeded");
  await client.jobs.pause(plain.id);
  return new Map([
    ["failed", failed.id],
    ["cancelled", later.id],
    ["manual", manual.id],
    ["skipped", skipped],
    ["succeeded", succeeded],
  ]);
}

export async function layLedger(
  url: string,
  node: ServiceNode,
  { targetUrl, size }: { targetUrl: string; size: LedgerSize },
): Promise<void> {
  const templates = await makeTemplates(node, targetUrl);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    await layJobs(pool, size.jobs);
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const days = Array.from({ length: size.days }, (_, back) => today - back * DAY_MS);
    const left = days.values();
    // Two at a time: that many processors the smallest machine has.
    const work = async () => {
      for (const day of left) await layDay(pool, templates, { day, oldest: day === days.at(-1), ...size });
    };
    await Promise.all([work(), work()]);
    await layCounts(pool, size);
    await pool.query("vacuum analyze");
  } finally {
    await pool.end();
  }
}

const DAY_MS = 86_400_000;

async function layJobs(pool: pg.Pool, jobs: number): Promise<void> {
  const range = { from: 1, to: jobs };
  const tags = `case when g % 2 = 0 then array['common'] when g <= ${2 * RARELY_TAGGED} then array['rare'] else '{}' end`;
  await copyRow(pool, {
    table: "punctual.job",
    where: "name = 'plain'",
    changed: { id: jobId("g"), name: "'job-' || g", tags },
    ...range,
  });
  const where = "job_id = (select id from punctual.job where name = 'plain')";
  for (const table of ["punctual.job_version", "punctual.cursor", "punctual.gate"])
    await copyRow(pool, { table, where, changed: { job_id: jobId("g") }, ...range });
}

interface Day extends LedgerSize {
  day: number;
  oldest: boolean;
}

async function layDay(
  pool: pg.Pool,
  templates: Map<string, string>,
  { day, oldest, rowsPerDay, jobs }: Day,
): Promise<void> {
  const name = `execution_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
  const present = (await pool.query("select to_regclass($1) as found", [`punctual.${name}`])).rows[0].found !== null;
  // Without its indexes: they are built when it is attached, which is several times as fast.
  if (!present)
    await pool.query(
      `create table punctual.${name} (like punctual.execution including defaults including constraints)`,
    );
  const length = Math.min(DAY_MS, Date.now() - day);
  const moment = `(to_timestamp(${day / 1_000}) + (g - 1) * interval '${length / rowsPerDay} milliseconds')`;
  const job = `case when g % 5 = 0 then ${BUSY_JOB} when ${oldest} and g = 1001 then ${jobs} else 2 + (g * 7919) % ${jobs - 2} end`;
  const id = fireId(moment, "g::text");
  const ended = `${moment} + (g % 97) * interval '11 milliseconds'`;
  for (const { name: kind, from = kind, only, changed } of KINDS) {
    const started = kind === "skipped" || kind === "cancelled" ? "null" : moment;
    const values = {
      id,
      job_id: jobId(job),
      root_id: id,
      scheduled_at: moment,
      run_at: moment,
      created_at: `${moment} - interval '2 seconds'`,
      started_at: started,
      finished_at: ended,
      ...(started === "null"
        ? {}
        : { claim: "gen_random_uuid()", lateness_ms: "g % 13", duration_ms: "(g % 97) * 11" }),
      ...changed,
    };
    await copyRow(pool, {
      table: "punctual.execution",
      into: `punctual.${name}`,
      where: `id = '${templates.get(from)}'`,
      changed: values,
      only,
      from: 1,
      to: rowsPerDay,
    });
    if (from === "failed")
      await layDeadLetters(pool, templates.get(from)!, { id, job: jobId(job), moment, only, rowsPerDay });
  }
  if (!present) await attach(pool, name, day);
}

/** One in twenty is open; the others were dealt with the day they came. */
async function layDeadLetters(
  pool: pg.Pool,
  template: string,
  { id, job, moment, only, rowsPerDay }: { id: string; job: string; moment: string; only: string; rowsPerDay: number },
): Promise<void> {
  const open = "g % 20 = 0";
  await copyRow(pool, {
    table: "punctual.dead_letter",
    where: `execution_id = '${template}'`,
    changed: {
      execution_id: id,
      job_id: job,
      fingerprint: `'fp-' || g % 50`,
      execution: `jsonb_set(o.execution, '{id}', to_jsonb(${id}))`,
      created_at: moment,
      status: `case when ${open} then 'open' else 'discarded' end`,
      handled_at: `case when not (${open}) then ${moment} end`,
    },
    only,
    from: 1,
    to: rowsPerDay,
  });
}

async function attach(pool: pg.Pool, name: string, day: number): Promise<void> {
  const floor = (ms: number) => {
    const hex = ms.toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
  };
  await pool.query(
    `alter table punctual.execution attach partition punctual.${name} for values from ('${floor(day)}') to ('${floor(day + DAY_MS)}')`,
  );
}

/**
 * What the trigger of the ledger would have counted, as it is kept: by the minute for two days and by the hour before that. States, attempts, and about thirty
 * buckets each of duration and lateness.
 */
async function layCounts(pool: pg.Pool, { days, rowsPerDay }: LedgerSize): Promise<void> {
  const perMinute = Math.max(1, Math.round(rowsPerDay / 1_440));
  const minutes = "generate_series(h.hour, h.hour + interval '59 minutes', interval '1 minute')";
  const now = "date_trunc('hour', now(), 'UTC')";
  await pool.query(
    `insert into punctual.minute_count (minute, project_id, measure, bucket, shard, n)
     select m.at, p.id, c.measure, c.bucket, 0, greatest(1, ${perMinute} * m.minutes / c.share)
     from generate_series(${now} - interval '${days} days', ${now}, interval '1 hour') h (hour)
       cross join lateral (
         select at, 1 as minutes from ${minutes} at where h.hour > now() - interval '51 hours' and at <= now()
         union all select h.hour, 60 where h.hour <= now() - interval '51 hours'
       ) m
       cross join (select id from punctual.project order by id limit 1) p
       cross join (
         select unnest(array['succeeded', 'failed', 'skipped', 'cancelled', 'unknown', 'attempt']) as measure, 0 as bucket,
           unnest(array[1, 100, 250, 500, 1000, 1]) as share
         union all select 'duration', b, 30 from generate_series(20, 80, 2) b
         union all select 'lateness', b, 13 from generate_series(0, 30, 2) b
       ) c
     on conflict do nothing`,
  );
}
