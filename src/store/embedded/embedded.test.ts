// What happens to the server while its users come, go and are killed. Real processes; every wait is for an event.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  clusterDataDir,
  EmbeddedUser,
  emptyDataDir,
  processesOf,
  query,
  sharedInstallation,
  startHere,
} from "../../../tests/support/embedded-processes.ts";
import type { EmbeddedEvent } from "./embedded.ts";
import { readPostmaster } from "./postmaster.ts";
import { parentOf } from "./server-process.ts";

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000, interval: 5 });
const postmasterOf = (dataDir: string) => readPostmaster(join(dataDir, "postgres"))?.pid ?? null;
const newUser = () => new EmbeddedUser(sharedInstallation());

async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

test("the first start makes the cluster, a later one finds its rows, and stopping leaves no process", async () => {
  const dataDir = emptyDataDir();
  const events: EmbeddedEvent[] = [];
  const log = (event: EmbeddedEvent) => events.push(event);

  const cold = await startHere({ dataDir, log });
  expect(cold).toMatchObject({ adopted: false, dataDir });
  expect(cold.version).toMatch(/^1[5-9]\.\d+/);
  await query(cold.url, "create table kept as select 1 as id");
  await cold.stop();
  await until(() => processesOf(dataDir).length === 0);

  const warm = await startHere({ dataDir, log });
  expect(await query(warm.url, "select id from kept")).toEqual([{ id: 1 }]);
  expect(warm.url).toBe(cold.url);
  await warm.stop();
  const once = ["database.started", "database.stopped"];
  expect(events).toEqual(["database.created", ...once, ...once]);
});

test("the server is durable, speaks UTC and UTF-8, and listens on nothing but its socket", async () => {
  const { url } = await startHere({ dataDir: await clusterDataDir(), settings: { work_mem: "5MB" } });
  const names = [
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "listen_addresses",
    "timezone",
    "server_encoding",
    "data_checksums",
    "work_mem",
  ];
  const [settings] = await query(
    url,
    `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(", ")}`,
  );
  expect(settings).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    listen_addresses: "",
    timezone: "UTC",
    server_encoding: "UTF8",
    data_checksums: "on",
    work_mem: "5MB",
  });
});

test("the environment's PGPORT, PGSSLMODE and the like do not lead the client astray", async () => {
  for (const [name, value] of [
    ["PGPORT", "1"],
    ["PGHOST", "nowhere"],
    ["PGSSLMODE", "require"],
    ["PGUSER", "x"],
    ["PGDATABASE", "x"],
  ] as const) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url } = await startHere({ dataDir: await clusterDataDir() });
  expect(await query(url, "select current_user as who")).toEqual([{ who: "punctual" }]);
});

test("a second process adopts the server and keeps it when the first one is killed", async () => {
  const dataDir = await clusterDataDir();
  const [first, second] = [newUser(), newUser()];
  expect(await first.start({ dataDir })).toMatchObject({ adopted: false });
  const { url, adopted } = await second.start({ dataDir });
  expect(adopted).toBe(true);
  const postmaster = postmasterOf(dataDir);
  const client = await session(url);

  await first.kill9();
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await second.ensureRunning();
  expect(postmasterOf(dataDir)).toBe(postmaster);

  await second.stop();
  expect(postmasterOf(dataDir)).toBeNull();
  await until(() => processesOf(dataDir).length === 0);
});

test("a process that stops while another goes on does not wait, and does not stop the server", async () => {
  const dataDir = await clusterDataDir();
  const [first, second] = [newUser(), newUser()];
  await first.start({ dataDir });
  const { url } = await second.start({ dataDir });
  const client = await session(url);
  await first.stop();
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("of processes that come to an empty folder at once, exactly one starts the server", async () => {
  const dataDir = emptyDataDir();
  const users = [newUser(), newUser()];
  const all = await Promise.all(users.map((user) => user.start({ dataDir })));
  expect(all.map(({ adopted }) => adopted).sort()).toEqual([false, true]);
  const identities = await Promise.all(
    all.map(({ url }) => query(url, "select system_identifier from pg_control_system()")),
  );
  expect(new Set(identities.map((rows) => rows[0]!.system_identifier)).size).toBe(1);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("initdb"))).toEqual([]);
});

test("when its only user is killed the server is shut down in good order and nothing is left", async () => {
  const dataDir = await clusterDataDir();
  const user = newUser();
  await user.start({ dataDir });
  await user.kill9();
  await until(() => processesOf(dataDir).length === 0);
  expect(readFileSync(join(dataDir, "postgres.log"), "utf8").trim()).toMatch(/database system is shut down$/);
  expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
});

