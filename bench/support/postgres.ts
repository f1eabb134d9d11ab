// A PostgreSQL of the benchmark's own, in a temporary folder: the server of the system if there is one, with the settings that
// `initdb` gives it, otherwise the one that comes with Punctual. Commits are durable, as they are by default.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { startEmbedded } from "./product.ts";

export interface Postgres {
  /** "PostgreSQL 15.13, of the system". */
  readonly description: string;
  /** Of its first process, for the time it takes from the processor; null if not known. */
  readonly pid: number | null;
  urlOf(database: string): string;
  /** An empty database of that name, whatever was in it before. Returns its URL. */
  createDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, database?: string): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Beyond what `initdb` writes; for rounds that look at the database and are not measured. */
export type PostgresSettings = Record<string, string>;

const DEBIAN = "/usr/lib/postgresql";
const START_MS_MAX = 30_000;

export async function startPostgres(settings: PostgresSettings = {}): Promise<Postgres> {
  const binaries = systemBinaries();
  return binaries === null ? await startOurs() : await startSystem(binaries, settings);
}

/** The folder of PostgreSQL 15's programs; of another version if only that is there. */
function systemBinaries(): string | null {
  if (!existsSync(DEBIAN)) return null;
  const versions = readdirSync(DEBIAN).filter((version) => existsSync(join(DEBIAN, version, "bin", "postgres")));
  const version = versions.includes("15") ? "15" : versions.sort((a, b) => Number(b) - Number(a))[0];
  return version === undefined ? null : join(DEBIAN, version, "bin");
}

async function startSystem(binaries: string, settings: PostgresSettings): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "punctual-bench-"));
  const user = serverUser();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (user !== null) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  execFileSync(join(binaries, "initdb"), ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"], {
    stdio: "ignore",
    cwd: folder,
    ...user,
  });
  const port = await freePort();
  const where = { port: String(port), listen_addresses: "127.0.0.1", unix_socket_directories: "" };
  const given = Object.entries({ ...settings, ...where }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(join(folder, "log"), "a");
  const server = spawn(join(binaries, "postgres"), ["-D", data, ...given], {
    stdio: ["ignore", log, log],
    cwd: folder,
    ...user,
  });
  const forget = endWithUs(server, folder);
  const urlOf = (database: string) => `postgres://bench@127.0.0.1:${port}/${database}`;
  await reachable(urlOf("postgres"));
  return await asPostgres(urlOf, "of the system", server.pid ?? null, async () => {
    await ended(server, "SIGINT");
    forget();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
}

async function startOurs(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "punctual-bench-"));
  const embedded = await startEmbedded({ dataDir: join(folder, "data") });
  const urlOf = (database: string) => {
    const url = new URL(embedded.url);
    url.pathname = `/${database}`;
    return url.href;
  };
  return await asPostgres(urlOf, "the one that comes with Punctual", null, async () => {
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
}

async function asPostgres(
  urlOf: Postgres["urlOf"],
  origin: string,
  pid: number | null,
  stop: Postgres["stop"],
): Promise<Postgres> {
  const query: Postgres["query"] = async (text, database = "postgres") => {
    const client = new pg.Client({ connectionString: urlOf(database) });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const [about] = await query<{ version: string }>("select current_setting('server_version') as version");
  return {
    description: `PostgreSQL ${about!.version}, ${origin}`,
    pid,
    urlOf,
    query,
    createDatabase: async (name) => {
      await query(`drop database if exists ${name} with (force)`);
      await query(`create database ${name}`);
      return urlOf(name);
    },
    dropDatabase: async (name) => {
      await query(`drop database if exists ${name} with (force)`);
    },
    stop,
  };
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function reachable(url: string): Promise<void> {
  const until = performance.now() + START_MS_MAX;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(50);
    }
  }
}

/** Whatever ends this process ends the server, and leaves no folder. */
function endWithUs(server: ChildProcess, folder: string): () => void {
  const end = () => {
    if (server.exitCode === null) server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", end);
  return () => process.off("exit", end);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
