// Do lists and retention care how long the history is?

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { copyRow, fireId } from "../support/copied-rows.ts";
import type { Progress } from "../support/measure.ts";
import { Program } from "../support/program.ts";
import { ServiceNode } from "../support/service-node.ts";
import type { Stage } from "../support/stage.ts";
import { percentile } from "../support/statistics.ts";
import { openStore, type Store } from "./built-store.ts";
import type { Growth, Section } from "./growth.ts";
import { type LedgerSize, layLedger } from "./ledger.ts";
import { timedLists } from "./lists.ts";
import { succeeded } from "./settlement.ts";

const DAYS = 14;
const SIZES = [100_000, 1_000_000, 10_000_000];
const SIZES_QUICK = [14_000];
const JOBS = 1_000;
const CALLS = 40;

const DATABASE = "growth_history";
const PROJECT = "00000000-0000-7000-8000-000000000001";

export const growth: Growth = {
  name: "growth-history",
  title: "History: lists and retention",
  about: `${DAYS} days of executions of ${JOBS.toLocaleString("en-US")} jobs, one of which has a fifth of them: 97 % succeeded,
1 % failed (with dead letters, of which one in twenty is open), the rest skipped, cancelled, unknown or triggered by hand. Every list is
asked for ${CALLS} times through the API of a node, 50 items a page, and timed from request to parsed answer. Then a day is dropped
while work goes on.`,
  measure: async (stage, progress) => {
    const sizes = stage.quick ? SIZES_QUICK : SIZES;
    const lists = new Map<string, { p50: number; p95: number }[]>();
    const drops: (string | number)[][] = [];
    for (const rows of sizes)
      await withLedger(stage, progress, rows, async ({ node, url }) => {
        progress(`growth-history: measuring lists of ${rows} executions`);
        for (const [name, spans] of await timedLists(node, { url, jobs: JOBS, calls: CALLS }))
          lists.set(name, [...(lists.get(name) ?? []), { p50: percentile(spans, 0.5), p95: percentile(spans, 0.95) }]);
        progress(`growth-history: measuring retention among ${rows} executions`);
        for (const readers of [false, true]) drops.push([rows, ...(await dropWhileWorking(url, node, readers))]);
      });
    return [listSection(sizes, lists), dropSection(drops)];
  },
};

function listSection(sizes: number[], lists: Map<string, { p50: number; p95: number }[]>): Section {
  const section = {
    title: "Lists, p50 / p95 in ms",
    columns: ["", ...sizes.map((size) => `${size.toLocaleString("en-US")} executions`)],
    rows: [...lists].map(([name, spans]) => [
      name,
      ...spans.map(({ p50, p95 }) => `${p50.toFixed(1)} / ${p95.toFixed(1)}`),
    ]),
  };
  const shown = ["executions, newest first", "failed", "of the busiest job", "counts by state", "statistics of 7 days"];
  return {
    ...section,
    plots: [
      {
        title: "Lists as the history grows",
        subtitle: "ms, p50",
        xLabel: "executions in the history",
        logarithmicX: true,
        series: shown
          .filter((name) => lists.has(name))
          .map((label) => ({ label, points: lists.get(label)!.map(({ p50 }, at) => ({ x: sizes[at]!, y: p50 })) })),
      },
    ],
  };
}

function dropSection(rows: (string | number)[][]): Section {
  return {
    title: "Dropping a day while work goes on",
    columns: [
      "executions",
      "readers",
      "in the day",
      "MB of the day",
      "drop took, s",
      "settles of 100 meanwhile",
      "p50 ms",
      "longest ms",
      "longest before, ms",
    ],
    rows,
    plots: [],
  };
}

async function withLedger(
  stage: Stage,
  progress: Progress,
  rows: number,
  work: (place: { node: ServiceNode; url: string }) => Promise<void>,
): Promise<void> {
  const url = await stage.postgres.createDatabase(DATABASE);
  const target = await Program.start(new URL("./target.ts", import.meta.url));
  try {
    const targetUrl = await target.call<string>("start");
    const node = await ServiceNode.start({ databaseUrl: url, roles: "api,planner,dispatcher" });
    try {
      progress(`growth-history: laying out ${rows} executions`);
      const size: LedgerSize = { days: DAYS, rowsPerDay: Math.round(rows / DAYS), jobs: JOBS };
      await layLedger(url, node, { targetUrl, size });
      await stage.postgres.query("checkpoint");
      await work({ node, url });
    } finally {
      await node.stop();
    }
  } finally {
    await target.stop();
    await stage.postgres.dropDatabase(DATABASE);
  }
}

