// The package as it is found in the wild: without its links, where the server's user does not come, not ours to write.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  clusterDataDir,
  EmbeddedUser,
  emptyDataDir,
  installTo,
  nativeFolder,
  processesOf,
  query,
} from "../../../tests/support/embedded-processes.ts";
import { copyOnce, restoreLinks } from "./packaged-binaries.ts";
import { chooseServerUser } from "./server-user.ts";

const isRoot = process.getuid?.() === 0;

function removeLinks(native: string): string[] {
  const links = readdirSync(join(native, "lib"), { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  for (const { name } of links) rmSync(join(native, "lib", name));
  return links.map(({ name }) => name).sort();
}

test("links that a skipped install script did not make are made again", () => {
  const installation = join(dirname(emptyDataDir()), "installation");
  installTo(installation);
  const native = nativeFolder(installation);
  restoreLinks(native);
  const removed = removeLinks(native);
  expect(removed).toContain("libpq.so.5");
  expect(restoreLinks(native)).toBe(true);
  for (const name of removed) expect(statSync(join(native, "lib", name)).isFile()).toBe(true);
});

test("a copy is made once, whole, without leftovers, and made anew when a power cut has spoilt it", () => {
  const folder = dirname(emptyDataDir());
  installTo(join(folder, "installation"));
  const native = nativeFolder(join(folder, "installation"));
  removeLinks(native);
  const copy = copyOnce(native, join(folder, "cache/postgresql-1"));
  const made = statSync(copy).ino;
  expect(existsSync(join(copy, "lib/libpq.so.5"))).toBe(true);
  expect(copyOnce(native, join(folder, "cache/postgresql-1"))).toBe(copy);
  expect(statSync(copy).ino).toBe(made);
  truncateSync(join(copy, "bin/postgres"));
  copyOnce(native, join(folder, "cache/postgresql-1"));
  expect(statSync(join(copy, "bin/postgres")).size).toBe(statSync(join(native, "bin/postgres")).size);
  expect(readdirSync(join(folder, "cache"))).toEqual(["postgresql-1"]);
});

test.runIf(isRoot)(
  "root in a checkout that only root may read: processes at once share one copy of the binaries",
  async () => {
    const dataDir = await clusterDataDir();
    const closed = join(dirname(dataDir), "closed");
    const cache = join(dirname(dataDir), "cache");
    mkdirSync(closed, { mode: 0o700 });
    installTo(join(closed, "checkout"));
    // A umask as careful as the folder.
    const env = { XDG_CACHE_HOME: cache };
    const umask = process.umask(0o077);
    const users = [
      new EmbeddedUser(join(closed, "checkout"), { env }),
      new EmbeddedUser(join(closed, "checkout"), { env }),
    ];
    process.umask(umask);
    const [database] = await Promise.all(users.map((user) => user.start({ dataDir })));
    expect(await query(database!.url, "select 1 as one")).toEqual([{ one: 1 }]);
    const server = chooseServerUser(join(dataDir, "postgres"))!;
    const owners = processesOf(dataDir).map((pid) => statSync(`/proc/${pid}`).uid);
    expect(new Set(owners)).toEqual(new Set([server.uid]));
    expect(readdirSync(join(cache, "punctual/binaries"))).toHaveLength(1);
  },
);

test.runIf(isRoot)("an ordinary user runs a package that root installed without its links", async () => {
  const dataDir = emptyDataDir();
  const folder = dirname(dataDir);
  installTo(join(folder, "installation"));
  removeLinks(nativeFolder(join(folder, "installation")));
  const { uid, gid } = chooseServerUser("/nonexistent")!;
  const home = join(folder, "home");
  mkdirSync(home);
  chmodSync(folder, 0o777);
  chmodSync(home, 0o777);
  const user = new EmbeddedUser(join(folder, "installation"), { uid, gid, env: { HOME: home } });
  const { url } = await user.start({ dataDir });
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(readdirSync(join(home, ".cache/punctual/binaries"))).toHaveLength(1);
});
