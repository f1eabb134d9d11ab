// Midnight: everything is due at once.

import { asEntry, type Runner } from "./contestants/entries.ts";
import { fireOnce } from "./contestants/firing.ts";
import type { Claim } from "./support/claim.ts";

const COUNT = 10_000;
const COUNT_QUICK = 1_000;
/** As many as are due, of which a part is claimed a moment ahead: handlers that do nothing need no protection from one another. */
const SLOTS = 10_000;
const LEAD_MS = 5_000;
const LEAD_MS_JOBS = 10_000;

interface InstantRunner extends Runner {
  leadMs?: number;
}

const GRAPHILE_WORKER = { concurrentJobs: 24, maxPoolSize: 25, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const RUNNERS: InstantRunner[] = [
  {
    name: "Punctual, scheduled jobs",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: SLOTS, scheduled: true } },
    note: "ten thousand jobs with the same next fire",
    leadMs: LEAD_MS_JOBS,
    remembers: true,
  },
  {
    name: "Punctual, triggers with a time",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: SLOTS } },
    note: "triggers with the same `runAt`, which is what the peers are given",
    leadMs: LEAD_MS_JOBS,
    remembers: true,
  },
  {
    name: "graphile-worker, polling every 100 ms",
    kind: "peer",
    racer: {
      module: "peers/graphile-worker.ts",
      settings: { ...GRAPHILE_WORKER, pollInterval: 100, localQueue: { size: 500 } },
    },
  },
  {
    name: "graphile-worker, 5 ms, huge local queue",
    kind: "pushed",
    racer: {
      module: "peers/graphile-worker.ts",
      settings: { ...GRAPHILE_WORKER, pollInterval: 5, localQueue: { size: 10_000 } },
    },
    note: "200 polls a second, and one process locks all that is due",
  },
  {
    name: "pg-boss, polling every 500 ms",
    kind: "peer",
    racer: {
      module: "peers/pg-boss.ts",
      settings: {
        partition: true,
        work: { batchSize: 500, localConcurrency: 4, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
      },
    },
    note: "as often as it can",
    remembers: true,
  },
  {
    name: "BullMQ on Redis",
    kind: "peer",
    racer: { module: "peers/bullmq.ts", settings: { storage: "redis", workers: 1, concurrency: 100 }, onRedis: true },
    remembers: true,
  },
];

export const claim: Claim = {
  name: "instant",
  title: "Ten thousand due in one instant",
  about: `A process waits, and at one moment everything is due. Counted is when the last one started, by the handler's clock. A few hundred come before, so that code is warm. BullMQ on
PostgreSQL and Agenda are left out: they need ten seconds and more.`,
  size: (quick) => `${(quick ? COUNT_QUICK : COUNT).toLocaleString("en-US")} in one instant`,
  measures: [
    { key: "maxMs", label: "last started after ms", better: "less" },
    { key: "p50Ms", label: "half started after ms", better: "less" },
    { key: "firstMs", label: "first started after ms", better: "less" },
    { key: "processMicros", label: "its CPU µs", better: "less" },
    { key: "storageMicros", label: "storage CPU µs", better: "less" },
  ],
  plots: [{ measure: "maxMs", title: "10,000 due in one instant: the last one started after" }],
  entries: RUNNERS.map((runner) =>
    asEntry(runner, async (stage) =>
      fireOnce(stage, runner, {
        count: stage.quick ? COUNT_QUICK : COUNT,
        everyMs: 0,
        warmup: { count: 500, everyMs: 1 },
        gapMs: 2_000,
        leadMs: runner.leadMs ?? LEAD_MS,
      }),
    ),
  ),
  goals: [
    {
      text: "last one started: at most 1/2 of the best peer's",
      atMost: 0.5,
      value: (reading) => reading.of("Punctual, scheduled jobs", "maxMs") / reading.bestPeer("maxMs"),
    },
    {
      text: "last one started: sooner than any peer's at any setting tried",
      atMost: 1,
      value: (reading) => reading.of("Punctual, scheduled jobs", "maxMs") / reading.bestPushed("maxMs"),
    },
  ],
};
