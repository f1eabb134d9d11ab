// Punctual delivers: a node of the service with an HTTP target, which signs what it sends and checks where it goes.

import { processorSeconds } from "../support/processor-time.ts";
import { verifyWebhook } from "../support/product.ts";
import type { Program } from "../support/program.ts";
import { ServiceNode } from "../support/service-node.ts";
import type { Stage } from "../support/stage.ts";
import { checkLedger, queueLength } from "./ledger.ts";
import type { Delivered } from "./process.ts";
import { settleDown, withDatabase, written } from "./race.ts";
import type { Seen } from "./target.ts";
import type { Target } from "./target-process.ts";

const JOB = "deliver";
const PER_REQUEST = 1_000;

export interface PunctualDelivered extends Delivered {
  walBytes: number;
}

export async function deliver(stage: Stage, target: Target, count: number): Promise<PunctualDelivered> {
  return await withDatabase(stage, async (databaseUrl) => {
    const secret = await layOut(databaseUrl, target.url, count);
    await settleDown(stage);
    const { result, walBytes } = await written(stage, () => dispatch(stage, { databaseUrl, target: target.program }));
    await checkLedger(stage, count);
    await checkSignatures(await target.seen(), secret);
    return { ...result, walBytes };
  });
}

/** Triggers that nobody takes up yet. Returns what the calls will be signed with. */
async function layOut(databaseUrl: string, url: string, count: number): Promise<string> {
  const node = await ServiceNode.start({ databaseUrl, roles: "api" });
  try {
    await node.client.jobs.create({ name: JOB, target: { type: "http", url } });
    for (let from = 0; from < count; from += PER_REQUEST)
      await node.client.triggers.create(
        Array.from({ length: Math.min(PER_REQUEST, count - from) }, (_, at) => ({
          job: JOB,
          payload: { id: from + at },
        })),
      );
    const { items } = await node.client.signingKeys.list();
    return await node.client.signingKeys.secret(items[0]!.id);
  } finally {
    await node.stop();
  }
}

interface Dispatching {
  databaseUrl: string;
  target: Program;
}

async function dispatch(stage: Stage, { databaseUrl, target }: Dispatching): Promise<Delivered> {
  const spent = (node: ServiceNode) => ({
    own: node.spent(),
    storage: processorSeconds(stage.postgres.pid) ?? Number.NaN,
  });
  const node = await ServiceNode.start({ databaseUrl, roles: "api,planner,dispatcher" });
  try {
    await target.call("firstCame");
    const before = spent(node);
    await target.call("allCame");
    while ((await queueLength(stage)) > 0);
    const endedAt = Date.now();
    const after = spent(node);
    return { endedAt, processSeconds: after.own - before.own, storageSeconds: after.storage - before.storage };
  } finally {
    await node.stop();
  }
}

async function checkSignatures({ requests, signed, samples }: Seen, secret: string): Promise<void> {
  if (signed !== requests) throw new Error(`${signed} of ${requests} calls were signed`);
  for (const { headers, body } of samples)
    await verifyWebhook({ headers: headers as Record<string, string>, body, keys: [secret] });
}
