// Do nodes that share a database help each other, or get into each other's way?

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { copyRow, fireId } from "../support/copied-rows.ts";
import type { Progress } from "../support/measure.ts";
import { processorSeconds } from "../support/processor-time.ts";
import { Program } from "../support/program.ts";
import { ServiceNode } from "../support/service-node.ts";
import type { Stage } from "../support/stage.ts";
import { median } from "../support/statistics.ts";
import { type Growth, plotOf, type Section } from "./growth.ts";

const NODES = [1, 2, 4, 8];
const NODES_QUICK = [1, 2];
const ROUNDS = 3;
const DATABASE = "growth_nodes";
/** Nodes that are at work already see what is laid out, and begin together. */
const LEAD_MS = 1_800;
const DONE_MS_MAX = 120_000;

/** What the nodes are to do, and who they are. */
interface Kind {
  title: string;
  count: number;
  start(nodes: number, place: Place): Promise<Team>;
}

interface Place {
  url: string;
  targetUrl: string;
}

interface Team {
  /** Mean share of claims that found their work taken by others; NaN if nobody tells. */
  contention(): Promise<number>;
  stop(): Promise<void>;
}

const HTTP: Kind = {
  title: "Calls to a local HTTP server",
  count: 20_000,
  start: async (nodes, { url, targetUrl }) => {
    const team = await started(nodes, () => ServiceNode.start({ databaseUrl: url, roles: "api,planner,dispatcher" }));
    const job = await team[0]!.client.jobs.create({ name: "call", target: { type: "http", url: targetUrl } });
    await team[0]!.client.jobs.trigger(job.id, { delay: "24h" });
    return {
      contention: async () => {
        const told = await Promise.all(team.map((node) => node.metric("punctual_claim_contention_ratio")));
        return told.reduce((sum, ratio) => sum + ratio, 0) / told.length;
      },
      stop: async () => void (await Promise.all(team.map((node) => node.stop()))),
    };
  },
};

const NOOP: Kind = {
  title: "No-ops in the programs themselves",
  count: 50_000,
  start: async (nodes, { url }) => {
    const team = await started(nodes, async () => {
      const program = await Program.start(new URL("./noop-program.ts", import.meta.url));
      await program.call("start", { databaseUrl: url, concurrency: 500 });
      return program;
    });
    await team[0]!.call("triggerTomorrow");
    return {
      contention: async () => Number.NaN,
      stop: async () => {
        await Promise.all(team.map((program) => program.call("stop")));
        await Promise.all(team.map((program) => program.stop()));
      },
    };
  },
};

export const growth: Growth = {
  name: "growth-nodes",
  title: "Nodes: several on one database",
  about: `So many processes wait for work that becomes due at one moment, each with the settings it has by default (the service with 200 slots, the
library with 500), and share it. From the first start to the last end, by the ledger; every execution must be in it once. Median of ${ROUNDS} rounds. The nodes, the
target and PostgreSQL share the machine's cores: more nodes cannot bring more than one that uses them up, and the question is what they cost.
“Contention” is the share of claims that found their work taken by others; “commits” are those of the whole database, for each execution.`,
  measure: async (stage, progress) => {
    const sections: Section[] = [];
    for (const kind of [HTTP, NOOP]) sections.push(await byNodes(stage, kind, progress));
    return sections;
  },
};

async function byNodes(stage: Stage, kind: Kind, progress: Progress): Promise<Section> {
  const rows: (number | string)[][] = [];
  for (const nodes of stage.quick ? NODES_QUICK : NODES) {
    const rounds: number[][] = [];
    for (let round = 0; round < (stage.quick ? 1 : ROUNDS); round++)
      rounds.push(await once(stage, kind, nodes, progress));
    const medians = rounds[0]!.map((_, at) => median(rounds.map((values) => values[at]!)));
    rows.push([nodes, ...medians.map((value) => (Number.isNaN(value) ? "–" : value))]);
  }
  const columns = [
    "nodes",
    "executions/s",
    "commits per execution",
    "contention",
    "CPU µs each, nodes and target",
    "CPU µs each, PostgreSQL",
  ];
  const section = { columns, rows };
  return {
    title: kind.title,
    ...section,
    plots: [plotOf(section, ["executions/s"], { title: kind.title, subtitle: "executions/s", xLabel: "nodes" })],
  };
}

