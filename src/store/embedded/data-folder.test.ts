import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  clusterDataDir,
  emptyDataDir,
  processesOf,
  query,
  startHere,
} from "../../../tests/support/embedded-processes.ts";
import { resolveDataDir, socketDirOf } from "./data-folder.ts";
import { startEmbedded } from "./embedded.ts";

const isRoot = process.getuid?.() === 0;

test("the data folder is .punctual in the current one, or the one that was named", () => {
  const cwd = join(emptyDataDir(), "..");
  expect(resolveDataDir({ cwd })).toEqual({ dataDir: join(cwd, ".punctual"), note: null });
  expect(resolveDataDir({ cwd, configured: "elsewhere" })).toEqual({ dataDir: join(cwd, "elsewhere"), note: null });
  expect(resolveDataDir({ cwd, configured: "/elsewhere" })).toEqual({ dataDir: "/elsewhere", note: null });
});

test.runIf(isRoot)(
  "root in a folder of its own gets a data folder under /var/lib, always the same, and is told why",
  () => {
    const cwd = join(emptyDataDir(), "..", "shop");
    mkdirSync(cwd, { mode: 0o700 });
    const { dataDir, note } = resolveDataDir({ cwd });
    expect(dataDir).toMatch(/^\/var\/lib\/punctual\/shop-[0-9a-f]{12}$/);
    expect(note).toContain(cwd);
    expect(resolveDataDir({ cwd }).dataDir).toBe(dataDir);
  },
);

test.runIf(isRoot)(
  "a data folder named by root that the server's user cannot reach is refused with the way out",
  async () => {
    const dataDir = emptyDataDir("closed");
    chmodSync(join(dataDir, ".."), 0o700);
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      code: "embedded_unreachable",
      message: expect.stringMatching(/cannot enter .*closed\/data.*PUNCTUAL_DATA_DIR/),
    });
  },
);

test("git does not see a data folder, which has keys in it", async () => {
  const dataDir = await clusterDataDir();
  await startHere({ dataDir });
  expect(readFileSync(join(dataDir, ".gitignore"), "utf8")).toBe("*\n");
});

test("nobody but the server's user and root comes to cluster, socket and pipe", async () => {
  const dataDir = await clusterDataDir();
  await startHere({ dataDir });
  const modeOf = (path: string) => statSync(join(dataDir, path)).mode & 0o777;
  expect(modeOf("postgres")).toBe(0o700);
  expect(modeOf("run")).toBe(0o700);
  expect(modeOf("in-use")).toBe(0o600);
  expect(modeOf("postgres.log")).toBe(0o600);
  // Root lets the server's user pass, no more.
  expect(modeOf(".")).toBe(isRoot ? 0o710 : 0o700);
});

test("a folder too deep for a socket gets a short one, the same for every process, and closed to others", async () => {
  const dataDir = await clusterDataDir("deep/".repeat(30));
  const database = await startHere({ dataDir });
  onTestFinished(() => rmSync(socketDirOf(dataDir), { recursive: true }));
  expect(socketDirOf(dataDir)).toMatch(/^\/tmp\/punctual-[0-9a-f]{12}$/);
  expect(statSync(socketDirOf(dataDir)).mode & 0o777).toBe(0o700);
  expect((await startHere({ dataDir })).adopted).toBe(true);
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a socket folder in /tmp that somebody else made first is refused", async () => {
  const dataDir = emptyDataDir("deep/".repeat(30));
  mkdirSync(dataDir, { mode: 0o755 });
  const trap = mkdtempSync("/tmp/punctual-trap-");
  symlinkSync(trap, socketDirOf(dataDir));
  onTestFinished(() => {
    rmSync(socketDirOf(dataDir));
    rmSync(trap, { recursive: true });
  });
  await expect(startEmbedded({ dataDir })).rejects.toMatchObject({ code: "embedded_foreign_folder" });
});

test("spaces, commas, quotes and letters of any script in the path are just letters", async () => {
  const dataDir = await clusterDataDir(`a, "b" 'c' 100% ü 時`);
  const link = join(dataDir, "../link");
  symlinkSync(dataDir, link);
  const database = await startHere({ dataDir });
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
  // Another name for the same folder is the same folder.
  expect(await startHere({ dataDir: link })).toMatchObject({ adopted: true, url: database.url });
  await database.stop();
  expect(processesOf(dataDir)).not.toEqual([]);
});
