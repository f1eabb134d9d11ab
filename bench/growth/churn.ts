// Do the tables that every execution passes through stay small?

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Progress } from "../support/measure.ts";
import { Program } from "../support/program.ts";
import { ServiceNode } from "../support/service-node.ts";
import type { Stage } from "../support/stage.ts";
import type { Growth, Section } from "./growth.ts";

/** Each fires once a second. */
const JOBS = 1_000;
const JOBS_QUICK = 20;
/** Of a hundred so many are told to come again. */
const FLAKY = 5;
const SAVES_AT_ONCE = 10;
const LOOK_EVERY_MS = 10_000;
const DATABASE = "growth_churn";

const PHASES = [
  { name: "plain", seconds: 300, snapshot: false },
  { name: "a snapshot is held", seconds: 120, snapshot: true },
  { name: "released", seconds: 180, snapshot: false },
];
const SECONDS_QUICK = 10;

const TABLES = ["queue", "cursor", "gate", "attempt", "minute_count"] as const;

interface Look {
  second: number;
  table: (typeof TABLES)[number];
  heapMb: number;
  indexMb: number;
  live: number;
  dead: number;
}

export const growth: Growth = {
  name: "growth-churn",
  title: "Churn: a day's executions in ten minutes",
  about: `${JOBS.toLocaleString("en-US")} jobs fire once a second each for ten minutes: ${(JOBS * 600).toLocaleString("en-US")} executions, as many as seven a second make in a
day. ${FLAKY} % of the jobs are answered with a failure half of the time, and retried. Autovacuum is PostgreSQL's own, with the settings that Punctual gives its tables; it looks
once a minute. After five minutes somebody opens a transaction and forgets it for two (a backup, a report, a debugger), so that nothing that dies meanwhile can be
cleaned up; then three more minutes follow. Tables never give room back by themselves, they use it again: bounded means that they stop growing.`,
  measure: async (stage, progress) => {
    const looks: Look[] = [];
    const lateness: (string | number)[][] = [];
    await withFires(stage, progress, async (client, url) => {
      let second = 0;
      for (const phase of PHASES) {
        progress(`growth-churn: ${phase.name}`);
        const seconds = stage.quick ? SECONDS_QUICK : phase.seconds;
        const from = new Date();
        const release = phase.snapshot ? await holdSnapshot(url) : async () => {};
        for (let done = 0; done < seconds; done += LOOK_EVERY_MS / 1_000) {
          await sleep(LOOK_EVERY_MS);
          second += LOOK_EVERY_MS / 1_000;
          looks.push(...(await look(client, second)));
        }
        await release();
        lateness.push([phase.name, ...(await latenessSince(client, from))]);
      }
    });
    return [sizeSection(looks), deadSection(looks), latenessSection(lateness)];
  },
};

function sizeSection(looks: Look[]): Section {
  const columns = ["second", ...TABLES.flatMap((table) => [`${table} MB`, "indexes"])];
  const rows = bySecond(looks, (entry) => [entry.heapMb, entry.indexMb]);
  const series = (kind: "heapMb" | "indexMb", label: string) =>
    (["queue", "cursor"] as const).map((table) => ({
      label: `${table}${label}`,
      points: looks.filter((entry) => entry.table === table).map((entry) => ({ x: entry.second, y: entry[kind] })),
    }));
  return {
    title: "Sizes in MB",
    columns,
    rows: everyMinute(rows),
    plots: [
      {
        title: "Tables and their indexes",
        subtitle: "MB; a snapshot is held from 300 to 420 s",
        xLabel: "seconds",
        series: [...series("heapMb", ""), ...series("indexMb", " indexes")],
      },
    ],
  };
}

