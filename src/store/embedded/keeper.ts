// The keeper: a shell of a megabyte that is the server's parent and stops it when its last user is gone.
//
// Promised: the server lives while at least one process that asked for it lives, however the others end, and is shut down
// (checkpointed, not killed) within moments of the last one's end, `kill -9` included. Nobody counts: the kernel does.
// Each user holds the writing end of one named pipe in the data folder, the keeper the reading end. A reader gets its end
// of file when the last writer closes, and a process cannot end without closing.
//
// - Keeper and server form a session of their own: Ctrl-C in a terminal goes to the whole foreground group, and the server
//   must outlive it until its users have drained. The keeper ignores the signals by which groups are told to end.
// - The pipe is never removed: a pipe made again under the same name would be another one, and its users not be counted.
// - A user that joins in the instant between the last one's end and the shutdown sees its connection fail; it starts the
//   server again, and its hold on the pipe goes on counting (see embedded.ts).
// - A keeper that was itself killed leaves a server that nobody would stop. Whoever uses it notices that the pipe has no
//   reader and sends a new one. Only when the keeper and then all users are killed does a server stay behind; the next
//   start adopts it.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, lchownSync, lstatSync, openSync, readSync } from "node:fs";
import type { ServerUser } from "./server-user.ts";

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

// Standard input is the pipe. The watcher is a subshell with the built-in read, so that killing it leaves no reader behind.
const KEEP = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(read -r _ <&3; kill -INT "$server" 2>/dev/null) &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill -KILL "$watcher" 2>/dev/null
exit "$status"
`;

// For a server that lost its keeper. The number is compared with the server's own lock file: it may have been reused.
const WATCH = `
trap '' HUP INT TERM
read -r _
read -r pid <"$2/postmaster.pid" && [ "$pid" = "$1" ] && kill -INT "$pid"
`;

export interface KeeperOptions {
  user: ServerUser | null;
  env: NodeJS.ProcessEnv;
  logFd: number;
}

export function makePipe(inUse: string, user: ServerUser | null): void {
  if (!lstatSync(inUse, { throwIfNoEntry: false })) {
    const made = spawnSync("/bin/sh", ["-c", 'mkfifo -m 600 "$1"', "sh", inUse], { encoding: "utf8" });
    // Another process may have been faster.
    if (made.status !== 0 && !lstatSync(inUse, { throwIfNoEntry: false })) throw made.error ?? new Error(made.stderr);
  }
  if (!lstatSync(inUse).isFIFO()) throw new Error(`${inUse} is not a pipe; move it away`);
  if (user) lchownSync(inUse, user.uid, user.gid);
}

// Counts this process as a user, and says so by a descriptor; null when no keeper reads the pipe.
export function joinUsers(inUse: string): number | null {
  try {
    return openSync(inUse, O_WRONLY | O_NONBLOCK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENXIO") return null;
    throw cause;
  }
}

export function hasUsers(inUse: string): boolean {
  const fd = openSync(inUse, O_RDONLY | O_NONBLOCK);
  try {
    // Nothing is ever written: no bytes means no writer, "try again" means there is one.
    return readSync(fd, Buffer.alloc(1)) > 0;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EAGAIN") return true;
    throw cause;
  } finally {
    closeSync(fd);
  }
}

export interface Kept {
  keeper: ChildProcess;
  // This process's hold on the pipe.
  hold: number;
}

export function keepServer(inUse: string, command: string[], options: KeeperOptions): Kept {
  return spawnKeeper(inUse, ["-c", KEEP, "punctual-keeper", ...command], options);
}

export function watchServer(inUse: string, pid: number, clusterDir: string, options: KeeperOptions): Kept {
  return spawnKeeper(inUse, ["-c", WATCH, "punctual-keeper", String(pid), clusterDir], options);
}

// A pipe opens for writing only if somebody reads, and for reading without waiting only as "non-blocking", which the shell
// cannot read from. Hence: a reader that does not block, the hold, a reader that does. The keeper gets the last one ready
// open: if this process dies now, it sees the end of file all the same.
function spawnKeeper(inUse: string, args: string[], { user, env, logFd }: KeeperOptions): Kept {
  const door = openSync(inUse, O_RDONLY | O_NONBLOCK);
  const hold = openSync(inUse, O_WRONLY | O_NONBLOCK);
  const reader = openSync(inUse, O_RDONLY);
  closeSync(door);
  try {
    const stdio = [reader, logFd, logFd] as const;
    const keeper = spawn("/bin/sh", args, { ...user, env, cwd: "/", detached: true, stdio: [...stdio] });
    keeper.unref();
    return { keeper, hold };
  } catch (cause) {
    closeSync(hold);
    throw cause;
  } finally {
    closeSync(reader);
  }
}
