// What every process of Punctual is built of, whether it is a node of its own or a program with the library in it: the
// database brought up to date, the store on it, the engine over the store. Together with main.ts the owner of what is real.

import { KeyRing } from "../core/keyring.ts";
import { Engine, type EngineDeps, type EngineOptions } from "../engine/engine.ts";
import type { EmbeddedDatabase } from "../store/embedded/embedded.ts";
import type { Store } from "../store/port.ts";
import { isDataError } from "../store/postgres/database.ts";
import { migrate } from "../store/postgres/migrate.ts";
import { createPostgresStore } from "../store/postgres/store.ts";
import type { Log } from "../telemetry/log.ts";

/** How far ahead fires are planned. Twice the safety poll and more, so that every node learns of them in time. */
const HORIZON_MS = 2_000;

/** The real one. */
export function monotonic(): number {
  return performance.now();
}

export interface StoreNeeds {
  nodeId: string;
  databaseUrl: string;
  /** A direct connection, where the database URL leads through a pooler. */
  listenUrl: string | null;
  prepared: boolean;
  connectionsMax: number;
  encryptionKeys: readonly Buffer[];
  retentionMs: number;
  /** The server behind the URL, if it is ours to start again. */
  embedded: EmbeddedDatabase | null;
  log: Log;
}

/** Brings the database up to date first. */
export async function openStore(needs: StoreNeeds): Promise<Store> {
  const { databaseUrl, listenUrl, prepared, log, embedded } = needs;
  const applied = await migrate(listenUrl ?? databaseUrl);
  if (applied.length > 0) log.info("database.migrated", { migrations: applied });
  return createPostgresStore({
    url: databaseUrl,
    // Through a pooler nothing can be heard: then only a direct URL of its own will do.
    listenUrl: listenUrl ?? (prepared ? databaseUrl : null),
    prepared,
    connectionsMax: needs.connectionsMax,
    nodeId: needs.nodeId,
    keys: new KeyRing(needs.encryptionKeys),
    horizonMs: HORIZON_MS,
    retentionMs: needs.retentionMs,
    tzdata: tzdata(),
    onProblem: (event, fields) => {
      log.warn(event, fields);
      embedded?.ensureRunning().catch((error) => log.error("database.not_restarted", { error }));
    },
  });
}

export function assembleEngine(
  deps: Omit<EngineDeps, "random" | "isDataError">,
  options: Omit<EngineOptions, "horizonMs" | "tzdata">,
): Engine {
  return new Engine(
    { ...deps, random: Math.random, isDataError },
    { ...options, horizonMs: HORIZON_MS, tzdata: tzdata() },
  );
}

function tzdata(): string {
  return process.versions.tz ?? "unknown";
}
