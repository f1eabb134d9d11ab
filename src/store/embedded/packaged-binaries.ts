// The binaries of the npm package, made runnable where they lie or, if that cannot be, from a copy.
//
// Two things can be wrong with them. The library links are missing when install scripts were skipped: they are made again
// from the package's own list. And the user the server runs as may not reach them, as in a checkout under root's home, or
// the links cannot be made because node_modules belongs to somebody else or is read-only: then a copy is made, once per
// version, under a name it gets only when complete, so that nobody ever runs half of one.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import type { Probed } from "./binaries.ts";
import { makePassable } from "./data-folder.ts";
import type { ServerUser } from "./server-user.ts";

const LEFT_BEHIND_MS = 60 * 60_000;
// Only for linking programs against PostgreSQL; a third of the bytes.
const NOT_NEEDED = /\.a$|^pkgconfig$|^include$/;

export interface PackageOptions {
  version: string;
  user: ServerUser | null;
  dataDir: string;
  probe: (binDir: string, user: ServerUser | null) => Probed;
}

export function preparePackage(native: string, { version, user, dataDir, probe }: PackageOptions): Probed {
  const linked = restoreLinks(native);
  const inPlace = probe(join(native, "bin"), user);
  if (!("refused" in inPlace)) return inPlace;
  // Complete, and yet it does not run even for ourselves: made for another machine, of which a copy would be no better.
  if (linked && isExecutable(join(native, "bin", "postgres")) && "refused" in probe(join(native, "bin"), null))
    return inPlace;
  for (const cache of cacheFolders(dataDir)) {
    try {
      if (user) makePassable(cache);
      const copy = copyOnce(native, join(cache, `postgresql-${version}-${process.platform}-${process.arch}`));
      const copied = probe(join(copy, "bin"), user);
      if (!("refused" in copied)) return copied;
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
    }
  }
  return inPlace;
}

// False if some are missing and cannot be made here. The list names paths from the package's root, one level up.
export function restoreLinks(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  let complete = true;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    try {
      symlinkSync(relative(dirname(target), source), join(dirname(native), target));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") continue;
      if (!isRefusal(cause)) throw cause;
      complete = false;
    }
  }
  return complete;
}

export function copyOnce(native: string, copy: string): string {
  const target = join(copy, basename(native));
  if (isWhole(native, target)) return target;
  mkdirSync(dirname(copy), { recursive: true });
  sweepDrafts(copy);
  const draft = mkdtempSync(`${copy}.draft-`);
  try {
    chmodSync(draft, 0o755);
    copyTree(native, join(draft, basename(native)));
    restoreLinks(join(draft, basename(native)));
    // An older copy that a power cut left incomplete stands in the way of the rename; a complete one by another process
    // does too, and is as good as ours.
    if (existsSync(copy) && !isWhole(native, target)) renameSync(copy, `${draft}-broken`);
    renameSync(draft, copy);
  } catch (cause) {
    if (!isWhole(native, target)) throw cause;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    rmSync(`${draft}-broken`, { recursive: true, force: true });
  }
  return target;
}

// Root's copy is run by its orders: nobody else may be able to change it, so never in /tmp, and not in root's home, where
// the server's user does not come. The data folder is last, because a copy there serves it alone.
function cacheFolders(dataDir: string): string[] {
  const chosen = process.env.XDG_CACHE_HOME;
  const usual = process.getuid?.() === 0 ? "/var/lib/punctual/binaries" : join(homedir(), ".cache/punctual/binaries");
  return [chosen ? join(chosen, "punctual/binaries") : usual, join(dataDir, "binaries")];
}

function isExecutable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}

// By size, of what is executed: a power cut after the rename may have left empty files. And it must be our own doing.
function isWhole(native: string, target: string): boolean {
  if (statSync(target, { throwIfNoEntry: false })?.uid !== process.getuid?.()) return false;
  return ["bin", "lib"].every((part) =>
    readdirSync(join(native, part)).every((name) => {
      if (NOT_NEEDED.test(name)) return true;
      const [ours, theirs] = [join(native, part, name), join(target, part, name)].map((path) =>
        statSync(path, { throwIfNoEntry: false }),
      );
      return ours?.isDirectory() ? theirs?.isDirectory() : theirs !== undefined && ours?.size === theirs.size;
    }),
  );
}

function copyTree(from: string, to: string): void {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (NOT_NEEDED.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isFile()) {
      copyFileSync(source, target);
      chmodSync(target, basename(from) === "bin" || lstatSync(source).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

function sweepDrafts(copy: string): void {
  for (const name of readdirSync(dirname(copy))) {
    if (!name.includes(".draft-")) continue;
    const path = join(dirname(copy), name);
    const seen = statSync(path, { throwIfNoEntry: false });
    if (seen && Date.now() - seen.mtimeMs > LEFT_BEHIND_MS) rmSync(path, { recursive: true, force: true });
  }
}

function isRefusal(cause: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOENT"].includes((cause as NodeJS.ErrnoException).code ?? "");
}
