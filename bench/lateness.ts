// How late work starts that is due at a moment, when moments come evenly.

import { asEntry, type Runner } from "./contestants/entries.ts";
import { fireOnce } from "./contestants/firing.ts";
import type { Firing } from "./contestants/process.ts";
import type { Claim } from "./support/claim.ts";

const PER_SECOND = 1_000;
const SECONDS = 5;
const SECONDS_QUICK = 1;
const LEAD_MS = 4_000;
/** Saving a thousand jobs takes its time. */
const LEAD_MS_JOBS = 15_000;
/** Agenda saves one at a time. */
const LEAD_MS_AGENDA = 12_000;

interface LateRunner extends Runner {
  leadMs?: number;
}

const GRAPHILE_WORKER = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};
const PG_BOSS = { batchSize: 500, localConcurrency: 1, burstWhenBatchFull: true };

const RUNNERS: LateRunner[] = [
  {
    name: "Punctual, scheduled jobs",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: 500, scheduled: true } },
    note: "a thousand jobs that fire every second, each a millisecond after the one before",
    leadMs: LEAD_MS_JOBS,
    remembers: true,
  },
  {
    name: "Punctual, triggers with a time",
    kind: "ours",
    racer: { module: "contestants/punctual.ts", settings: { concurrency: 500 } },
    note: "the same moments as triggers with `runAt`, which is what the peers are given",
    leadMs: LEAD_MS_JOBS,
    remembers: true,
  },
  {
    name: "graphile-worker",
    kind: "peer",
    racer: { module: "peers/graphile-worker.ts", settings: GRAPHILE_WORKER },
    note: "polls every 2 s, its default",
  },
  {
    name: "graphile-worker, polling every 100 ms",
    kind: "peer",
    racer: { module: "peers/graphile-worker.ts", settings: { ...GRAPHILE_WORKER, pollInterval: 100 } },
  },
  {
    name: "graphile-worker, polling every 5 ms",
    kind: "pushed",
    racer: { module: "peers/graphile-worker.ts", settings: { ...GRAPHILE_WORKER, pollInterval: 5 } },
    note: "200 polls a second, also when there is nothing to do",
  },
  {
    name: "pg-boss",
    kind: "peer",
    racer: { module: "peers/pg-boss.ts", settings: { partition: true, work: PG_BOSS } },
    note: "polls every 2 s, its default",
    remembers: true,
  },
  {
    name: "pg-boss, polling every 500 ms",
    kind: "peer",
    racer: {
      module: "peers/pg-boss.ts",
      settings: { partition: true, work: { ...PG_BOSS, pollingIntervalSeconds: 0.5 } },
    },
    note: "as often as it can",
    remembers: true,
  },
  {
    name: "BullMQ on Redis",
    kind: "peer",
    racer: { module: "peers/bullmq.ts", settings: { storage: "redis", workers: 1, concurrency: 100 }, onRedis: true },
    note: "does not poll",
    remembers: true,
  },
  {
    name: "BullMQ on PostgreSQL",
    kind: "peer",
    racer: { module: "peers/bullmq.ts", settings: { storage: "postgres", workers: 1, concurrency: 100 } },
    note: "does not poll",
    remembers: true,
  },
  {
    name: "Agenda on PostgreSQL",
    kind: "peer",
    racer: { module: "peers/agenda.ts", settings: { processEveryMs: 100, concurrency: 100, connections: 10 } },
    note: "so many are more than it can do on this machine, so that lateness grows as long as they come",
    leadMs: LEAD_MS_AGENDA,
  },
];

export const claim: Claim = {
  name: "lateness",
  title: "Lateness of what is due at a moment",
  about: `Work that comes due evenly, a millisecond apart, while a process waits for it. Late is what the handler's clock says when it starts, for all alike; the first second is not
counted (code gets warm). Punctual is measured twice: as scheduled jobs, which no peer can be asked for at this rate, and as triggers with a time. The peers get delayed jobs: at the
poll interval they have by default, and at shorter ones.`,
  size: (quick) => `${PER_SECOND.toLocaleString("en-US")} fires/s for ${secondsOf(quick)} s`,
  measures: [
    { key: "p99Ms", label: "p99 ms", better: "less" },
    { key: "p50Ms", label: "p50 ms", better: "less" },
    { key: "maxMs", label: "max ms", better: "less" },
    { key: "processMicros", label: "its CPU µs", better: "less" },
    { key: "storageMicros", label: "storage CPU µs", better: "less" },
  ],
  plots: [{ measure: "p99Ms", title: "Lateness at 1,000 fires/s: 99 of 100 start within", logarithmic: true }],
  entries: RUNNERS.map((runner) =>
    asEntry(runner, async (stage) => {
      const firing: Firing = {
        count: PER_SECOND * secondsOf(stage.quick),
        everyMs: 1_000 / PER_SECOND,
        warmup: { count: PER_SECOND, everyMs: 1_000 / PER_SECOND },
        gapMs: 0,
        leadMs: runner.leadMs ?? LEAD_MS,
      };
      return await fireOnce(stage, runner, firing);
    }),
  ),
  goals: [
    {
      text: "p99 of scheduled jobs: at most 1/5 of the best peer's",
      atMost: 0.2,
      value: (reading) => reading.of("Punctual, scheduled jobs", "p99Ms") / reading.bestPeer("p99Ms"),
    },
    {
      text: "p99 of scheduled jobs: at most that of any peer at any setting tried",
      atMost: 1,
      value: (reading) => reading.of("Punctual, scheduled jobs", "p99Ms") / reading.bestPushed("p99Ms"),
    },
  ],
};

function secondsOf(quick: boolean): number {
  return quick ? SECONDS_QUICK : SECONDS;
}
