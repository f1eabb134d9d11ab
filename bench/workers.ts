// Work done by other processes, over HTTP: Punctual's worker protocol, against a queue that the process itself reads.

import { setTimeout as sleep } from "node:timers/promises";
import { drainOnce } from "./contestants/drain.ts";
import { asEntry } from "./contestants/entries.ts";
import { checkLedger, queueLength } from "./contestants/ledger.ts";
import type { WorkerOptions } from "./contestants/punctual-worker.ts";
import { settleDown, withDatabase, written } from "./contestants/race.ts";
import type { Claim, Sample } from "./support/claim.ts";
import { processorSeconds } from "./support/processor-time.ts";
import { Program } from "./support/program.ts";
import { ServiceNode } from "./support/service-node.ts";
import type { Stage } from "./support/stage.ts";

const COUNT = 50_000;
const COUNT_QUICK = 2_000;
const WORKERS = 2;
const CONCURRENCY = 500;
const HANDLER = "work";
const PER_REQUEST = 1_000;
const LOOK_MS = 10;
const DONE_MS_MAX = 120_000;

export const claim: Claim = {
  name: "workers",
  title: "Workers over HTTP",
  about: `A queue of jobs whose handler does nothing, drained by ${WORKERS} worker processes that know one node's address and a key, and nothing of the database. Every execution is claimed, handed
over and settled by HTTP requests. pg-boss does the same in one process with a connection to the database. Time runs from the first handler's start until the storage knows that all is done; the
processor time of Punctual is that of the node and its workers together.`,
  size: (quick) => `${sizeOf(quick).toLocaleString("en-US")} executions`,
  measures: [
    { key: "perSecond", label: "executions/s", better: "more" },
    { key: "processMicros", label: "its CPU µs", better: "less" },
    { key: "storageMicros", label: "storage CPU µs", better: "less" },
    { key: "walBytes", label: "WAL bytes", better: "less" },
  ],
  plots: [{ measure: "perSecond", title: "No-ops by workers over HTTP, per second" }],
  entries: [
    {
      name: `Punctual, ${WORKERS} workers`,
      kind: "ours",
      settings: `one node with all roles, ${WORKERS} processes with a \`Worker\` of \`concurrency: ${CONCURRENCY}\` each`,
      run: drain,
    },
    asEntry(
      {
        name: "pg-boss, in process",
        kind: "peer",
        racer: {
          module: "peers/pg-boss.ts",
          settings: {
            partition: true,
            work: { batchSize: 500, localConcurrency: 4, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
          },
        },
      },
      async (stage, { racer }) => {
        const count = sizeOf(stage.quick);
        return await drainOnce(stage, racer, { count, remembered: count });
      },
    ),
  ],
  goals: [
    {
      text: "executions/s: at least as many as pg-boss in process",
      atLeast: 1,
      value: (reading) => reading.ours("perSecond") / reading.bestPeer("perSecond"),
    },
  ],
};

function sizeOf(quick: boolean): number {
  return quick ? COUNT_QUICK : COUNT;
}

async function drain(stage: Stage): Promise<Sample> {
  const count = sizeOf(stage.quick);
  return await withDatabase(stage, async (databaseUrl) => {
    const node = await ServiceNode.start({ databaseUrl, roles: "api,planner,dispatcher" });
    const workers = await Promise.all(
      Array.from({ length: WORKERS }, () =>
        Program.start(new URL("./contestants/punctual-worker.ts", import.meta.url)),
      ),
    );
    try {
      await layOut(node, count);
      await settleDown(stage);
      const { result, walBytes } = await written(stage, () => work(stage, { node, workers, count }));
      await checkLedger(stage, count);
      return { ...result, walBytes: walBytes / count };
    } finally {
      for (const worker of workers) await worker.stop();
      await node.stop();
    }
  });
}

/** While nobody offers the handler. */
async function layOut(node: ServiceNode, count: number): Promise<void> {
  await node.client.jobs.create({ name: "work", target: { type: "worker", handler: HANDLER } });
  for (let from = 0; from < count; from += PER_REQUEST)
    await node.client.triggers.create(
      Array.from({ length: Math.min(PER_REQUEST, count - from) }, (_, at) => ({
        job: "work",
        payload: { id: from + at },
      })),
    );
}

interface Crew {
  node: ServiceNode;
  workers: Program[];
  count: number;
}

async function work({ postgres }: Stage, { node, workers, count }: Crew): Promise<Sample> {
  const options: WorkerOptions = { url: node.url, key: node.key, handler: HANDLER, concurrency: CONCURRENCY, count };
  const spent = () => {
    const own = workers.reduce((sum, { pid }) => sum + (processorSeconds(pid) ?? Number.NaN), node.spent());
    return { own, storage: processorSeconds(postgres.pid) ?? Number.NaN };
  };
  const before = spent();
  await Promise.all(workers.map((worker) => worker.call("start", options)));
  await allDone(workers, count);
  while ((await queueLength({ postgres })) > 0);
  const endedAt = Date.now();
  const after = spent();
  const done = await Promise.all(workers.map((worker) => worker.call<{ counts: Uint8Array; firstAt: number }>("done")));
  await Promise.all(workers.map((worker) => worker.call("stop")));
  const counts = Array.from({ length: count }, (_, id) => done.reduce((sum, { counts }) => sum + counts[id]!, 0));
  const wrong = counts.filter((times) => times !== 1).length;
  if (wrong > 0) throw new Error(`${wrong} of ${count} were not done exactly once`);
  const startedAt = Math.min(...done.map(({ firstAt }) => firstAt).filter((at) => at > 0));
  return {
    perSecond: (count / (endedAt - startedAt)) * 1_000,
    processMicros: ((after.own - before.own) / count) * 1e6,
    storageMicros: ((after.storage - before.storage) / count) * 1e6,
  };
}

/** The workers are asked, and the database only when they are done: asking it costs it time. */
async function allDone(workers: readonly Program[], count: number): Promise<void> {
  const until = performance.now() + DONE_MS_MAX;
  for (;;) {
    const done = await Promise.all(workers.map((worker) => worker.call<number>("howMany")));
    const sum = done.reduce((all, each) => all + each, 0);
    if (sum >= count) return;
    if (performance.now() > until) throw new Error(`${sum} of ${count} were done`);
    await sleep(LOOK_MS);
  }
}
