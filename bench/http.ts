// Deliveries over HTTP to a server on the same machine.

import { COSTS } from "./contestants/drain.ts";
import { asEntry, type Runner } from "./contestants/entries.ts";
import type { Delivered } from "./contestants/process.ts";
import { deliver } from "./contestants/punctual-deliveries.ts";
import { settleDown, withContestant, written } from "./contestants/race.ts";
import type { Seen } from "./contestants/target.ts";
import { withTarget } from "./contestants/target-process.ts";
import type { Claim, Sample } from "./support/claim.ts";
import { Program } from "./support/program.ts";
import type { Stage } from "./support/stage.ts";

const COUNT = 20_000;
const COUNT_QUICK = 1_000;
const CONNECTIONS = 100;

const PEERS: Runner[] = [
  {
    name: "graphile-worker",
    kind: "peer",
    racer: {
      module: "peers/graphile-worker.ts",
      settings: {
        concurrentJobs: CONNECTIONS,
        maxPoolSize: 25,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  },
  {
    name: "pg-boss",
    kind: "peer",
    racer: {
      module: "peers/pg-boss.ts",
      settings: {
        partition: true,
        work: { batchSize: 200, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
      },
    },
    note: "the calls of a batch are made at once",
  },
  {
    name: "BullMQ on Redis",
    kind: "peer",
    racer: {
      module: "peers/bullmq.ts",
      settings: { storage: "redis", workers: 1, concurrency: CONNECTIONS },
      onRedis: true,
    },
  },
];

export const claim: Claim = {
  name: "http",
  title: "Deliveries over HTTP",
  about: `Calls with a small JSON body to a server on the same machine, in a process of its own, which answers at once; ${CONNECTIONS} connections. Time runs from the first
request that the server sees until the storage knows that all is done. Punctual is a node of its service: calls are signed, the address is checked before the dial, and
answers are kept in the history. The peers have no such target: their handler makes a plain call with undici. The limit is undici alone, without any queue.`,
  size: (quick) => `${sizeOf(quick).toLocaleString("en-US")} calls`,
  measures: [{ key: "perSecond", label: "deliveries/s", better: "more" }, ...COSTS],
  plots: [{ measure: "perSecond", title: "HTTP deliveries per second" }],
  entries: [
    {
      name: "Punctual",
      kind: "ours",
      settings:
        "a node with all roles and 200 slots, which is the default (of which one host gets half), settings of `dev` (loopback is allowed as a target)",
      run: deliverWithPunctual,
    },
    ...PEERS.map((peer) => asEntry(peer, deliverWithPeer)),
    { name: "undici alone", kind: "limit", settings: `${CONNECTIONS} connections, no queue`, run: callWithoutQueue },
  ],
  goals: [
    {
      text: "deliveries/s: at least 1.2 × the best peer",
      atLeast: 1.2,
      value: (reading) => reading.ours("perSecond") / reading.bestPeer("perSecond"),
    },
    {
      text: "deliveries/s: at least 60 % of undici alone",
      atLeast: 0.6,
      value: (reading) => reading.ours("perSecond") / reading.of("undici alone", "perSecond"),
    },
  ],
};

function sizeOf(quick: boolean): number {
  return quick ? COUNT_QUICK : COUNT;
}

async function deliverWithPunctual(stage: Stage): Promise<Sample> {
  const count = sizeOf(stage.quick);
  return await withTarget(count, async (target) => {
    const { walBytes, ...delivered } = await deliver(stage, target, count);
    return sample(delivered, await target.seen(), { count, walBytes });
  });
}

async function deliverWithPeer(stage: Stage, { racer }: Runner): Promise<Sample> {
  const count = sizeOf(stage.quick);
  return await withTarget(count, async (target) =>
    withContestant(stage, racer, async (program) => {
      await program.call("layMany", { count });
      await settleDown(stage);
      const given = { count, url: target.url, connections: CONNECTIONS };
      const { result, walBytes } = await written(stage, () => program.call<Delivered>("deliver", given));
      return sample(result, await target.seen(), { count, walBytes: racer.onRedis ? null : walBytes });
    }),
  );
}

async function callWithoutQueue(stage: Stage): Promise<Sample> {
  const count = sizeOf(stage.quick);
  return await withTarget(count, async (target) => {
    const program = await Program.start(new URL("./contestants/raw-calls.ts", import.meta.url));
    try {
      const given = { url: target.url, count, connections: CONNECTIONS };
      const endedAt = await program.call<number>("send", given);
      const delivered = { endedAt, processSeconds: null, storageSeconds: null };
      return sample(delivered, await target.seen(), { count, walBytes: null });
    } finally {
      await program.stop();
    }
  });
}

function sample(
  { endedAt, processSeconds, storageSeconds }: Delivered,
  { firstAt }: Seen,
  { count, walBytes }: { count: number; walBytes: number | null },
): Sample {
  return {
    perSecond: (count / (endedAt - firstAt)) * 1_000,
    ...(processSeconds === null ? {} : { processMicros: (processSeconds / count) * 1e6 }),
    ...(storageSeconds === null ? {} : { storageMicros: (storageSeconds / count) * 1e6 }),
    ...(walBytes === null ? {} : { walBytes: walBytes / count }),
  };
}
