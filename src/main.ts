// Builds everything and owns what is real: the clock, the dice, the sockets. The rest of the program is handed them.

import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { API_DEFAULTS, type ApiOptions } from "./api/deps.ts";
import { JobRoom } from "./api/job-room.ts";
import { buildApi } from "./api/server.ts";
import { DEFAULT_PROJECT } from "./contract/project.ts";
import type { Settings } from "./contract/settings.ts";
import { IdSource } from "./core/ids.ts";
import { KeyRing } from "./core/keyring.ts";
import { HostClaims } from "./engine/claim-source.ts";
import type { NodeIdentity } from "./engine/lease.ts";
import { Slots } from "./engine/slots.ts";
import { CachedVault } from "./engine/vault.ts";
import { assembleEngine, monotonic, openStore } from "./main/assembly.ts";
import { assembleAuthentication } from "./main/authentication.ts";
import { packageVersion } from "./main/package-version.ts";
import { developerLink, setupLink } from "./main/sign-in.ts";
import type { EmbeddedDatabase } from "./store/embedded/embedded.ts";
import type { Store } from "./store/port.ts";
import { Database } from "./store/postgres/database.ts";
import { type Resealing, reseal } from "./store/postgres/reseal.ts";
import { EgressGuard } from "./targets/http/egress.ts";
import type { ForwardProxyOptions } from "./targets/http/forward-proxy.ts";
import { HttpTargetRunner } from "./targets/http/runner.ts";
import { TargetRunners } from "./targets/runner.ts";
import { ShellTargetRunner } from "./targets/shell/runner.ts";
import type { Log } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";

export { passwordLink, setupLink, shutOut } from "./main/sign-in.ts";
export { resolveDataDir } from "./store/embedded/data-folder.ts";
export { startEmbedded } from "./store/embedded/embedded.ts";
export { checkDatabase, type DatabaseCheck } from "./store/postgres/check-database.ts";
export { type DatabaseExamination, type Examined, examineDatabase } from "./store/postgres/examine-database.ts";
export { migrate as migrateDatabase } from "./store/postgres/migrate.ts";
export { makeScratchSchema, type ScratchSchema } from "./store/postgres/scratch-schema.ts";
export { createLog, type Log } from "./telemetry/log.ts";

const DRAIN_MS = 10_000;
/** Of the pool; beside it there is one that listens, and one at a time that makes and drops days. */
const CONNECTIONS_MAX = 12;
export const CONNECTIONS_PER_NODE = CONNECTIONS_MAX + 2;

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
  /** Where somebody signs in for the first time; null if they can already. */
  link: string | null;
  stop(): Promise<void>;
}

