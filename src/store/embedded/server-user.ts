// The user the server runs as. PostgreSQL refuses to run as root, so root's processes start it as somebody else;
// everybody else runs it as themselves (null).
//
// Root takes, in this order: the owner of a cluster that is already there (so that an ordinary user who made the folder
// can still use it after root did), `postgres`, `nobody`. The user must have an entry in the password file: initdb asks.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { EmbeddedError } from "./embedded-error.ts";

export interface ServerUser {
  uid: number;
  gid: number;
}

export function chooseServerUser(clusterDir: string): ServerUser | null {
  if (!process.getuid) {
    throw new EmbeddedError(
      "embedded_unsupported",
      `The embedded database does not run on ${process.platform}. Use a PostgreSQL of your own: PUNCTUAL_DATABASE_URL.`,
    );
  }
  if (process.getuid() !== 0) return null;
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = passwdEntry("postgres") ?? passwdEntry("nobody");
  if (user) return user;
  throw new EmbeddedError(
    "embedded_unsupported",
    "PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody to run it as. " +
      "Create one of them, or start Punctual as an ordinary user.",
  );
}

// Asked by trying, as that user: reading mode bits would miss access lists, mounts and groups.
export function canReach(path: string, user: ServerUser | null): boolean {
  return spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", path], { ...user, cwd: "/" }).status === 0;
}

function passwdEntry(name: string): ServerUser | null {
  for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
    const [entry, , uid, gid] = line.split(":");
    // macOS writes nobody as -2; the system calls want it unsigned.
    if (entry === name) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  return null;
}
