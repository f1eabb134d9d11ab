// Does a node care how many jobs there are, if only some of them fire?

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { copyRow, jobId } from "../support/copied-rows.ts";
import type { Progress } from "../support/measure.ts";
import { processorSeconds } from "../support/processor-time.ts";
import { Program } from "../support/program.ts";
import { ServiceNode } from "../support/service-node.ts";
import type { Stage } from "../support/stage.ts";
import { percentile } from "../support/statistics.ts";
import { type Growth, plotOf, type Section } from "./growth.ts";

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const SIZES_QUICK = [1_000, 5_000];
/** Jobs that fire once a second, spread over it. */
const FIRING = 100;
const ROWS_PER_INSERT = 20_000;
const DATABASE = "growth_jobs";

export const growth: Growth = {
  name: "growth-jobs",
  title: "Jobs: a node among a million that sleep",
  about: `So many jobs with schedules whose next fire is days to months away, copied from one that the API saved. First nothing else happens, and the
processor time of the node and of all of PostgreSQL is taken (100 % is one core). Then ${FIRING} more jobs are created that fire once a second each, spread over the
second, at a local HTTP server, and it is looked at how late their executions start, by the ledger, and what planning them costs. Last, pages of 50 jobs are
asked for through the API.`,
  measure: async (stage, progress) => {
    const rows: number[][] = [];
    const lists = new Map<string, number[][]>();
    const sizes = stage.quick ? SIZES_QUICK : SIZES;
    for (const size of sizes)
      await withJobs(stage, size, progress, async (place) => {
        progress(`growth-jobs: measuring a node among ${size} jobs`);
        const idle = await spentDuring(place, stage.quick ? 3_000 : 15_000);
        const firing = await fire(place, stage.quick ? 3_000 : 20_000);
        rows.push([size, idle.node, idle.postgres, idle.memory, ...firing]);
        progress(`growth-jobs: measuring lists of ${size} jobs`);
        for (const [name, path] of Object.entries(LISTS))
          lists.set(name, [...(lists.get(name) ?? []), await timed(place.node, path)]);
      });
    return [nodeSection(rows), listSection(sizes, lists)];
  },
};

const COLUMNS = [
  "jobs",
  "idle: node CPU %",
  "idle: PostgreSQL CPU %",
  "idle: node RSS MB",
  "firing: node CPU %",
  "firing: PostgreSQL CPU %",
  "firing: node RSS MB",
  "planner ms per fire",
  "lateness p50 ms",
  "lateness p99 ms",
  "lateness max ms",
  "fires/s",
];

function nodeSection(rows: number[][]): Section {
  const x = { xLabel: "jobs", logarithmicX: true };
  const section = { columns: COLUMNS, rows };
  return {
    title: `A node, idle and with ${FIRING} fires a second`,
    ...section,
    plots: [
      plotOf(
        section,
        ["idle: node CPU %", "idle: PostgreSQL CPU %", "firing: node CPU %", "firing: PostgreSQL CPU %"],
        {
          title: "Processor time",
          subtitle: "% of a core",
          ...x,
        },
      ),
      plotOf(section, ["lateness p50 ms", "lateness p99 ms"], {
        title: "Lateness",
        subtitle: `ms, ${FIRING} fires a second`,
        ...x,
      }),
    ],
  };
}

const LISTS = {
  "newest first": "/api/v1/jobs?limit=50",
  "by name": "/api/v1/jobs?limit=50&sort=name",
  "by next fire": "/api/v1/jobs?limit=50&sort=nextFireAt",
  "paused (none)": "/api/v1/jobs?limit=50&state=paused",
  "with a rare tag": "/api/v1/jobs?limit=50&tag=rare",
  "with a text that one has": "/api/v1/jobs?limit=50&q=sleeper-777",
};
const CALLS = 30;
const WARM_UP = 3;

function listSection(sizes: readonly number[], lists: Map<string, number[][]>): Section {
  return {
    title: "Lists of jobs, p50 / p95 in ms",
    columns: ["", ...sizes.map((size) => `${size.toLocaleString("en-US")} jobs`)],
    rows: [...lists].map(([name, all]) => [
      name,
      ...all.map((spans) => `${percentile(spans, 0.5).toFixed(1)} / ${percentile(spans, 0.95).toFixed(1)}`),
    ]),
    plots: [],
  };
}

interface Place {
  url: string;
  node: ServiceNode;
  targetUrl: string;
  postgresPid: number | null;
}

