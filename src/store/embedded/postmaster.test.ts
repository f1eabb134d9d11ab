// Lock files that lie: which are believed, which are dropped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { clusterDataDir, processesOf, query, startHere } from "../../../tests/support/embedded-processes.ts";
import { openDataFolder } from "./data-folder.ts";
import type { EmbeddedEvent } from "./embedded.ts";
import { findPostmaster, readPostmaster } from "./postmaster.ts";
import { parentOf } from "./server-process.ts";

const lockOf = (dataDir: string) => join(dataDir, "postgres/postmaster.pid");
const socketLockOf = (dataDir: string) => join(dataDir, "run/.s.PGSQL.5432.lock");

// What a killed server leaves, with the number of another process in it, as after a restart of the machine.
async function leaveLocksNaming(pid: number, dataDir: string): Promise<void> {
  const database = await startHere({ dataDir });
  const locks = [lockOf(dataDir), socketLockOf(dataDir)];
  const left = locks.map((path) => readFileSync(path, "utf8").replace(/^\d+/, String(pid)));
  await database.stop();
  for (const [at, path] of locks.entries()) writeFileSync(path, left[at]!);
}

test("lock files whose number now belongs to another process are dropped", async () => {
  const dataDir = await clusterDataDir();
  const other = spawn("sleep", ["1000"]);
  onTestFinished(() => void other.kill());
  await once(other, "spawn");
  await leaveLocksNaming(other.pid!, dataDir);
  const events: [EmbeddedEvent, unknown][] = [];
  const database = await startHere({ dataDir, log: (event, fields) => events.push([event, fields.pid]) });
  expect(events.slice(0, 2)).toEqual([
    ["database.lock_dropped", other.pid],
    ["database.lock_dropped", other.pid],
  ]);
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(other.exitCode).toBeNull();
});

test("a lock file that holds nonsense is dropped", async () => {
  const dataDir = await clusterDataDir();
  writeFileSync(lockOf(dataDir), "nonsense\n");
  const database = await startHere({ dataDir });
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("an empty lock file is a server being born while it is young, and dropped when it stays empty", async () => {
  const { folder } = openDataFolder(await clusterDataDir());
  const lock = lockOf(folder.path);
  writeFileSync(lock, "");
  expect(await findPostmaster(folder)).toMatchObject({ status: "" });
  expect(existsSync(lock)).toBe(true);
  const old = new Date(Date.now() - 60_000);
  utimesSync(lock, old, old);
  expect(await findPostmaster(folder)).toBeNull();
  expect(existsSync(lock)).toBe(false);
});

test("a postmaster that is a zombie, because its keeper does not reap it, counts as dead", async () => {
  const dataDir = await clusterDataDir();
  const database = await startHere({ dataDir });
  const { pid } = readPostmaster(join(dataDir, "postgres"))!;
  const keeper = parentOf(pid)!;
  process.kill(keeper, "SIGSTOP");
  onTestFinished(() => void process.kill(keeper, "SIGCONT"));
  process.kill(pid, "SIGKILL");
  await vi.waitUntil(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")), { interval: 5 });
  await database.ensureRunning();
  expect(readPostmaster(join(dataDir, "postgres"))!.pid).not.toBe(pid);
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a server whose number means nothing here, as in another container, is adopted and not replaced", async () => {
  const dataDir = await clusterDataDir();
  const database = await startHere({ dataDir });
  const lock = readFileSync(lockOf(dataDir), "utf8");
  const servers = processesOf(dataDir);
  // The file itself stays the server's: only its text is changed, and put back before the server looks at it again.
  writeFileSync(lockOf(dataDir), lock.replace(/^\d+/, String(2 ** 22 - 1)));
  const second = await startHere({ dataDir });
  expect(second.adopted).toBe(true);
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(processesOf(dataDir)).toEqual(expect.arrayContaining(servers));
  writeFileSync(lockOf(dataDir), lock);
  await second.stop();
  await database.stop();
});

test("PostgreSQL's own guard: even without its lock file a living server keeps a second one out", async () => {
  const dataDir = await clusterDataDir();
  const database = await startHere({ dataDir });
  const { pid } = readPostmaster(join(dataDir, "postgres"))!;
  for (const lock of [lockOf(dataDir), socketLockOf(dataDir)]) renameSync(lock, `${lock}.hidden`);
  const second = spawn("/bin/sh", ["-c", 'exec "$0" "$@"', ...commandOf(pid)], userOf(pid));
  let said = "";
  second.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await once(second, "close");
  expect(said).toMatch(/shared memory block .* is still in use/);
  for (const lock of [lockOf(dataDir), socketLockOf(dataDir)]) renameSync(`${lock}.hidden`, lock);
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

function commandOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
}

function userOf(pid: number): { uid: number; gid: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const first = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)![1]);
  return { uid: first("Uid"), gid: first("Gid") };
}
