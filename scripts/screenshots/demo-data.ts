// Jobs with a past. They are made through the API like any others; their history is written into the ledger, because nobody
// waits thirty days for a picture. It is made from the jobs' own instants, and is the same each time but for the date.

import pg from "pg";
import { type Job, PunctualClient } from "../../src/client/index.ts";
import { fireId } from "../../src/core/ids.ts";
import { demoJobs } from "./demo-jobs.ts";

const DAY_MS = 86_400_000;
const DAYS_PRESET = 28;
const RUNS_MAX = 3_000;
/** When everything stood still: what was due then was missed. */
const OUTAGE = { fromMs: 7.5 * 3_600_000, toMs: 6.8 * 3_600_000 };

export interface DemoServer {
  url: string;
  apiKey: string;
  databaseUrl: string;
  /** How far back the past reaches. */
  days?: number;
}

export async function layDemoData({ url, apiKey, databaseUrl, days = DAYS_PRESET }: DemoServer): Promise<Job[]> {
  const client = new PunctualClient({ url, key: apiKey });
  const made: Job[] = [];
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    await ensureDays(pool, days);
    for (const { job, history } of demoJobs(`${url}/dev/echo`)) {
      const created = await client.jobs.create(job);
      made.push(created);
      if (history !== null) await layHistory(pool, created, await pastInstants(client, created, days), history);
    }
    await countAnew(pool);
  } finally {
    await pool.end();
  }
  return made;
}

/** Its instants up to now, the latest of them if they are very many. */
async function pastInstants(client: PunctualClient, { schedule, name }: Job, days: number): Promise<number[]> {
  const now = Date.now();
  const found: number[] = [];
  let from = now - days * DAY_MS;
  const every = typeof (schedule as { every?: string } | null)?.every === "string";
  // Those with a period count from when they were made: their past is reckoned from the period itself.
  if (every) {
    const { instants } = await client.schedules.preview({ schedule, name, count: 2 });
    const step = Date.parse(instants[1]!.at) - Date.parse(instants[0]!.at);
    for (let at = now - step; at > from && found.length < RUNS_MAX; at -= step) found.unshift(at);
    return found;
  }
  for (;;) {
    const { instants } = await client.schedules.preview({ schedule, name, from: new Date(from), count: 1_000 });
    const past = instants.map(({ at }) => Date.parse(at)).filter((at) => at < now);
    found.push(...past);
    if (past.length < instants.length || past.length === 0) return found.slice(-RUNS_MAX);
    from = past.at(-1)!;
  }
}

interface Run {
  id: string;
  state: string;
  reasonCode: string | null;
  reasonMessage: string | null;
  at: Date;
  startedAt: Date | null;
  finishedAt: Date;
  latenessMs: number | null;
  durationMs: number | null;
  attempt: number;
  error: string | null;
}

async function layHistory(
  pool: pg.Pool,
  { id: jobId, version }: Job,
  instants: number[],
  { durationMs, failing }: { durationMs: number; failing: number },
): Promise<void> {
  const dice = diceOf(jobId.length + durationMs + failing);
  const runs = instants.map((at) => runAt({ jobId, at, durationMs, failing, dice }));
  const column = (name: keyof Run) => runs.map((run) => run[name]);
  await pool.query(
    `insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, reason_message,
       scheduled_at, run_at, priority, attempt, claim, started_at, finished_at, lateness_ms, duration_ms, error, root_id, created_at, node)
     select r.id, j.project_id, j.id, $2, $2, 'schedule', r.state, r.reason_code, r.reason_message,
       r.at, r.at, 50, r.attempt, case when r.attempt > 0 then gen_random_uuid() end, r.started_at, r.finished_at, r.lateness_ms,
       r.duration_ms, r.error, r.id, r.at, case when r.attempt > 0 then 'node-1' end
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::int[],
         $11::int[], $12::int[], $13::jsonb[])
       as r (id, state, reason_code, reason_message, at, started_at, finished_at, lateness_ms, duration_ms, attempt, error),
       punctual.job j
     where j.id = $1`,
    [
      jobId,
      version,
      ...(
        [
          "id",
          "state",
          "reasonCode",
          "reasonMessage",
          "at",
          "startedAt",
          "finishedAt",
          "latenessMs",
          "durationMs",
          "attempt",
          "error",
        ] as const
      ).map(column),
    ],
  );
}

interface Odds {
  jobId: string;
  at: number;
  durationMs: number;
  failing: number;
  dice: () => number;
}

/** One run of the past. What always fails has only failed since this morning. */
function runAt({ jobId, at, durationMs, failing, dice }: Odds): Run {
  const ago = Date.now() - at;
  const id = fireId(jobId, at);
  const took = Math.round(durationMs * (0.7 + dice() * 0.6 + (dice() > 0.97 ? 2 : 0)));
  const late = Math.round(2 + dice() * 9 + (dice() > 0.99 ? 60 : 0));
  const luck = dice() * 100;
  if (ago < OUTAGE.fromMs && ago > OUTAGE.toMs)
    return {
      ...{ id, state: "skipped", reasonCode: "misfire", reasonMessage: "missed: no node was running" },
      ...{ at: new Date(at), startedAt: null, finishedAt: new Date(at), latenessMs: null, durationMs: null },
      ...{ attempt: 0, error: null },
    };
  const fails = luck < (failing === 100 && ago > 5 * 3_600_000 ? 1 : failing);
  const message = failing === 100 ? "answered 503 Service Unavailable" : "answered 500 Internal Server Error";
  return {
    id,
    state: fails ? "failed" : "succeeded",
    reasonCode: fails ? "attempts_exhausted" : null,
    reasonMessage: fails ? `attempt 3 of 3 failed: ${message}` : null,
    at: new Date(at),
    startedAt: new Date(at + late),
    finishedAt: new Date(at + late + took),
    latenessMs: late,
    durationMs: took,
    attempt: fails ? 3 : 1,
    error: fails ? JSON.stringify({ code: "http_status", message }) : null,
  };
}

/** The same numbers each time. */
function diceOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function ensureDays(pool: pg.Pool, days: number): Promise<void> {
  const floor = (ms: number) => {
    const hex = ms.toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
  };
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (let day = today - (days + 1) * DAY_MS; day <= today; day += DAY_MS) {
    const name = `execution_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
    await pool.query(
      `create table if not exists punctual.${name} partition of punctual.execution for values from ('${floor(day)}') to ('${floor(day + DAY_MS)}')`,
    );
  }
}

/** The ledger counts what is written when it is written; this is counted when it happened. */
async function countAnew(pool: pg.Pool): Promise<void> {
  await pool.query("truncate punctual.minute_count");
  await pool.query(
    `insert into punctual.minute_count (minute, project_id, measure, bucket, shard, n)
     select date_trunc('minute', e.finished_at), e.project_id, m.measure, m.bucket, 0, sum(m.n)
     from punctual.execution e cross join lateral (values
       (e.state, 0::smallint, e.count),
       ('attempt', 0::smallint, e.attempt),
       ('duration', punctual.bucket_of(e.duration_ms), case when e.duration_ms is null then 0 else 1 end),
       ('lateness', punctual.bucket_of(e.lateness_ms), case when e.lateness_ms is null then 0 else 1 end)
     ) m (measure, bucket, n)
     where m.n > 0 group by 1, 2, 3, 4`,
  );
  await pool.query("analyze");
}
