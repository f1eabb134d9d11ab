// The embedded database: a real PostgreSQL in the data folder, shared by all local processes that ask for it.
//
// Promised:
// - One server per data folder. Whoever comes first starts it, the others adopt it; there is no owner, so the first one
//   may end while others go on. The last one out stops it, `kill -9` included (keeper.ts says how).
// - No acknowledged row is lost, however the server or its users end: fsync is on.
// - A server that died is started again by whoever calls ensureRunning() first; all the others find it running.
// - What an earlier crash left (half a cluster, lock files, orphaned backends, a missing keeper) is put right at start.
//
// There is no lock of ours around this, and no leader: each step is either done by the kernel in one piece (rename, the
// pipe) or arbitrated by PostgreSQL's own lock file. So a start is a loop: look at what is there, do the one next step,
// look again. Losing a race to another process is merely a state to be looked at.
//
// Not promised: use from several machines over a network file system, or by several users other than root and one more.
import { closeSync, futimesSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterMajor } from "./cluster.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { hasUsers, joinUsers, makePipe, watchServer } from "./keeper.ts";
import { launchServer } from "./launch.ts";
import { findPostmaster, readPostmaster } from "./postmaster.ts";
import { boundLog, openLog } from "./server-log.ts";
import { isServerProcess, trySignal } from "./server-process.ts";
import { databaseUrl, serverEnvironment } from "./server-settings.ts";
import type { ServerUser } from "./server-user.ts";
import { greetServer } from "./session.ts";

// Crash recovery replays at most max_wal_size; two minutes are long even on a slow disk.
const START_MS_MAX = 120_000;
// A fast shutdown waits for a checkpoint only. Then an immediate one, after which the next start has to recover.
const STOP_MS_MAX = 10_000;
const LOOK_EVERY_MS = 10;
const TEND_EVERY_MS = 10_000;

export interface EmbeddedDatabase {
  // For `new pg.Pool({ connectionString: url })`; the same over all restarts.
  readonly url: string;
  readonly version: string;
  readonly dataDir: string;
  // True if the server was already running when this process came.
  readonly adopted: boolean;
  // Makes sure that the server accepts connections, starting it again if it died. For whoever sees a connection fail.
  ensureRunning(): Promise<void>;
  // Lets go of the server. Resolves once it has stopped, or at once if others still use it.
  stop(): Promise<void>;
}

export type EmbeddedEvent =
  | "database.created"
  | "database.started"
  | "database.adopted"
  | "database.stopped"
  | "database.lock_dropped"
  | "database.keeper_replaced"
  | "database.untended";

export interface EmbeddedOptions {
  dataDir: string;
  // Further server settings, or others than ours; only where it listens is fixed.
  settings?: Record<string, string>;
  // Run these binaries instead of looking for some.
  binDir?: string;
  log?: (event: EmbeddedEvent, fields: Record<string, unknown>) => void;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { folder, user } = openDataFolder(options.dataDir);
  const server = new EmbeddedServer(folder, user, options);
  try {
    await server.ensureRunning();
    return server;
  } catch (cause) {
    server.letGo();
    throw cause;
  }
}

class EmbeddedServer implements EmbeddedDatabase {
  readonly url: string;
  readonly dataDir: string;
  version = "";
  adopted = false;
  readonly #folder: DataFolder;
  readonly #user: ServerUser | null;
  readonly #options: EmbeddedOptions;
  #hold: number | null = null;
  #tending: NodeJS.Timeout | null = null;
  #rising: Promise<void> | null = null;
  #stopped = false;

  constructor(folder: DataFolder, user: ServerUser | null, options: EmbeddedOptions) {
    this.#folder = folder;
    this.#user = user;
    this.#options = options;
    this.url = databaseUrl(folder);
    this.dataDir = folder.path;
  }

  async ensureRunning(): Promise<void> {
    if (this.#stopped) throw new Error("ensureRunning() after stop()");
    this.#rising ??= this.#rise().finally(() => {
      this.#rising = null;
    });
    await this.#rising;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#rising?.catch(() => {});
    this.letGo();
    if (await this.#ended()) this.#log("database.stopped", {});
  }