async function once(stage: Stage, kind: Kind, nodes: number, progress: Progress): Promise<number[]> {
  progress(`growth-nodes: laying out work for ${nodes} nodes`);
  const count = stage.quick ? kind.count / 20 : kind.count;
  const url = await stage.postgres.createDatabase(DATABASE);
  const target = await Program.start(new URL("./target.ts", import.meta.url));
  const client = new pg.Client({ connectionString: url });
  try {
    const team = await kind.start(nodes, { url, targetUrl: await target.call<string>("start") });
    try {
      await client.connect();
      await stage.postgres.query("checkpoint");
      progress(`growth-nodes: measuring ${nodes} nodes`);
      await sleep(500);
      return await share(stage, { client, team, count });
    } finally {
      await team.stop();
    }
  } finally {
    await client.end();
    await target.stop();
    await stage.postgres.dropDatabase(DATABASE);
  }
}

async function share(
  stage: Stage,
  { client, team, count }: { client: pg.Client; team: Team; count: number },
): Promise<number[]> {
  const spent = () => ({
    postgres: processorSeconds(stage.postgres.pid) ?? Number.NaN,
    all: processorSeconds(process.pid) ?? Number.NaN,
  });
  await client.query(`create temp table template as select * from punctual.queue where hold = 'later'`);
  const moment = `(date_trunc('milliseconds', now()) + interval '${LEAD_MS} milliseconds')`;
  const id = fireId(moment, "g::text");
  const changed = { id, root_id: id, run_at: moment, scheduled_at: moment, hold: "null" };
  await copyRow(client, { table: "template", into: "punctual.queue", where: "true", changed, from: 1, to: count });
  await sleep(LEAD_MS / 2);
  const before = spent();
  const commits = await commitsOf(client);
  const told = await finished(client, team);
  const after = spent();
  const { rows } = await client.query<{ n: number; seconds: number }>(
    `select count(*)::integer as n, extract(epoch from max(finished_at) - min(started_at))::float as seconds
     from punctual.execution where state = 'succeeded'`,
  );
  const { n, seconds } = rows[0]!;
  if (n !== count) throw new Error(`${n} of ${count} succeeded`);
  const postgres = after.postgres - before.postgres;
  return [
    n / seconds,
    ((await commitsOf(client)) - commits) / n,
    told,
    ((after.all - before.all - postgres) / n) * 1e6,
    (postgres / n) * 1e6,
  ];
}

/** Waits until the queue is empty but for the template; the mean of what was told of contention meanwhile. */
async function finished(client: pg.Client, team: Team): Promise<number> {
  const until = performance.now() + DONE_MS_MAX;
  const told: number[] = [];
  for (;;) {
    await sleep(500);
    const { rows } = await client.query<{ found: boolean }>(
      "select exists (select from punctual.queue where hold is null) as found",
    );
    if (!rows[0]!.found) break;
    told.push(await team.contention());
    if (performance.now() > until) throw new Error("it took too long");
  }
  return told.length === 0 ? Number.NaN : told.reduce((sum, ratio) => sum + ratio, 0) / told.length;
}

async function commitsOf(client: pg.Client): Promise<number> {
  await client.query("select pg_stat_clear_snapshot()");
  const { rows } = await client.query<{ n: string }>(
    "select xact_commit as n from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0]!.n);
}

/** One after the other: the first one makes the tables. */
async function started<T>(count: number, start: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let nth = 0; nth < count; nth++) all.push(await start());
  return all;
}