export async function startNode(settings: Settings, options: StartOptions): Promise<RunningNode> {
  const { log } = options;
  const node: NodeIdentity = {
    id: randomUUID(),
    name: settings.nodeName,
    roles: [...settings.roles],
    version: packageVersion(),
    concurrency: settings.concurrency,
  };
  const metrics = new Metrics();
  const { databaseUrl, embedded = null } = options;
  const { listenUrl, prepared, encryptionKeys, retentionMs, leaseMs } = settings;
  const store = await openStore({
    nodeId: node.id,
    databaseUrl,
    listenUrl,
    prepared,
    connectionsMax: CONNECTIONS_MAX,
    encryptionKeys,
    retentionMs,
    embedded,
    log,
  });
  measureAtScrape(metrics, store);
  const { egressAllow: allow, egressOnly: only, egressDeny: deny, egressPorts: ports } = settings;
  const guard = new EgressGuard({ allow, only, deny, ports });
  const proxy = proxyOf(settings);
  const vault = new CachedVault(store, monotonic);
  const http = new HttpTargetRunner(vault, guard, {
    version: node.version,
    now: () => Date.now(),
    // As many connections to a host as the node could have calls to it: none waits for one within its own timeout.
    connectionsPerOrigin: settings.concurrency,
    proxy,
  });
  const { shellUsers: users, shellEnv: allowed } = settings;
  const shell = new ShellTargetRunner(vault, { users, allowed, environment: process.env });
  const targets = new TargetRunners({ http, ...(settings.shell ? { shell } : {}) });
  // With port 0 the address is known when the server listens, which is before anything is called.
  let url = "";
  const slots = new Slots(node.concurrency);
  const source = new HostClaims(store.queue, slots, { nodeId: node.id, shell: settings.shell });
  const engine = assembleEngine(
    { store, targets, source, slots, members: store.nodes, log, metrics, monotonic },
    { node, publicUrl: () => settings.publicUrl ?? url, leaseMs, retentionMs, drainMs: DRAIN_MS },
  );
  const knowing = assembleAuthentication(settings, {
    store,
    log,
    fetch: http.fetch,
    devKey: options.apiKey,
    url: () => settings.publicUrl ?? url,
  });
  const api = await buildApi(
    {
      store,
      targets: http,
      shell: { on: settings.shell, users: settings.shellUsers },
      jobRoom: new JobRoom(store, { jobsMax: settings.jobsMax, monotonic }),
      minIntervalMs: settings.minIntervalMs,
      checkEgress: (target) => guard.refusal(target, { isResolvedElsewhere: proxy?.resolves === true }),
      ...knowing.parts,
      completeCallback: engine.completeCallback,
      workers: engine.workers,
      log,
      metrics,
      ids: new IdSource(),
      clock: () => new Date(),
      monotonic,
      node,
      version: node.version,
    },
    apiOptions(settings, options),
  );
  const stop = async () => {
    // Connections may take seconds to close. What began meanwhile would be torn, or find the door shut that it calls itself.
    await engine.claimNoMore();
    await api.close();
    await knowing.close();
    await engine.stop();
    await targets.close();
    await store.close();
  };
  let link: string | null = null;
  try {
    await ensureSigningKey(store);
    url = `http://${hostInUrl(settings.host)}:${await listen(api, settings)}`;
    await engine.start();
    link = await firstLink(settings, store, { dev: options.dev, url: settings.publicUrl ?? url });
  } catch (error) {
    await stop().catch((problem) => log.warn("node.not_stopped", { error: problem }));
    throw error;
  }
  return { url, nodeId: node.id, link, stop };
}

function proxyOf({ egressProxy: url, egressProxyResolves: resolves }: Settings): ForwardProxyOptions | undefined {
  return url === null ? undefined : { url, resolves };
}

/** Seals what older keys have sealed with the first one. */
export async function resealDatabase(
  url: string,
  { prepared, encryptionKeys }: Pick<Settings, "prepared" | "encryptionKeys">,
): Promise<Resealing> {
  const db = new Database({ url, prepared, connectionsMax: 1, applicationName: "punctual reseal" });
  try {
    return await reseal(db, new KeyRing(encryptionKeys));
  } finally {
    await db.close();
  }
}

function apiOptions(settings: Settings, { dev }: StartOptions): ApiOptions {
  const { trustProxy, rateLimit, corsOrigins, publicUrl, roles } = settings;
  return {
    ...API_DEFAULTS,
    api: roles.includes("api"),
    dev,
    trustProxy,
    rateLimit,
    corsOrigins,
    https: publicUrl?.startsWith("https:") ?? false,
    // On one's own machine nobody guesses keys, and everybody has the same address.
    ...(dev ? { wrongKeysMax: null } : {}),
  };
}

async function listen(api: FastifyInstance, { host, port }: Settings): Promise<number> {
  await api.listen({ host, port });
  const address = api.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

async function firstLink(
  { roles }: Settings,
  store: Store,
  { dev, url }: { dev: boolean; url: string },
): Promise<string | null> {
  if (!roles.includes("api")) return null;
  return dev ? await developerLink(store, url) : await setupLink(store, url);
}

/** What a command of the operator needs that is no node. */
export async function openOperatorStore(settings: Settings, log: Log): Promise<Store> {
  const { listenUrl, prepared, encryptionKeys, retentionMs } = settings;
  const databaseUrl = settings.databaseUrl!;
  const session = { nodeId: randomUUID(), databaseUrl, listenUrl, prepared, connectionsMax: 2 };
  return await openStore({ ...session, encryptionKeys, retentionMs, embedded: null, log });
}

/** Calls are signed from the first one on. Other projects get their key when they are created. */
async function ensureSigningKey(store: Store): Promise<void> {
  const keys = await store.signingKeys.list(DEFAULT_PROJECT.id);
  if (!keys.some(({ use }) => use === "project"))
    await store.signingKeys.create(DEFAULT_PROJECT.id, { name: "default", use: "project", secret: randomBytes(32) });
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
  metrics.collect(async () => {
    const { active, unserved } = await store.workers.watch();
    metrics.workersActive.set(active);
    metrics.handlersUnserved.set(unserved.length);
  });
}

function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
