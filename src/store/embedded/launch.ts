// One attempt to start the server. It may end without one and without an error: another process was faster, or something
// of the last server is still in the way. Then there is a new state to look at, and the caller looks again.
import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findBinaries } from "./binaries.ts";
import { clusterMajor, giveCluster, makeCluster, sweepDrafts } from "./cluster.ts";
import type { DataFolder } from "./data-folder.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { type Kept, keepServer } from "./keeper.ts";
import { readPostmaster } from "./postmaster.ts";
import { openLog, readLogSince } from "./server-log.ts";
import { parentOf, signalLeftBehind } from "./server-process.ts";
import { serverArguments, serverEnvironment } from "./server-settings.ts";
import type { ServerUser } from "./server-user.ts";

const LOOK_EVERY_MS = 10;
// Backends left behind are asked this often to end before they are made to.
const ASK_MAX = 10;

export interface LaunchOptions {
  user: ServerUser | null;
  settings: Record<string, string>;
  binDir?: string | undefined;
  // Counted from 1 by the caller, over the attempts of one start.
  attempt: number;
  timeoutMs: number;
  onCreated: (version: string) => void;
}

export interface Launch {
  outcome: "ready" | "look_again";
  // This process's hold on the pipe; it counts whoever's server it is in the end.
  hold: number;
}

export async function launchServer(folder: DataFolder, options: LaunchOptions): Promise<Launch> {
  const { user, settings } = options;
  const binDir = await prepareCluster(folder, options);
  const log = openLog(folder.logFile, user);
  const command = [join(binDir, "postgres"), ...serverArguments(folder, settings)];
  const kept = keepServer(folder.inUse, command, { user, env: serverEnvironment(), logFd: log.fd });
  closeSync(log.fd);
  try {
    const ended = await readyOrEnded(folder, kept, options.timeoutMs);
    if (ended === "ready") return { outcome: "ready", hold: kept.hold };
    await judgeEnd(folder, { said: readLogSince(folder.logFile, log.offset), status: ended, attempt: options.attempt });
    return { outcome: "look_again", hold: kept.hold };
  } catch (cause) {
    closeSync(kept.hold);
    throw cause;
  }
}

async function prepareCluster(folder: DataFolder, options: LaunchOptions): Promise<string> {
  const { user, binDir, settings } = options;
  await sweepDrafts(folder);
  const major = clusterMajor(folder.clusterDir);
  const binaries = findBinaries({ major, user, binDir, dataDir: folder.path });
  if (major === null) {
    await makeCluster(folder, binaries, { user, durable: settings.fsync !== "off" });
    options.onCreated(binaries.version);
  }
  if (user) giveCluster(folder.clusterDir, user);
  return binaries.binDir;
}

// The keeper ends with its server and hands on its exit status.
async function readyOrEnded(folder: DataFolder, { keeper }: Kept, timeoutMs: number): Promise<"ready" | number> {
  let status: number | null = null;
  let failure: Error | null = null;
  keeper.once("exit", (code) => {
    status = code ?? 1;
  });
  keeper.once("error", (cause) => {
    failure = cause;
  });
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    if (failure) throw failed(folder, "could not be spawned", failure);
    if (status !== null) return status;
    const postmaster = readPostmaster(folder.clusterDir);
    if (postmaster?.status === "ready" && parentOf(postmaster.pid) === keeper.pid) return "ready";
    await sleep(LOOK_EVERY_MS);
  }
  throw failed(folder, `was not ready after ${timeoutMs / 1000} s`);
}

async function judgeEnd(folder: DataFolder, end: { said: string; status: number; attempt: number }): Promise<void> {
  // Another server was faster, or is just writing its lock file.
  if (/lock file ".*" already exists|lock file ".*" is empty|bogus data in lock file/.test(end.said)) return;
  // Ended by a signal: not its own decision, so worth another try, but not for ever.
  if (end.status > 128 && end.attempt < 5) return;
  if (!/shared memory block .* is still in use/.test(end.said)) throw failed(folder, `did not start: ${end.said}`);
  signalLeftBehind(folder.clusterDir, end.attempt <= ASK_MAX ? "SIGQUIT" : "SIGKILL");
  await sleep(LOOK_EVERY_MS * Math.min(end.attempt, 20));
}

function failed(folder: DataFolder, what: string, cause?: Error): EmbeddedError {
  const message = `The embedded PostgreSQL in ${folder.path} ${what} (its log: ${folder.logFile})`;
  return new EmbeddedError("embedded_start_failed", message, cause ? { cause } : {});
}
