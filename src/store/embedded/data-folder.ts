// The data folder: where it is, what lies in it, who may enter it.
//
//   <data folder>/            the process's own user; nobody else may read it
//     postgres/               the cluster, 0700, owned by the server's user
//     run/                    the server's socket, 0700, owned by the server's user
//     in-use                  the pipe the users of the server hold open (see keeper.ts)
//     postgres.log            what the server says, bounded (see server-log.ts)
//     initdb-<pid>-<random>/  a cluster being made; swept when its maker is gone
//
// When root starts the server as another user, that user must pass through the data folder but not read it, since keys
// are kept there too: the folder stays root's, its group becomes the server's, its mode 0710. Folders above it are never
// changed. If they shut the server's user out (root's home is 0700), the default moves to /var/lib/punctual; a folder
// that was asked for by name is refused, because silently putting data elsewhere would be worse.
import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { EmbeddedError } from "./embedded-error.ts";
import { canReach, chooseServerUser, type ServerUser } from "./server-user.ts";

export interface DataFolder {
  path: string;
  clusterDir: string;
  socketDir: string;
  inUse: string;
  logFile: string;
}

export interface ResolvedDataDir {
  dataDir: string;
  // Why it is not ./.punctual, for printing; null when there is nothing to explain.
  note: string | null;
}

export function resolveDataDir(options: { configured?: string | undefined; cwd?: string } = {}): ResolvedDataDir {
  const cwd = options.cwd ?? process.cwd();
  if (options.configured) return { dataDir: resolve(cwd, options.configured), note: null };
  const local = join(cwd, ".punctual");
  const user = process.getuid?.() === 0 ? chooseServerUser(join(local, "postgres")) : null;
  if (!user || canReach(existsSync(local) ? dirname(realpathSync(local)) : cwd, user)) {
    return { dataDir: local, note: null };
  }
  // The hash keeps two projects of one name apart, the name lets a person recognise theirs.
  const dataDir = join("/var/lib/punctual", `${basename(cwd) || "root"}-${shortHash(cwd)}`);
  return { dataDir, note: `PostgreSQL does not run as root, and the user it runs as cannot enter ${cwd}` };
}

// Makes what is missing, and returns the folder by its real path, so that every process names the socket alike.
export function openDataFolder(dataDir: string): { folder: DataFolder; user: ServerUser | null } {
  try {
    const user = chooseServerUser(join(dataDir, "postgres"));
    if (user) makePassable(dirname(resolve(dataDir)));
    else mkdirSync(dirname(resolve(dataDir)), { recursive: true });
    makePrivate(dataDir);
    if (user && !canReach(dataDir, user)) letPass(dataDir, user);
    const path = realpathSync(dataDir);
    keepOutOfGit(path);
    const socketDir = socketDirOf(path);
    makePrivate(socketDir);
    own(socketDir, user);
    const folder = {
      path,
      clusterDir: realClusterDir(path),
      socketDir,
      inUse: join(path, "in-use"),
      logFile: join(path, "postgres.log"),
    };
    return { folder, user };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw cause;
    throw new EmbeddedError(
      "embedded_foreign_folder",
      `The data folder ${dataDir} cannot be used by this user (${(cause as Error).message}). ` +
        "Run as the user it belongs to, or name another one with PUNCTUAL_DATA_DIR.",
      { cause },
    );
  }
}

// Somebody may have moved it to another disk and left a link; its processes know it by the real path.
function realClusterDir(path: string): string {
  const clusterDir = join(path, "postgres");
  return existsSync(clusterDir) ? realpathSync(clusterDir) : clusterDir;
}

// A socket's path has room for about 100 bytes (104 on macOS, 108 on Linux). A deep data folder gets a short one in /tmp
// instead: not os.tmpdir(), which differs from process to process, while all must come to the same place.
export function socketDirOf(path: string): string {
  const inside = join(path, "run");
  return Buffer.byteLength(join(inside, ".s.PGSQL.65535")) <= 100 ? inside : `/tmp/punctual-${shortHash(path)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

// For folders that the server's user has to pass through: under a umask of 077 new ones would shut it out.
export function makePassable(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (!first) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) chmodSync(made, 0o755);
}

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

// It stands in somebody's project and has keys in it: `git add` must not see it.
function keepOutOfGit(path: string): void {
  const file = join(path, ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n");
}

function letPass(dataDir: string, user: ServerUser): void {
  if (statSync(dataDir).uid === 0) {
    chownSync(dataDir, 0, user.gid);
    chmodSync(dataDir, 0o710);
  }
  if (canReach(dataDir, user)) return;
  throw new EmbeddedError(
    "embedded_unreachable",
    `PostgreSQL does not run as root, and the user it runs as (uid ${user.uid}) cannot enter ${dataDir}. ` +
      "Name a folder that everybody may pass through, such as one under /var/lib, with PUNCTUAL_DATA_DIR, or leave it unset.",
  );
}

// In /tmp anybody may have made a folder of this name first; then its owner could pose as our server.
function own(socketDir: string, user: ServerUser | null): void {
  const seen = lstatSync(socketDir);
  const uid = user?.uid ?? process.getuid!();
  if (seen.isDirectory() && seen.uid === process.getuid!() && user) chownSync(socketDir, user.uid, user.gid);
  else if (!seen.isDirectory() || seen.uid !== uid) {
    throw new EmbeddedError(
      "embedded_foreign_folder",
      `The socket folder ${socketDir} belongs to uid ${seen.uid}, expected ${uid}. Remove it, or use another data folder.`,
    );
  }
  chmodSync(socketDir, 0o700);
}
