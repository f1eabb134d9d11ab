// In-process throughput: what is left when the work itself is nothing.

import { COSTS, drainOnce } from "./contestants/drain.ts";
import { asEntry, type Runner } from "./contestants/entries.ts";
import type { Claim } from "./support/claim.ts";

const COUNT = 50_000;
const COUNT_QUICK = 2_000;

/** What the page on performance of its documentation says. */
const GRAPHILE_WORKER = { concurrentJobs: 24, maxPoolSize: 25, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const RUNNERS: Runner[] = [
  {
    name: "Punctual",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: 2_000 } },
    note: "every execution is fenced and kept in the history",
    remembers: true,
  },
  {
    name: "Punctual, ten slots",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: 10 } },
    note: "what a job has by default",
    remembers: true,
  },
  {
    name: "graphile-worker",
    kind: "peer",
    racer: { module: "peers/graphile-worker.ts", settings: { ...GRAPHILE_WORKER, localQueue: { size: 500 } } },
    note: "finished jobs are deleted",
  },
  {
    name: "graphile-worker, huge local queue",
    kind: "pushed",
    racer: {
      module: "peers/graphile-worker.ts",
      settings: { ...GRAPHILE_WORKER, concurrentJobs: 100, localQueue: { size: 10_000 } },
    },
    note: "one process locks a fifth of all jobs at a time; what a killed one had locked waits for 4 hours",
  },
  {
    name: "pg-boss",
    kind: "peer",
    racer: {
      module: "peers/pg-boss.ts",
      settings: {
        partition: true,
        work: { batchSize: 500, localConcurrency: 4, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
      },
    },
    note: "a batch is completed or failed as one; finished jobs are kept",
    remembers: true,
  },
  {
    name: "BullMQ on Redis",
    kind: "peer",
    racer: { module: "peers/bullmq.ts", settings: { storage: "redis", workers: 1, concurrency: 100 }, onRedis: true },
    note: "finished jobs are kept",
    remembers: true,
  },
  {
    name: "BullMQ on PostgreSQL",
    kind: "peer",
    racer: {
      module: "peers/bullmq.ts",
      settings: { storage: "postgres", workers: 1, concurrency: 100, connections: 10 },
    },
    note: "finished jobs are kept; a tenth of the executions",
    share: 0.1,
    remembers: true,
  },
  {
    name: "Agenda on PostgreSQL",
    kind: "peer",
    racer: { module: "peers/agenda.ts", settings: { processEveryMs: 100, concurrency: 10, connections: 10 } },
    note: "finished jobs are deleted; a tenth of the executions",
    share: 0.1,
  },
];

export const claim: Claim = {
  name: "noop",
  title: "In-process throughput",
  about: `A queue of jobs whose handler does nothing, drained by one process. Time runs from the first handler's start until the storage knows that all is done. Costs are per
execution: processor time of the contestant's process and of its storage, write-ahead log of PostgreSQL, and statements (from one more round in which the server
counts them).`,
  size: (quick) => `${sizeOf(quick).toLocaleString("en-US")} executions`,
  measures: [{ key: "perSecond", label: "executions/s", better: "more" }, ...COSTS],
  plots: [{ measure: "perSecond", title: "No-op executions per second" }],
  entries: RUNNERS.map((runner) =>
    asEntry(runner, async (stage, { racer, remembers, share = 1 }) => {
      const count = sizeOf(stage.quick) * share;
      return await drainOnce(stage, racer, { count, ...(remembers ? { remembered: count } : {}) });
    }),
  ),
  goals: [
    {
      text: "executions/s: at least 1.3 × the best peer",
      atLeast: 1.3,
      value: (reading) => reading.ours("perSecond") / reading.bestPeer("perSecond"),
    },
    {
      text: "executions/s: more than any peer at any setting tried",
      atLeast: 1,
      value: (reading) => reading.ours("perSecond") / reading.bestPushed("perSecond"),
    },
  ],
  countsStatements: true,
};

function sizeOf(quick: boolean): number {
  return quick ? COUNT_QUICK : COUNT;
}
