// In-process throughput of work that is not all alike.

import { COSTS, drainOnce } from "./contestants/drain.ts";
import { asEntry, type Runner } from "./contestants/entries.ts";
import { fails } from "./contestants/mix.ts";
import type { Claim } from "./support/claim.ts";

const COUNT = 50_000;
const COUNT_QUICK = 2_000;

type MixedRunner = Runner & { attempts: 1 | 2 };

const GRAPHILE_WORKER = {
  concurrentJobs: 1_000,
  maxPoolSize: 25,
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
  localQueue: { size: 1_000 },
};
const PG_BOSS = {
  partition: true,
  work: { batchSize: 500, localConcurrency: 4, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
};
const BULLMQ = { storage: "redis", workers: 1, concurrency: 100 };

const RUNNERS: MixedRunner[] = [
  {
    name: "Punctual",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: 2_000, attempts: 1 } },
    attempts: 1,
    remembers: true,
  },
  {
    name: "graphile-worker",
    kind: "peer",
    racer: { module: "peers/graphile-worker.ts", settings: { ...GRAPHILE_WORKER, maxAttempts: 1 } },
    note: "finished jobs are deleted, failed ones stay",
    attempts: 1,
  },
  {
    name: "pg-boss",
    kind: "peer",
    racer: { module: "peers/pg-boss.ts", settings: { ...PG_BOSS, retryLimit: 0 } },
    attempts: 1,
    remembers: true,
  },
  {
    name: "BullMQ on Redis",
    kind: "peer",
    racer: { module: "peers/bullmq.ts", settings: { ...BULLMQ, job: { attempts: 1 } }, onRedis: true },
    attempts: 1,
    remembers: true,
  },
  {
    name: "Punctual, retried",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: 2_000, attempts: 2 } },
    attempts: 2,
    remembers: true,
  },
  {
    name: "pg-boss, retried",
    kind: "peer",
    racer: { module: "peers/pg-boss.ts", settings: { ...PG_BOSS, retryLimit: 1 } },
    attempts: 2,
    remembers: true,
  },
  {
    name: "BullMQ on Redis, retried",
    kind: "peer",
    racer: { module: "peers/bullmq.ts", settings: { ...BULLMQ, job: { attempts: 2 } }, onRedis: true },
    attempts: 2,
    remembers: true,
  },
];

export const claim: Claim = {
  name: "mixed",
  title: "A mixture",
  about: `Four priorities; of every twenty executions one takes 50 ms, and of every five one fails. Measured once with a single attempt, where a failure is the end, and once with two, where the second follows at
once and succeeds (graphile-worker cannot be asked for that: it waits for 2.7 seconds). Time runs from the first handler's start until the storage knows that all is done.`,
  size: (quick) => `${sizeOf(quick).toLocaleString("en-US")} executions`,
  measures: [{ key: "perSecond", label: "executions/s", better: "more" }, ...COSTS],
  plots: [{ measure: "perSecond", title: "Executions per second of a mixture" }],
  entries: RUNNERS.map((runner) =>
    asEntry(runner, async (stage, { racer, remembers }) => {
      const count = sizeOf(stage.quick);
      const { attempts } = runner;
      const failed = attempts === 1 ? Array.from({ length: count }, (_, id) => id).filter(fails).length : 0;
      return await drainOnce(stage, racer, {
        count,
        mixed: { attempts },
        ...(remembers ? { remembered: count - failed } : {}),
      });
    }),
  ),
  goals: [],
};

function sizeOf(quick: boolean): number {
  return quick ? COUNT_QUICK : COUNT;
}