function deadSection(looks: Look[]): Section {
  return {
    title: "Rows, dead and living",
    columns: ["second", ...TABLES.flatMap((table) => [`${table} dead`, "living"])],
    rows: everyMinute(bySecond(looks, (entry) => [entry.dead, entry.live])),
    plots: [
      {
        title: "Dead rows",
        subtitle: "as PostgreSQL counts them; a snapshot is held from 300 to 420 s",
        xLabel: "seconds",
        series: TABLES.map((table) => ({
          label: table,
          points: looks.filter((entry) => entry.table === table).map((entry) => ({ x: entry.second, y: entry.dead })),
        })),
      },
    ],
  };
}

function latenessSection(rows: (string | number)[][]): Section {
  return {
    title: "Lateness meanwhile",
    columns: ["", "executions", "p50 ms", "p99 ms", "max ms"],
    rows,
    plots: [],
  };
}

function bySecond(looks: Look[], values: (look: Look) => number[]): number[][] {
  const seconds = [...new Set(looks.map(({ second }) => second))];
  return seconds.map((second) => [
    second,
    ...TABLES.flatMap((table) => values(looks.find((entry) => entry.second === second && entry.table === table)!)),
  ]);
}

/** The raw numbers are for the plots; a table of all would be read by nobody. */
function everyMinute(rows: number[][]): number[][] {
  return rows.length < 12 ? rows : rows.filter(([second]) => second! % 60 === 0);
}

async function withFires(
  stage: Stage,
  progress: Progress,
  work: (client: pg.Client, url: string) => Promise<void>,
): Promise<void> {
  progress("growth-churn: laying out jobs");
  const url = await stage.postgres.createDatabase(DATABASE);
  const target = await Program.start(new URL("./target.ts", import.meta.url));
  const client = new pg.Client({ connectionString: url });
  try {
    const targetUrl = await target.call<string>("start");
    const node = await ServiceNode.start({ databaseUrl: url, roles: "api,planner,dispatcher" });
    try {
      await client.connect();
      await createJobs(node, targetUrl, stage.quick ? JOBS_QUICK : JOBS);
      await work(client, url);
    } finally {
      await node.stop();
    }
  } finally {
    await client.end();
    await target.stop();
    await stage.postgres.dropDatabase(DATABASE);
  }
}

async function createJobs({ client }: ServiceNode, targetUrl: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, nth) => nth).values();
  const save = async () => {
    for (const nth of numbers) {
      const flaky = nth % 100 < FLAKY;
      const url = `${targetUrl}/${flaky ? "flaky" : "ok"}`;
      const retry = { maxAttempts: 10, backoff: "fixed" as const, initialDelay: "1s" };
      await client.jobs.create({ name: `job-${nth}`, schedule: { every: "1s" }, target: { type: "http", url }, retry });
    }
  };
  await Promise.all(Array.from({ length: SAVES_AT_ONCE }, save));
}

/** Somebody who began to read and went away. */
async function holdSnapshot(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin isolation level repeatable read");
  await client.query("select count(*) from punctual.job");
  return async () => await client.end();
}

async function look(client: pg.Client, second: number): Promise<Look[]> {
  const { rows } = await client.query<Omit<Look, "second">>(
    `select s.relname as table, pg_table_size(s.relid) / 1048576.0::float as "heapMb", pg_indexes_size(s.relid) / 1048576.0::float as "indexMb",
       s.n_live_tup::integer as live, s.n_dead_tup::integer as dead
     from pg_stat_user_tables s where s.schemaname = 'punctual' and s.relname = any($1)`,
    [TABLES],
  );
  return rows.map((row) => ({ second, ...row }));
}

async function latenessSince(client: pg.Client, from: Date): Promise<number[]> {
  const { rows } = await client.query<{ n: number; p50: number; p99: number; most: number }>(
    `select count(*)::integer as n, percentile_disc(0.5) within group (order by lateness_ms) as p50,
       percentile_disc(0.99) within group (order by lateness_ms) as p99, max(lateness_ms) as most
     from punctual.execution where run_at >= $1 and lateness_ms is not null and attempt = 1`,
    [from],
  );
  const { n, p50, p99, most } = rows[0]!;
  return [n, p50, p99, most];
}
