// Builds everything and owns what is real: the clock, the dice, the sockets. The rest of the program is handed them.

import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { API_DEFAULTS } from "./api/deps.ts";
import { fixedKeys, type Principal, SCOPES } from "./api/principal.ts";
import { buildApi } from "./api/server.ts";
import type { Settings } from "./contract/settings.ts";
import { IdSource } from "./core/ids.ts";
import { KeyRing } from "./core/keyring.ts";
import { Engine } from "./engine/engine.ts";
import { CachedVault } from "./engine/vault.ts";
import type { EmbeddedDatabase } from "./store/embedded/embedded.ts";
import type { Store } from "./store/port.ts";
import { isDataError } from "./store/postgres/database.ts";
import { migrate } from "./store/postgres/migrate.ts";
import { createPostgresStore } from "./store/postgres/store.ts";
import { EgressGuard } from "./targets/http/egress.ts";
import { HttpTargetRunner } from "./targets/http/runner.ts";
import type { Log } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";

export { resolveDataDir } from "./store/embedded/data-folder.ts";
export { startEmbedded } from "./store/embedded/embedded.ts";
export { checkDatabase, type DatabaseCheck } from "./store/postgres/check-database.ts";
export { migrate as migrateDatabase } from "./store/postgres/migrate.ts";
export { createLog, type Log } from "./telemetry/log.ts";

/** How far ahead fires are planned. Twice the safety poll and more, so that every node learns of them in time. */
const HORIZON_MS = 2_000;
const DRAIN_MS = 10_000;
const CONNECTIONS_MAX = 12;
const DEFAULT_PROJECT = { id: "00000000-0000-7000-8000-000000000001", name: "default" };

export interface StartOptions {
  log: Log;
  databaseUrl: string;
  embedded?: EmbeddedDatabase;
  dev: boolean;
  /** The key that `dev` made. */
  apiKey?: string;
}

export interface RunningNode {
  url: string;
  nodeId: string;
  stop(): Promise<void>;
}

export async function startNode(settings: Settings, options: StartOptions): Promise<RunningNode> {
  const { log } = options;
  const applied = await migrate(settings.listenUrl ?? options.databaseUrl);
  if (applied.length > 0) log.info("database.migrated", { migrations: applied });
  const nodeId = randomUUID();
  const metrics = new Metrics();
  const version = packageVersion();
  const store = createPostgresStore({
    url: options.databaseUrl,
    listenUrl: settings.listenUrl ?? (settings.prepared ? options.databaseUrl : null),
    prepared: settings.prepared,
    connectionsMax: CONNECTIONS_MAX,
    nodeId,
    keys: new KeyRing(settings.encryptionKeys),
    horizonMs: HORIZON_MS,
    retentionMs: settings.retentionMs,
    tzdata: process.versions.tz ?? "unknown",
    onProblem: (event, fields) => {
      log.warn(event, fields);
      options.embedded?.ensureRunning().catch((error) => log.error("embedded.not_restarted", { error }));
    },
  });
  const guard = new EgressGuard({ allow: settings.egressAllow, only: settings.egressOnly, deny: settings.egressDeny });
  const monotonic = () => performance.now();
  const vault = new CachedVault(store, monotonic);
  // As many connections to a host as the node could have calls to it: none waits for a connection within its own timeout.
  const targets = new HttpTargetRunner(vault, guard, {
    version,
    now: () => Date.now(),
    connectionsPerOrigin: settings.concurrency,
  });
  const engine = new Engine(
    { store, targets, log, metrics, monotonic, random: Math.random, isDataError },
    {
      node: {
        id: nodeId,
        name: settings.nodeName,
        roles: [...settings.roles],
        version,
        concurrency: settings.concurrency,
      },
      publicUrl: settings.publicUrl ?? `http://${hostInUrl(settings.host)}:${settings.port}`,
      leaseMs: settings.leaseMs,
      horizonMs: HORIZON_MS,
      retentionMs: settings.retentionMs,
      tzdata: process.versions.tz ?? "unknown",
      drainMs: DRAIN_MS,
    },
  );
  measureAtScrape(metrics, store);
  const api = await buildApi(
    {
      store,
      targets,
      checkEgress: (url) => guard.refusal(url),
      authenticate: fixedKeys(keysOf(settings, options.apiKey)),
      completeCallback: engine.completeCallback,
      log,
      metrics,
      ids: new IdSource(),
      clock: () => new Date(),
      node: { id: nodeId, name: settings.nodeName },
      version,
    },
    { ...API_DEFAULTS, dev: options.dev, trustProxy: settings.trustProxy as never },
  );
  try {
    await ensureSigningKey(store);
    await engine.start();
    await api.listen({ host: settings.host, port: settings.port });
  } catch (error) {
    await api.close();
    await engine.stop().catch(() => {});
    await store.close();
    throw error;
  }
  const address = api.server.address();
  const port = typeof address === "object" && address !== null ? address.port : settings.port;
  return {
    url: `http://${hostInUrl(settings.host)}:${port}`,
    nodeId,
    stop: async () => {
      await api.close();
      await engine.stop();
      await targets.close();
      await store.close();
    },
  };
}

/** Calls are signed from the first one on. */
async function ensureSigningKey(store: Store): Promise<void> {
  if ((await store.signingKeys.list(DEFAULT_PROJECT.id)).length === 0)
    await store.signingKeys.create(DEFAULT_PROJECT.id, "default", randomBytes(32));
}

function keysOf(settings: Settings, devKey: string | undefined): { token: string; principal: Principal }[] {
  const principal = (name: string): Principal => ({
    name,
    projectId: DEFAULT_PROJECT.id,
    projectName: DEFAULT_PROJECT.name,
    scopes: [...SCOPES],
    instanceAdmin: true,
  });
  return [
    ...(settings.adminKey === null ? [] : [{ token: settings.adminKey, principal: principal("admin") }]),
    ...(devKey === undefined ? [] : [{ token: devKey, principal: principal("dev") }]),
  ];
}

function measureAtScrape(metrics: Metrics, store: Store): void {
  metrics.collect(() => {
    const { total, idle, waiting } = store.pool();
    metrics.dbPoolConnections.set({ state: "idle" }, idle);
    metrics.dbPoolConnections.set({ state: "used" }, total - idle);
    metrics.dbPoolConnections.set({ state: "waiting" }, waiting);
  });
  metrics.collect(async () => {
    const depth = await store.queue.depth();
    metrics.queueDepth.reset();
    for (const { priorityBand, due } of depth) metrics.queueDepth.set({ priority_band: priorityBand }, due);
  });
  metrics.collect(async () => metrics.deadLetters.set(await store.stats.openDeadLetters(null)));
}

function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function packageVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
