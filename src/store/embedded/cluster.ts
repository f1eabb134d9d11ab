// Making the cluster: initdb into a folder beside it, then one rename. A crash in between leaves a folder that is swept,
// never half a cluster; of two processes that make it at once, the second finds the name taken and throws its own away.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import type { DataFolder } from "./data-folder.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { serverEnvironment } from "./server-settings.ts";
import type { ServerUser } from "./server-user.ts";

const INITDB_MS_MAX = 10 * 60_000;

export function clusterMajor(clusterDir: string): number | null {
  const file = join(clusterDir, "PG_VERSION");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : null;
}

export async function makeCluster(
  folder: DataFolder,
  binaries: Binaries,
  options: { user: ServerUser | null; durable: boolean },
): Promise<void> {
  if (existsSync(folder.clusterDir) && readdirSync(folder.clusterDir).length > 0) {
    if (clusterMajor(folder.clusterDir) !== null) return;
    const message = `${folder.clusterDir} is not empty, yet holds no cluster (there is no PG_VERSION in it). Move it away.`;
    throw new EmbeddedError("embedded_foreign_folder", message);
  }
  const draft = join(folder.path, `initdb-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    if (options.user) chownSync(draft, options.user.uid, options.user.gid);
    await runInitdb(draft, binaries, options);
    renameSync(draft, folder.clusterDir);
    syncFolder(folder.path);
  } catch (cause) {
    // Whatever went wrong, it does not matter once somebody else's cluster is in place.
    if (clusterMajor(folder.clusterDir) === null) throw cause;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

// A cluster that root copied or unpacked here belongs to root, and the server refuses it, as it does one others may read.
export function giveCluster(clusterDir: string, user: ServerUser): void {
  if (lstatSync(clusterDir).uid === user.uid) return;
  for (const name of readdirSync(clusterDir, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(clusterDir, name), user.uid, user.gid);
  }
  chmodSync(clusterDir, 0o700);
  // Last: its owner says that all within is done.
  chownSync(clusterDir, user.uid, user.gid);
}

// The initdb of a killed process may still be at work. Renamed first, its folder is out of its reach, and it gives up.
export async function sweepDrafts(folder: DataFolder): Promise<void> {
  for (const name of readdirSync(folder.path)) {
    if (!isLeftBehind(folder, name)) continue;
    const swept = join(folder.path, `initdb-swept-${randomBytes(4).toString("hex")}`);
    try {
      renameSync(join(folder.path, name), swept);
      await rm(swept, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    } catch {
      // Another process sweeps as well, or what is still being written cannot go yet: the next start is early enough.
    }
  }
}

function isLeftBehind(folder: DataFolder, name: string): boolean {
  if (name.startsWith("initdb-swept-")) return true;
  const maker = /^initdb-(\d+)-/.exec(name);
  if (!maker) return false;
  const age = Date.now() - (statSync(join(folder.path, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return !isRunning(Number(maker[1])) || age > INITDB_MS_MAX;
}

function runInitdb(
  draft: string,
  binaries: Binaries,
  { user, durable }: { user: ServerUser | null; durable: boolean },
): Promise<void> {
  const args = ["-D", draft, "-U", "punctual", "--encoding=UTF8", "--locale=C", "--data-checksums"];
  // The folder around the socket is the lock on the door: nobody but its owner and root comes to it.
  args.push("--auth-local=trust", "--auth-host=reject", "--no-instructions");
  if (!durable) args.push("--no-sync");
  return new Promise((resolve, reject) => {
    const initdb = spawn(join(binaries.binDir, "initdb"), args, {
      ...user,
      env: serverEnvironment(),
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    initdb.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4096);
    });
    initdb.once("error", reject);
    initdb.once("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new EmbeddedError("embedded_start_failed", `initdb ended with ${signal ?? code}: ${said.trim()}`));
    });
  });
}

function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}
