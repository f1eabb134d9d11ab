// Databases for tests: a fresh one in the run's shared cluster (milliseconds), or a cluster of one's own to be ill-treated.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type EmbeddedDatabase, startEmbedded } from "../../src/store/embedded/embedded.ts";
import { hasUsers } from "../../src/store/embedded/keeper.ts";
import { readPostmaster } from "../../src/store/embedded/postmaster.ts";
import { canReach, chooseServerUser } from "../../src/store/embedded/server-user.ts";
import { migrate } from "../../src/store/postgres/migrate.ts";

// The environment carries it from global-setup.ts into vitest's worker processes.
export const TEST_DATA_DIR = "PUNCTUAL_TEST_DATA_DIR";
// Named after the process that makes it, so that what a killed run left can be told from what another run uses.
const FOLDER_NAME = /^punctual-test-(\d+)-/;
const TEMPLATE = "template_migrated";

// Nothing in a test run outlives it, so nothing has to reach the disk.
const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  drop(): Promise<void>;
}

export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const { url: home } = await sharedCluster();
  const name = `test_${process.pid}_${randomBytes(5).toString("hex")}`;
  await onServer(home, async (client) => {
    if (migrated) await makeTemplate(client, home);
    await client.query(`create database ${name} template ${migrated ? TEMPLATE : "template0"}`);
  });
  const url = atDatabase(home, name);
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => {});
  const drop = async () => {
    if (!pool.ended) await pool.end();
    await onServer(home, (client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { url, pool, drop };
}

export interface TestCluster {
  url: string;
  dataDir: string;
  version: string;
  // The process number of the postmaster, for freezing it (SIGSTOP) and the like; null while it is down.
  pid(): number | null;
  // Ends the postmaster as the machine's own killer would; its backends notice and follow.
  kill9(): Promise<void>;
  stop(): Promise<void>;
  // After kill9() or stop(): up again, under the same URL.
  start(): Promise<void>;
  // Stops it and removes its folder. To be called at the end of each test.
  remove(): Promise<void>;
}

export async function startTestCluster(
  options: { major?: 15 | 18; settings?: Record<string, string> } = {},
): Promise<TestCluster> {
  endWithParent();
  const folder = makeTestFolder();
  const dataDir = join(folder, "data");
  const binDir = options.major === 15 ? { binDir: system15() } : {};
  const begin = () => startEmbedded({ dataDir, settings: { ...FAST, ...options.settings }, ...binDir });
  let database: EmbeddedDatabase | null = await begin();
  const clusterDir = join(database.dataDir, "postgres");
  const pid = () => readPostmaster(clusterDir)?.pid ?? null;
  const stop = async () => {
    await database?.stop();
    database = null;
  };
  return {
    url: database.url,
    dataDir: database.dataDir,
    version: database.version,
    pid,
    stop,
    kill9: async () => {
      const victim = pid();
      if (victim === null) return;
      process.kill(victim, "SIGKILL");
      while (pid() !== null) await sleep(5);
    },
    start: async () => {
      if (database) await database.ensureRunning();
      else database = await begin();
    },
    remove: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Whether startTestCluster({ major: 15 }) can be served here; for test.skipIf.
export function hasPostgres15(): boolean {
  return existsSync(join(system15(), "postgres"));
}

// In the system's temporary folder, unless the server's user is shut out there.
export function makeTestFolder(): string {
  const parent = testFolderParent();
  const folder = mkdtempSync(join(parent, `punctual-test-${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

// What killed runs left: folders whose maker is gone and whose server, if there was one, has no users any more.
export function sweepTestFolders(): void {
  const parent = testFolderParent();
  for (const name of readdirSync(parent)) {
    const maker = FOLDER_NAME.exec(name);
    const folder = join(parent, name);
    if (!maker || statSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    if (isRunning(Number(maker[1])) || isServed(join(folder, "data"))) continue;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function isServed(dataDir: string): boolean {
  const inUse = join(dataDir, "in-use");
  return existsSync(inUse) && (hasUsers(inUse) || readPostmaster(join(dataDir, "postgres")) !== null);
}

// Another user's process cannot be asked, and is left alone with its folder.
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function testFolderParent(): string {
  const user = chooseServerUser("/nonexistent");
  return canReach(tmpdir(), user) ? tmpdir() : "/tmp";
}

// A worker whose vitest was killed would go on with its test, and hold the server, perhaps for ever.
function endWithParent(): void {
  if (process.connected && !process.listeners("disconnect").includes(exit)) process.once("disconnect", exit);
}

function exit(): void {
  process.exit(1);
}

let adopted: Promise<EmbeddedDatabase> | null = null;

function sharedCluster(): Promise<EmbeddedDatabase> {
  const dataDir = process.env[TEST_DATA_DIR];
  if (!dataDir) throw new Error(`${TEST_DATA_DIR} is not set: tests with a database run under vitest's global setup`);
  endWithParent();
  adopted ??= startEmbedded({ dataDir, settings: FAST });
  return adopted;
}

// Made by whichever test comes first and given its name only when complete. The lock is the server's, so that it is free
// again if that test is killed.
async function makeTemplate(client: pg.Client, home: string): Promise<void> {
  await client.query("select pg_advisory_lock(7420)");
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [TEMPLATE]);
    if (rowCount) return;
    await client.query("drop database if exists template_draft with (force)");
    await client.query("create database template_draft template template0");
    await migrate(atDatabase(home, "template_draft"));
    await client.query(`alter database template_draft rename to ${TEMPLATE}`);
  } finally {
    await client.query("select pg_advisory_unlock(7420)");
  }
}

async function onServer(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

function atDatabase(url: string, name: string): string {
  return url.replace("@/punctual?", `@/${name}?`);
}

function system15(): string {
  return "/usr/lib/postgresql/15/bin";
}
