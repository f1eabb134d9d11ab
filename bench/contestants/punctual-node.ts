// A node of Punctual's service, in a process of its own, with the settings of `punctual dev`: calls are signed, the addresses
// they go to are checked, loopback is among those allowed.

import { randomBytes } from "node:crypto";
import { createLog, PunctualClient, readSettings, startNode } from "../support/product.ts";
import type { Item } from "./contestant.ts";

/** The same for all nodes of a run; nothing they open is worth anything. */
const API_KEY = `punctual_${"bench".repeat(8)}`;
/** What a trigger has that says nothing of it. */
const PRIORITY_DEFAULT = 50;
const ENCRYPTION_KEY = Buffer.alloc(32, 7);

export interface NodeOptions {
  databaseUrl: string;
  /** "api,planner,dispatcher" or some of them. */
  roles: string;
  concurrency?: number;
  /** Settings beside those. */
  environment?: Record<string, string>;
}

let node: Awaited<ReturnType<typeof startNode>> | null = null;
let client: InstanceType<typeof PunctualClient> | null = null;

export async function start({
  databaseUrl,
  roles,
  concurrency = 200,
  environment = {},
}: NodeOptions): Promise<{ url: string; key: string }> {
  const flags = { roles, port: "0", concurrency: String(concurrency), logLevel: "error" };
  const read = readSettings("dev", {
    flags,
    environment,
    file: null,
    hostname: `bench-${randomBytes(3).toString("hex")}`,
  });
  if (read.kind === "invalid") throw new Error(JSON.stringify(read.problems));
  const settings = Object.freeze({ ...read.settings, encryptionKeys: Object.freeze([ENCRYPTION_KEY]) });
  node = await startNode(settings, { log: createLog({ level: "error" }), databaseUrl, dev: true, apiKey: API_KEY });
  client = new PunctualClient({ url: node.url, key: API_KEY });
  return { url: node.url, key: API_KEY };
}

/** Triggers a job once for each item, in one request. */
export async function trigger({ job, items }: { job: string; items: Item[] }): Promise<void> {
  await client!.triggers.create(
    items.map(({ id, at, urgency }) => ({
      job,
      payload: { id },
      ...(at === undefined ? {} : { runAt: new Date(at) }),
      ...(urgency === undefined ? {} : { priority: PRIORITY_DEFAULT + urgency }),
    })),
  );
}

export async function stop(): Promise<void> {
  await node?.stop();
}