  letGo(): void {
    if (this.#tending) clearInterval(this.#tending);
    if (this.#hold !== null) closeSync(this.#hold);
    this.#hold = null;
  }

  async #rise(): Promise<void> {
    const began = performance.now();
    const first = this.version === "";
    let started = false;
    makePipe(this.#folder.inUse, this.#user);
    // Before looking: once counted, nobody stops the server that is seen.
    this.#hold ??= joinUsers(this.#folder.inUse);
    for (let attempt = 1; ; ) {
      if (performance.now() - began > START_MS_MAX) throw this.#failed("did not serve in time");
      const postmaster = await findPostmaster(this.#folder, (pid) => this.#log("database.lock_dropped", { pid }));
      if (!postmaster) started = await this.#launch(attempt++);
      else if (postmaster.status === "ready" && (await this.#greet())) break;
      else await sleep(LOOK_EVERY_MS);
    }
    if (first) this.adopted = !started;
    this.#tending ??= setInterval(() => this.#tend(), TEND_EVERY_MS).unref();
    this.#tend();
    if (!first && !started) return;
    const fields = { dataDir: this.dataDir, version: this.version, ms: Math.round(performance.now() - began) };
    this.#log(started ? "database.started" : "database.adopted", fields);
  }

  async #launch(attempt: number): Promise<boolean> {
    const { settings = {}, binDir } = this.#options;
    const { outcome, hold } = await launchServer(this.#folder, {
      user: this.#user,
      settings,
      binDir,
      attempt,
      timeoutMs: START_MS_MAX,
      onCreated: (version) => this.#log("database.created", { dataDir: this.dataDir, version }),
    });
    this.#keep(hold);
    return outcome === "ready";
  }

  async #greet(): Promise<boolean> {
    try {
      const greeting = await greetServer((database) => databaseUrl(this.#folder, database));
      if (greeting.kind === "not_yet") return false;
      this.version = greeting.version ?? (this.version || String(clusterMajor(this.#folder.clusterDir)));
      return true;
    } catch (cause) {
      throw this.#failed(`refused a session: ${(cause as Error).message}`, cause);
    }
  }

  // Now and then: the log stays bounded, the pipe looks used to those who sweep old files, and somebody watches. Never
  // throws: it runs on a timer, where an error would end the process.
  #tend(): void {
    try {
      boundLog(this.#folder.logFile, this.#user);
      const hold = joinUsers(this.#folder.inUse);
      if (hold !== null) this.#keep(hold);
      else this.#replaceKeeper();
      if (this.#hold !== null) futimesSync(this.#hold, new Date(), new Date());
    } catch (cause) {
      this.#log("database.untended", { error: (cause as Error).message });
    }
  }

  #replaceKeeper(): void {
    const { clusterDir, inUse, logFile } = this.#folder;
    const postmaster = readPostmaster(clusterDir);
    if (!postmaster) return;
    const log = openLog(logFile, this.#user);
    const options = { user: this.#user, env: serverEnvironment(), logFd: log.fd };
    const { keeper, hold } = watchServer(inUse, postmaster.pid, clusterDir, options);
    keeper.once("error", (cause) => this.#log("database.untended", { error: cause.message }));
    closeSync(log.fd);
    this.#keep(hold);
    this.#log("database.keeper_replaced", { pid: postmaster.pid });
  }

  // One hold is enough, and must be: a second one would be forgotten and keep the server alive.
  #keep(hold: number): void {
    if (this.#hold === null) this.#hold = hold;
    else closeSync(hold);
  }

  // True once the server is gone, false if it stays because it has other users. The keeper has been told by the pipe; the
  // signal is repeated in case there is none. Waits for the process, which outlives its lock file by a moment.
  async #ended(): Promise<boolean> {
    const { clusterDir, inUse } = this.#folder;
    const pid = readPostmaster(clusterDir)?.pid;
    const began = performance.now();
    let told: NodeJS.Signals | null = null;
    while (pid !== undefined && isServerProcess(pid, clusterDir)) {
      if (hasUsers(inUse)) return false;
      const waitedMs = performance.now() - began;
      if (waitedMs > 2 * STOP_MS_MAX) throw this.#failed("does not stop");
      const signal = waitedMs > STOP_MS_MAX ? "SIGQUIT" : "SIGINT";
      if (told !== signal) trySignal(pid, signal);
      told = signal;
      await sleep(LOOK_EVERY_MS);
    }
    return true;
  }

  #log(event: EmbeddedEvent, fields: Record<string, unknown>): void {
    this.#options.log?.(event, fields);
  }

  #failed(what: string, cause?: unknown): EmbeddedError {
    const message = `The embedded PostgreSQL in ${this.dataDir} ${what} (its log: ${this.#folder.logFile})`;
    return new EmbeddedError("embedded_start_failed", message, { cause });
  }
}
