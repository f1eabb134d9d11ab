import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  EmbeddedUser,
  emptyDataDir,
  query,
  sharedInstallation,
  startHere,
} from "../../../tests/support/embedded-processes.ts";

const draftsIn = (dataDir: string) =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.startsWith("initdb-")) : [];

test("a process killed while it makes the cluster leaves a draft, which the next start sweeps", async () => {
  const dataDir = emptyDataDir();
  const user = new EmbeddedUser(sharedInstallation());
  user.start({ dataDir }).catch(() => {});
  // Begun, and not yet done.
  await vi.waitUntil(() => draftsIn(dataDir).some((name) => existsSync(join(dataDir, name, "PG_VERSION"))), {
    timeout: 10_000,
    interval: 1,
  });
  await user.kill9();
  expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  expect(draftsIn(dataDir)).toHaveLength(1);

  const { url } = await startHere({ dataDir });
  expect(draftsIn(dataDir)).toEqual([]);
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a folder that is no cluster is not overwritten", async () => {
  const dataDir = emptyDataDir();
  mkdirSync(join(dataDir, "postgres"), { recursive: true });
  writeFileSync(join(dataDir, "postgres/precious"), "");
  await expect(startHere({ dataDir })).rejects.toThrow(/is not empty, yet holds no cluster/);
  expect(readdirSync(join(dataDir, "postgres"))).toEqual(["precious"]);
  expect(draftsIn(dataDir)).toEqual([]);
});
