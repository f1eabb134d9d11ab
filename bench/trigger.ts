// Triggers through the API: one by one, and many in a request.

import { queueLength } from "./contestants/ledger.ts";
import { settleDown, withDatabase, written } from "./contestants/race.ts";
import type { Calls } from "./contestants/trigger-calls.ts";
import type { Claim, Entry, Sample } from "./support/claim.ts";
import { processorSeconds } from "./support/processor-time.ts";
import { Program } from "./support/program.ts";
import { ServiceNode } from "./support/service-node.ts";
import type { Stage } from "./support/stage.ts";

const JOB = "work";
const SINGLE = "one per request";
const BULK = "a thousand per request";

export interface Way {
  count: number;
  countQuick: number;
  atOnce: number;
  perRequest: number;
  /** Settings of the node. */
  environment?: Record<string, string>;
  /** Who calls; without it the key from the node's settings. */
  credentials?: (node: ServiceNode) => Promise<{ key: string; project?: string }>;
}

export const MEASURES = [
  { key: "perSecond", label: "triggers/s", better: "more" },
  { key: "processMicros", label: "node's CPU µs", better: "less" },
  { key: "storageMicros", label: "storage CPU µs", better: "less" },
  { key: "walBytes", label: "WAL bytes", better: "less" },
] as const;

export const claim: Claim = {
  name: "trigger",
  title: "Triggers through the API",
  about: `A caller in a process of its own, with the TypeScript client, and a node with the role *api* alone. A trigger counts when its request was answered: it is durable then. The
queue must hold exactly what was answered. Both routes are Punctual's, so this is a comparison with itself.`,
  size: () => "10,000 one by one, 50,000 in bulk",
  measures: MEASURES,
  plots: [{ measure: "perSecond", title: "Triggers accepted per second" }],
  entries: [
    entry(SINGLE, { count: 10_000, countQuick: 500, atOnce: 50, perRequest: 1 }),
    entry(BULK, { count: 50_000, countQuick: 5_000, atOnce: 2, perRequest: 1_000 }),
  ],
  goals: [
    {
      text: "in bulk at least 5 × as many as one by one",
      atLeast: 5,
      value: (reading) => reading.of(BULK, "perSecond") / reading.of(SINGLE, "perSecond"),
    },
  ],
};

function entry(name: string, way: Way): Entry {
  const settings = `${way.atOnce} requests at once`;
  return { name, kind: "ours", settings, run: (stage) => trigger(stage, way) };
}

export async function trigger(
  stage: Stage,
  { count, countQuick, environment = {}, credentials, ...way }: Way,
): Promise<Sample> {
  const { postgres, quick } = stage;
  const wanted = quick ? countQuick : count;
  return await withDatabase(stage, async (databaseUrl) => {
    const node = await ServiceNode.start({ databaseUrl, roles: "api", environment });
    const caller = await Program.start(new URL("./contestants/trigger-calls.ts", import.meta.url));
    try {
      const target = { type: "worker" as const, handler: JOB };
      await node.client.jobs.create({ name: JOB, target });
      await settleDown(stage);
      const who = (await credentials?.(node)) ?? { key: node.key };
      const calls: Calls = { url: node.url, ...who, job: JOB, count: wanted, ...way };
      // Warm code on both sides.
      await caller.call("trigger", { ...calls, count: Math.min(way.perRequest * way.atOnce * 2, wanted) });
      const laid = await queueLength(stage);
      const spent = () => ({ own: node.spent(), storage: processorSeconds(postgres.pid) ?? Number.NaN });
      const before = spent();
      const { result: elapsedMs, walBytes } = await written(stage, () => caller.call<number>("trigger", calls));
      const after = spent();
      const came = (await queueLength(stage)) - laid;
      if (came !== wanted) throw new Error(`the queue has ${came} of ${wanted}`);
      return {
        perSecond: (wanted / elapsedMs) * 1_000,
        processMicros: ((after.own - before.own) / wanted) * 1e6,
        storageMicros: ((after.storage - before.storage) / wanted) * 1e6,
        walBytes: walBytes / wanted,
      };
    } finally {
      await caller.stop();
      await node.stop();
    }
  });
}
