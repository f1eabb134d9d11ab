// Who runs the server: an ordinary user as itself, root as somebody else. As root only, since only root can be both.
import { chmodSync, chownSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  clusterDataDir,
  EmbeddedUser,
  emptyDataDir,
  query,
  sharedInstallation,
  startHere,
} from "../../../tests/support/embedded-processes.ts";
import { readPostmaster } from "./postmaster.ts";

// Every system has this user, and it is none of those that root chooses for the server.
const [, uid, gid] = /^daemon:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"))!;
const ORDINARY = { uid: Number(uid), gid: Number(gid) };
const ownerOf = (dataDir: string) => statSync(`/proc/${readPostmaster(join(dataDir, "postgres"))!.pid}`).uid;

describe.runIf(process.getuid?.() === 0)("as root", () => {
  test("an ordinary user's folder stays its own after root has used it", async () => {
    const dataDir = emptyDataDir();
    chownSync(dirname(dataDir), ORDINARY.uid, ORDINARY.gid);
    const start = async () => {
      const user = new EmbeddedUser(sharedInstallation(), ORDINARY);
      return { user, ...(await user.start({ dataDir })) };
    };
    const first = await start();
    expect(ownerOf(dataDir)).toBe(ORDINARY.uid);
    await query(first.url, "create table kept as select 1 as id");
    await first.user.stop();

    const root = await startHere({ dataDir });
    expect(root.adopted).toBe(false);
    expect(ownerOf(dataDir)).toBe(ORDINARY.uid);
    // While root's process is there, the user adopts its server, and keeps it.
    const second = await start();
    expect(second.adopted).toBe(true);
    await root.stop();
    expect(await query(second.url, "select id from kept")).toEqual([{ id: 1 }]);
    await second.user.stop();
    expect(readPostmaster(join(dataDir, "postgres"))).toBeNull();
  });

  test("a folder that root made is refused to an ordinary user, with the way out", async () => {
    const dataDir = await clusterDataDir();
    await expect(new EmbeddedUser(sharedInstallation(), ORDINARY).start({ dataDir })).rejects.toMatchObject({
      code: "embedded_foreign_folder",
      message: expect.stringMatching(/cannot be used by this user.*PUNCTUAL_DATA_DIR/),
    });
  });

  test("a cluster that root copied, and so owns, is handed to the server's user", async () => {
    const dataDir = await clusterDataDir();
    const cluster = join(dataDir, "postgres");
    const { uid } = statSync(cluster);
    for (const path of ["", "base", "PG_VERSION", "global/pg_control"]) chownSync(join(cluster, path), 0, 0);
    chmodSync(cluster, 0o755);
    const database = await startHere({ dataDir });
    expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(statSync(join(cluster, "global/pg_control")).uid).toBe(uid);
  });
});