test("a user killed while the server is still starting leaves nothing either", async () => {
  const dataDir = await clusterDataDir();
  const user = newUser();
  user.start({ dataDir }).catch(() => {});
  await until(() => existsSync(join(dataDir, "postgres/postmaster.pid")));
  await user.kill9();
  await until(() => processesOf(dataDir).length === 0);
});

test("a user that joins while the last one leaves has a server in the end", async () => {
  const dataDir = await clusterDataDir();
  const leaving = newUser();
  const joining = newUser();
  await leaving.start({ dataDir });
  const [, { url }] = await Promise.all([leaving.kill9(), joining.start({ dataDir })]);
  // It may have met the old server in its last moment; then its connection fails, and it does what every user does.
  await vi.waitFor(async () => {
    await joining.ensureRunning();
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

test("a killed server is started again by whoever notices, and all its users share the new one", async () => {
  const dataDir = await clusterDataDir();
  const [first, second] = [newUser(), newUser()];
  const { url } = await first.start({ dataDir });
  await second.start({ dataDir });
  const killed = postmasterOf(dataDir)!;
  process.kill(killed, "SIGKILL");
  await Promise.all([first.ensureRunning(), second.ensureRunning()]);
  expect(postmasterOf(dataDir)).not.toBe(killed);

  // Both still count: the one that did not start it keeps it alone.
  await first.kill9();
  const client = await session(url);
  await second.stop();
  await expect(client.query("select 1")).rejects.toThrow();
  await until(() => processesOf(dataDir).length === 0);
});

test("a backend lost in a long computation does not hinder the start after its server was killed", async () => {
  const dataDir = await clusterDataDir();
  const database = await startHere({ dataDir });
  const client = await session(database.url);
  // Deaf on purpose: statements that answer nobody do not notice that the postmaster is gone.
  const computing = client.query("do $$ begin loop perform 1; end loop; end $$");
  computing.catch(() => {});
  const isComputing = "select pid from pg_stat_activity where query like 'do %' and state = 'active'";
  await vi.waitUntil(async () => (await query(database.url, isComputing)).length === 1, {
    timeout: 10_000,
    interval: 5,
  });
  process.kill(postmasterOf(dataDir)!, "SIGKILL");
  await database.ensureRunning();
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("Ctrl-C in the terminal reaches the user of the server, not the server", async () => {
  const dataDir = await clusterDataDir();
  const user = newUser();
  const { url } = await user.start({ dataDir });
  const client = await session(url);
  await user.interruptGroup();
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await user.stop();
  expect(postmasterOf(dataDir)).toBeNull();
});

test("a keeper that was killed is replaced, so that the server still ends with its last user", async () => {
  const dataDir = await clusterDataDir();
  const user = newUser();
  await user.start({ dataDir });
  const postmaster = postmasterOf(dataDir)!;
  const keeper = parentOf(postmaster)!;
  const keepers = [keeper, ...processesOf(dataDir).filter((pid) => parentOf(pid) === keeper && pid !== postmaster)];
  expect(keepers).toHaveLength(2);
  for (const pid of keepers) process.kill(pid, "SIGKILL");
  await user.ensureRunning();
  expect(postmasterOf(dataDir)).toBe(postmaster);
  await user.kill9();
  await until(() => processesOf(dataDir).length === 0);
});

test("killed ten times while inserting, the server loses no acknowledged row", async () => {
  const dataDir = await clusterDataDir();
  const database = await startHere({ dataDir });
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  await pool.query("create table if not exists kept (id int primary key)");
  await pool.query("truncate kept");
  const acknowledged: number[] = [];
  let next = 0;
  let kills = 0;
  const insertUntilKilled = async () => {
    while (kills < 10) {
      const id = ++next;
      try {
        await pool.query("insert into kept values ($1)", [id]);
        acknowledged.push(id);
        // In the middle of the others' inserts.
        if (acknowledged.length % 40 === 0 && ++kills <= 10) process.kill(postmasterOf(dataDir)!, "SIGKILL");
      } catch {
        await database.ensureRunning();
      }
    }
  };
  await Promise.all([1, 2, 3, 4].map(insertUntilKilled));
  await database.ensureRunning();
  const kept = new Set((await query(database.url, "select id from kept")).map(({ id }) => Number(id)));
  expect(acknowledged.length).toBeGreaterThanOrEqual(400);
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
});
