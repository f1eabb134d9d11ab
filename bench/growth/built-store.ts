// The product's store as it is shipped (see support/product.ts), for what is measured without a node around it.

import { randomUUID } from "node:crypto";
import type * as Keys from "../../src/core/keyring.ts";
import type * as Migrations from "../../src/store/postgres/migrate.ts";
import type * as Stores from "../../src/store/postgres/store.ts";

const built = async (file: string): Promise<unknown> =>
  await import(new URL(`../../dist/${file}`, import.meta.url).href);

const { createPostgresStore } = (await built("store/postgres/store.js")) as typeof Stores;
const { migrate } = (await built("store/postgres/migrate.js")) as typeof Migrations;
const { KeyRing } = (await built("core/keyring.js")) as typeof Keys;

export type Store = ReturnType<typeof createPostgresStore>;

const DAY_MS = 86_400_000;

/** A store on a database that is brought up to date first, as a node has it. */
export async function openStore(url: string): Promise<{ store: Store; nodeId: string }> {
  await migrate(url);
  const nodeId = randomUUID();
  const store = createPostgresStore({
    url,
    listenUrl: url,
    prepared: true,
    connectionsMax: 12,
    nodeId,
    keys: new KeyRing([Buffer.alloc(32, 7)]),
    horizonMs: 2_000,
    retentionMs: 30 * DAY_MS,
    tzdata: process.versions.tz ?? "unknown",
    onProblem: (event, fields) => console.error(event, fields),
  });
  const now = (await store.now()).getTime();
  await store.retention.ensurePartitions(now - DAY_MS, now + DAY_MS);
  return { store, nodeId };
}
