// The postmaster as its lock file `postmaster.pid` tells: which process, in which state, and whether to believe it.
//
// PostgreSQL refuses to start while the number in the file is that of any living process. After `kill -9`, a power cut or a
// restart of the container the number may belong to a zombie or to somebody else, and the server would never start again.
// So a file is believed only if its process is a `postgres` working in this cluster, or if something accepts connections
// on its socket (a server in another container over the same volume has a number that means nothing here).
//
// Dropping a file that is in force would let two servers write one cluster. Guards, in this order: the judgement is
// compared with the file again right before it is moved away; what was moved is compared once more and put back if it
// changed; and PostgreSQL itself refuses to start while the cluster's shared memory is attached by anybody.
import { linkSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import { isServerProcess } from "./server-process.ts";

// The server creates its lock file and fills it in two steps; an empty one this young is a server being born.
const BIRTH_MS_MAX = 2_000;
const SOCKET = ".s.PGSQL.5432";

export interface Postmaster {
  pid: number;
  // The server's own words: "starting", "ready", "stopping"; empty in the first moments.
  status: string;
}

// The postmaster in charge, or null if there is none. Lock files of a dead one are dropped on the way.
export async function findPostmaster(
  folder: DataFolder,
  onDropped: (pid: number) => void = () => {},
): Promise<Postmaster | null> {
  for (const path of [join(folder.clusterDir, "postmaster.pid"), join(folder.socketDir, `${SOCKET}.lock`)]) {
    const text = readLock(path);
    if (text === null) continue;
    const postmaster = parseLock(text);
    if (isServerProcess(postmaster.pid, folder.clusterDir) || isBeingBorn(path, text)) return postmaster;
    if (await isAccepting(folder)) return postmaster;
    if (dropLock(path, text)) onDropped(postmaster.pid);
  }
  return null;
}

// The same by the lock file and the process table alone: cheap enough to ask every few milliseconds.
export function readPostmaster(clusterDir: string): Postmaster | null {
  const text = readLock(join(clusterDir, "postmaster.pid"));
  const postmaster = text === null ? null : parseLock(text);
  return postmaster && isServerProcess(postmaster.pid, clusterDir) ? postmaster : null;
}

function parseLock(text: string): Postmaster {
  const lines = text.split("\n");
  // A server in single-user mode writes its number negative.
  return { pid: Math.abs(Number.parseInt(lines[0]!, 10)), status: (lines[7] ?? "").trim() };
}

function isBeingBorn(path: string, text: string): boolean {
  if (text !== "") return false;
  const seen = statSync(path, { throwIfNoEntry: false });
  return seen !== undefined && Math.abs(Date.now() - seen.mtimeMs) < BIRTH_MS_MAX;
}

function isAccepting(folder: DataFolder): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(folder.socketDir, SOCKET));
    const answer = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => answer(true));
    // A full backlog (EAGAIN) is a server too, only a busy one.
    socket.once("error", (cause: NodeJS.ErrnoException) => answer(cause.code === "EAGAIN"));
  });
}

function dropLock(path: string, judged: string): boolean {
  const aside = `${path}.stale-${process.pid}`;
  if (readLock(path) !== judged) return false;
  try {
    renameSync(path, aside);
    if (readLock(aside) === judged) return true;
    linkSync(aside, path);
    return false;
  } catch (cause) {
    // Another process dropped it first, or a new server has written its own since.
    if (["ENOENT", "EEXIST"].includes((cause as NodeJS.ErrnoException).code ?? "")) return false;
    throw cause;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readLock(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
}
