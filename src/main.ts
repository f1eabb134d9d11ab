// Builds everything and owns what is real: the clock, the dice, the sockets. The rest of the program is handed them.

import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { API_DEFAULTS } from "./api/deps.ts";
import { fixedKeys, type Principal, SCOPES } from "./api/principal.ts";
import { buildApi } from "./api/server.ts";
import type { Settings } from "./contract/settings.ts";
import { IdSource } from "./core/ids.ts";
import { KeyRing } from "./core/keyring.ts";
import { Engine } from "./engine/engine.ts";
import type { NodeIdentity } from "./engine/lease.ts";
import { CachedVault } from "./engine/vault.ts";
import type { EmbeddedDatabase } from "./store/embedded/embedded.ts";
import type { Store } from "./store/port.ts";
import { isDataError } from "./store/postgres/database.ts";
import { migrate } from "./store/postgres/migrate.ts";
import { createPostgresStore } from "./store/postgres/store.ts";
import { EgressGuard } from "./targets/http/egress.ts";
import { HttpTargetRunner } from "./targets/http/runner.ts";
import { TargetRunners } from "./targets/runner.ts";
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
  const node: NodeIdentity = {
    id: randomUUID(),
    name: settings.nodeName,
    roles: [...settings.roles],
    version: packageVersion(),
    concurrency: settings.concurrency,
  };
  const metrics = new Metrics();
  const store = openStore(node.id, settings, options);
  measureAtScrape(metrics, store);
  const guard = new EgressGuard({ allow: settings.egressAllow, only: settings.egressOnly, deny: settings.egressDeny });
  const http = new HttpTargetRunner(new CachedVault(store, monotonic), guard, {
    version: node.version,
    now: () => Date.now(),
    // As many connections to a host as the node could have calls to it: none waits for one within its own timeout.
    connectionsPerOrigin: settings.concurrency,
  });
  const targets = new TargetRunners({ http });
  // With port 0 the address is known when the server listens, which is before anything is called.
  let url = "";
  const engine = new Engine(
    { store, targets, log, metrics, monotonic, random: Math.random, isDataError },
    { node, shell: settings.shell, publicUrl: () => settings.publicUrl ?? url, ...timesOf(settings) },
  );
  const api = await buildApi(
    {
      store,
      targets: http,
      shell: { on: settings.shell, users: settings.shellUsers },
      checkEgress: (target) => guard.refusal(target),
      authenticate: fixedKeys(keysOf(settings, options.apiKey)),
      completeCallback: engine.completeCallback,
      log,
      metrics,
      ids: new IdSource(),
      clock: () => new Date(),
      node,
      version: node.version,
    },
    { ...API_DEFAULTS, api: settings.roles.includes("api"), dev: options.dev, trustProxy: settings.trustProxy },
  );
  const stop = async () => {
    await api.close();
    await engine.stop();
    await targets.close();
    await store.close();
  };
  try {
    await ensureSigningKey(store);
    url = `http://${hostInUrl(settings.host)}:${await listen(api, settings)}`;
    await engine.start();
  } catch (error) {
    await stop().catch((problem) => log.warn("node.not_stopped", { error: problem }));
    throw error;
  }
  return { url, nodeId: node.id, stop };
}

function openStore(nodeId: string, settings: Settings, { log, databaseUrl, embedded }: StartOptions): Store {
  return createPostgresStore({
    url: databaseUrl,
    // Through a pooler nothing can be heard: then only a direct URL of its own will do.
    listenUrl: settings.listenUrl ?? (settings.prepared ? databaseUrl : null),
    prepared: settings.prepared,
    connectionsMax: CONNECTIONS_MAX,
    nodeId,
    keys: new KeyRing(settings.encryptionKeys),
    ...timesOf(settings),
    onProblem: (event, fields) => {
      log.warn(event, fields);
      embedded?.ensureRunning().catch((error) => log.error("database.not_restarted", { error }));
    },
  });
}

function timesOf(settings: Settings) {
  return {
    leaseMs: settings.leaseMs,
    horizonMs: HORIZON_MS,
    retentionMs: settings.retentionMs,
    drainMs: DRAIN_MS,
    tzdata: process.versions.tz ?? "unknown",
  };
}

async function listen(api: FastifyInstance, { host, port }: Settings): Promise<number> {
  await api.listen({ host, port });
  const address = api.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function monotonic(): number {
  return performance.now();
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