/** Claims and settles without pause, and drops the oldest day meanwhile; with readers, lists are open all the time. */
async function dropWhileWorking(url: string, node: ServiceNode, readers: boolean): Promise<(string | number)[]> {
  const { store, nodeId } = await openStore(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const [oldest] = (
      await client.query<{ name: string; rows: string; bytes: string }>(
        `select c.relname as name, c.reltuples as rows, pg_total_relation_size(c.oid) as bytes
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'punctual.execution'::regclass and c.reltuples > 0 order by c.relname limit 1`,
      )
    ).rows;
    const work = await SteadyWork.start({ store, nodeId, client });
    const reading = readers ? keepReading(node) : null;
    await sleep(5_000);
    const before = work.spans.splice(0);
    const startedAt = performance.now();
    const day = Date.parse(oldest!.name.replace(/.*_(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3T00:00:00Z"));
    await store.retention.dropPartitionsBefore(day + 86_400_000);
    const tookMs = performance.now() - startedAt;
    await sleep(2_000);
    const { spans } = work;
    await work.stop();
    await reading?.stop();
    return [
      readers ? "lists all the time" : "none",
      Math.round(Number(oldest!.rows)),
      Math.round(Number(oldest!.bytes) / 2 ** 20),
      (tookMs / 1_000).toFixed(2),
      spans.length,
      percentile(spans, 0.5).toFixed(1),
      percentile(spans, 1).toFixed(1),
      percentile(before, 1).toFixed(1),
    ];
  } finally {
    await client.end();
    await store.close();
  }
}

function keepReading(node: ServiceNode): { stop(): Promise<void> } {
  let on = true;
  const readers = Array.from({ length: 2 }, async () => {
    while (on) await (await node.get("/api/v1/executions?limit=200&order=asc&include=attempts")).text();
  });
  return {
    stop: async () => {
      on = false;
      await Promise.all(readers);
    },
  };
}

/** Hundreds of executions claimed and settled, one after the other; how long each settle took. */
class SteadyWork {
  readonly spans: number[] = [];
  #on = true;
  #done: Promise<void> = Promise.resolve();

  static async start(deps: { store: Store; nodeId: string; client: pg.Client }): Promise<SteadyWork> {
    const work = new SteadyWork();
    const { rows } = await deps.client.query<{ id: string }>("select id from punctual.job where name = 'failing'");
    await deps.store.triggers.trigger(PROJECT, [{ job: rows[0]!.id, delayMs: 86_400_000 }], { actor: "bench" });
    work.#done = work.#run(deps);
    return work;
  }

  async stop(): Promise<void> {
    this.#on = false;
    await this.#done;
  }

  async #run({ store, nodeId, client }: { store: Store; nodeId: string; client: pg.Client }): Promise<void> {
    for (let batch = 0; this.#on; batch++) {
      await store.nodes.renew({
        id: nodeId,
        name: "bench",
        roles: [],
        version: "0",
        concurrency: 100,
        leaseMs: 60_000,
      });
      const id = fireId("now()", `g || 'batch ${batch} ${nodeId}'`);
      await copyRow(client, {
        table: "punctual.queue",
        where: "hold = 'later'",
        changed: { id, root_id: id, run_at: "now()", scheduled_at: "now()", hold: "null", lane: "'bench.example'" },
        from: 1,
        to: 100,
      });
      const tokens = Array.from({ length: 100 }, () => randomUUID());
      const lanes = { lanes: [], laneLimit: 100, order: "oldest" as const };
      const { claimed } = await store.queue.claimDue({ nodeId, tokens, ...lanes });
      const startedAt = performance.now();
      await store.queue.settleFinal(claimed.map(succeeded));
      this.spans.push(performance.now() - startedAt);
    }
  }
}