async function withJobs(
  stage: Stage,
  size: number,
  progress: Progress,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  progress(`growth-jobs: laying out ${size} jobs`);
  const url = await stage.postgres.createDatabase(DATABASE);
  const target = await Program.start(new URL("./target.ts", import.meta.url));
  try {
    const targetUrl = await target.call<string>("start");
    await makeTemplate(url, targetUrl);
    await laySleepers(url, size);
    await stage.postgres.query("checkpoint");
    const node = await ServiceNode.start({
      databaseUrl: url,
      roles: "api,planner,dispatcher",
      // The sleepers alone are as many as a project may have by itself.
      environment: { PUNCTUAL_JOBS_MAX: String(size * 2) },
    });
    try {
      await sleep(3_000);
      await work({ url, node, targetUrl, postgresPid: stage.postgres.pid });
    } finally {
      await node.stop();
    }
  } finally {
    await target.stop();
    await stage.postgres.dropDatabase(DATABASE);
  }
}

async function makeTemplate(databaseUrl: string, targetUrl: string): Promise<void> {
  const node = await ServiceNode.start({ databaseUrl, roles: "api" });
  try {
    await node.client.jobs.create({
      name: "sleeper",
      description: "Sends the yearly report to all customers",
      schedule: { cron: "0 6 1 1 *", timezone: "Europe/Berlin" },
      target: { type: "http", url: targetUrl },
    });
  } finally {
    await node.stop();
  }
}

/** Their next fires are spread over a year, beginning in two days. */
async function laySleepers(url: string, size: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let from = 1; from <= size; from += ROWS_PER_INSERT)
      await layPart(client, from, Math.min(size, from + ROWS_PER_INSERT - 1));
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

async function layPart(client: pg.Client, from: number, to: number): Promise<void> {
  const name = "'sleeper-' || g";
  const tags = "case when g % 10000 = 7 then array['rare'] else array['common'] end";
  const where = "job_id = (select id from punctual.job where name = 'sleeper')";
  const id = jobId("g");
  await copyRow(client, { table: "punctual.job", where: "name = 'sleeper'", changed: { id, name, tags }, from, to });
  const spec = `jsonb_set(o.spec::jsonb, '{name}', to_jsonb(${name}))::json`;
  await copyRow(client, { table: "punctual.job_version", where, changed: { job_id: id, spec }, from, to });
  const next_fire_at = "now() + interval '2 days' + (g * 7919 % 31000000) * interval '1 second'";
  await copyRow(client, { table: "punctual.cursor", where, changed: { job_id: id, next_fire_at }, from, to });
  await copyRow(client, { table: "punctual.gate", where, changed: { job_id: id }, from, to });
}

/** Percent of a core, and MB. */
async function spentDuring({ node, postgresPid }: Place, ms: number) {
  const before = { node: node.spent(), postgres: processorSeconds(postgresPid) ?? Number.NaN };
  const startedAt = performance.now();
  await sleep(ms);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    node: ((node.spent() - before.node) / seconds) * 100,
    postgres: (((processorSeconds(postgresPid) ?? Number.NaN) - before.postgres) / seconds) * 100,
    memory: node.memory(),
  };
}

async function fire(place: Place, ms: number): Promise<number[]> {
  const { node, targetUrl, url } = place;
  for (let nth = 0; nth < FIRING; nth++) {
    await node.client.jobs.create({
      name: `firing-${nth}`,
      schedule: { every: "1s" },
      target: { type: "http", url: targetUrl },
    });
    await sleep(1_000 / FIRING / 2);
  }
  await sleep(3_000);
  const planned = async () => ({
    seconds: await node.metric("punctual_planner_pass_duration_seconds_sum"),
    fires: await node.metric("punctual_fires_total"),
  });
  const before = await planned();
  const startedAt = new Date();
  const spent = await spentDuring(place, ms);
  const after = await planned();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ p50: number; p99: number; most: number; n: number }>(
    `select percentile_disc(0.5) within group (order by e.lateness_ms) as p50, percentile_disc(0.99) within group (order by e.lateness_ms) as p99,
       max(e.lateness_ms) as most, count(*)::integer as n
     from punctual.execution e where e.run_at >= $1 and e.run_at < $2 and e.state = 'succeeded'`,
    [startedAt, new Date(startedAt.getTime() + ms - 500)],
  );
  await client.end();
  const [late] = rows;
  return [
    spent.node,
    spent.postgres,
    spent.memory,
    ((after.seconds - before.seconds) * 1_000) / (after.fires - before.fires),
    late!.p50,
    late!.p99,
    late!.most,
    (late!.n / (ms - 500)) * 1_000,
  ];
}

async function timed(node: ServiceNode, path: string): Promise<number[]> {
  const spans: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call++) {
    const startedAt = performance.now();
    await (await node.get(path)).text();
    if (call >= WARM_UP) spans.push(performance.now() - startedAt);
  }
  return spans;
}
