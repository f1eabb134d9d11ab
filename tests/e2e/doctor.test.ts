import { randomBytes, randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { diagnose, type Patient } from "../../src/cli/doctor/diagnose.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { judgeTables } from "../../src/cli/doctor/judge-schema.ts";
import { judgeConnections, judgeServer, judgeSnapshots, judgeWakeUp } from "../../src/cli/doctor/judge-server.ts";
import { KeyRing } from "../../src/core/keyring.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { examineDatabase } from "../../src/store/postgres/examine-database.ts";
import { migrate } from "../../src/store/postgres/migrate.ts";
import { PostgresSecrets } from "../../src/store/postgres/secrets.ts";
import { createTestDatabase, startTestCluster } from "../support/database.ts";
import { claim, createJob, createTestStore, failed, PROJECT, type TestStore, triggerJob } from "../support/store.ts";

const DAY_MS = 86_400_000;
const KEY = randomBytes(32);

let opened: TestStore[] = [];
afterEach(async () => {
  for (const store of opened) await store.close();
  opened = [];
});

/** A database in use, with one node that is alive. */
async function inUse(): Promise<TestStore> {
  const t = await createTestStore();
  opened.push(t);
  await t.store.nodes.join({
    id: randomUUID(),
    name: "node-a",
    roles: ["api", "planner", "dispatcher"],
    version: "1.0.0",
    concurrency: 10,
    leaseMs: 600_000,
  });
  return t;
}

function patient(url: string, given: Partial<Patient> = {}): Patient {
  return {
    databaseUrl: url,
    listenUrl: null,
    prepared: true,
    encryptionKeys: [KEY],
    retentionMs: 30 * DAY_MS,
    ...given,
  };
}

async function findings(url: string, given: Partial<Patient> = {}): Promise<Finding[]> {
  return await diagnose(patient(url, given));
}

/** What is not well, as `level topic text → remedy`. */
async function ills(url: string, given: Partial<Patient> = {}): Promise<string[]> {
  return (await findings(url, given)).filter(({ level }) => level !== "ok").map(line);
}

function line({ level, topic, text, remedy }: Finding): string {
  return `${level} ${topic}: ${text} → ${remedy}`;
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll("-", "");
}

test("a database that is well has nothing to complain about, and every topic is told", async () => {
  const t = await inUse();
  const found = await findings(t.url);
  // A busy machine may be slow to answer; everything else is well.
  expect(found.filter(({ level, topic }) => level !== "ok" && topic !== "Latency")).toEqual([]);
  const topics = found.map(({ topic }) => topic);
  for (const topic of "Database Latency Clock Migrations Connection Wake-ups Connections Snapshots Days Vacuum Size Nodes Lag Claims Handlers Encryption".split(
    " ",
  ))
    expect(topics).toContain(topic);
});

test("a database without our schema, one that is away, and one that can only be read", async () => {
  const empty = await createTestDatabase({ migrated: false });
  onTestFinished(() => empty.drop());
  expect(await ills(empty.url)).toContainEqual(expect.stringMatching(/^problem Migrations: .*→ punctual migrate$/));
  await expect(diagnose(patient("postgres://127.0.0.1:1/none"))).rejects.toThrow();
  const t = await inUse();
  const { rows } = await t.pool.query("select current_database() as name");
  await t.pool.query(`alter database ${rows[0].name} set default_transaction_read_only = on`);
  expect(await ills(t.url)).toContainEqual(expect.stringMatching(/^problem Database: .*can only be read/));
});

describe("days of the ledger", () => {
  test("a missing day is noticed, of the ledger and of the logs", async () => {
    const t = await inUse();
    const today = stamp((await t.store.now()).getTime());
    await t.pool.query(`drop table punctual.execution_${today}, punctual.execution_log_${today}`);
    const found = await ills(t.url);
    expect(found).toContainEqual(expect.stringContaining(`execution_${today} is missing`));
    expect(found).toContainEqual(expect.stringContaining(`execution_log_${today} is missing`));
  });

  test("days that should be gone, and leftovers of dropping them, are named with the statement that ends it", async () => {
    const t = await inUse();
    const now = (await t.store.now()).getTime();
    const [old, older] = [now - 40 * DAY_MS, now - 41 * DAY_MS];
    await t.store.retention.ensurePartitions(older, old);
    await t.pool.query(`alter table punctual.execution detach partition punctual.execution_${stamp(old)}`);
    const found = await ills(t.url);
    expect(found).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^warning Days: 1 of execution are older.*detach partition punctual.execution_${stamp(older)} concurrently`,
        ),
      ),
    );
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`→ drop table punctual.execution_${stamp(old)};$`)));
    expect(await ills(t.url, { retentionMs: 60 * DAY_MS })).not.toContainEqual(expect.stringMatching(/are older/));
  });
});

describe("work that is not done", () => {
  test("no node, one that died, and what it held", async () => {
    const t = await inUse();
    const job = await createJob(t.store);
    await triggerJob(t.store, job);
    const { claimed } = await claim(t.store, t.nodeId);
    expect(claimed).toHaveLength(1);
    await t.pool.query("update punctual.node set lease_until = now() - interval '10 minutes'");
    const found = await ills(t.url);
    expect(found).toContainEqual(expect.stringMatching(/^problem Nodes: none is alive/));
    expect(found).toContainEqual(expect.stringMatching(/^warning Nodes: .*node-a.* silent for 10 m/));
    expect(found).toContainEqual(expect.stringMatching(/^problem Claims: 1 running executions are held by nobody/));
  });

  test("executions that are late, and schedules that nobody plans", async () => {
    const t = await inUse();
    const job = await createJob(t.store, { schedule: { every: "1h" } });
    await triggerJob(t.store, job);
    await t.pool.query("update punctual.queue set run_at = now() - interval '2 minutes'");
    await t.pool.query(
      "update punctual.cursor set next_fire_at = now() - interval '30 seconds', planned_until = now() - interval '31 seconds'",
    );
    const found = await ills(t.url);
    expect(found).toContainEqual(
      expect.stringMatching(/^problem Lag: the oldest execution .* 2 m.*PUNCTUAL_CONCURRENCY \(now 10/),
    );
    expect(found).toContainEqual(expect.stringMatching(/^warning Lag: the oldest schedule .* 30\.\d s/));
  });

  test("a handler that nobody offers, and dead letters", async () => {
    const t = await inUse();
    const wanting = await createJob(t.store, { target: { type: "worker", handler: "send" } });
    await triggerJob(t.store, wanting);
    const failing = await createJob(t.store);
    await triggerJob(t.store, failing);
    const { claimed } = await claim(t.store, t.nodeId);
    await t.store.queue.settleFinal(claimed.map(failed));
    const found = await ills(t.url);
    expect(found).toContainEqual(
      expect.stringMatching(/^warning Handlers: nobody offers "send" in project "default": 1 waits/),
    );
    expect(found).toContainEqual(expect.stringMatching(/^warning Dead letters: 1 open/));
  });

  test("nodes of different versions, and roles that nobody has", async () => {
    const t = await inUse();
    const other = { id: randomUUID(), name: "b", roles: ["api"], version: "2.0.0", concurrency: 1, leaseMs: 600_000 };
    await t.store.nodes.join(other);
    expect(await ills(t.url)).toContainEqual(expect.stringMatching(/different versions: 1\.0\.0, 2\.0\.0/));
    await t.pool.query("delete from punctual.node where name = 'node-a'");
    expect(await ills(t.url)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("none has the role planner"),
        expect.stringContaining("none has the role dispatcher"),
      ]),
    );
  });
});

test("values that the keys do not open are named with the key that is missing", async () => {
  const t = await inUse();
  const db = new Database({ url: t.url, prepared: true, connectionsMax: 1 });
  onTestFinished(() => db.close());
  const secrets = new PostgresSecrets(db, new KeyRing([KEY]));
  await secrets.put(PROJECT, "TOKEN", "value");
  expect(await ills(t.url)).not.toContainEqual(expect.stringContaining("Encryption"));
  const other = randomBytes(32);
  const { keyId } = new KeyRing([KEY]);
  expect(await ills(t.url, { encryptionKeys: [other] })).toContainEqual(
    expect.stringMatching(new RegExp(`^problem Encryption: 1 secrets cannot be read.*put the key ${keyId} back`)),
  );
  const older = (await findings(t.url, { encryptionKeys: [other, KEY] })).filter(({ topic }) => topic === "Encryption");
  expect(older.map(line)).toEqual([
    expect.stringMatching(/^ok Encryption: 1 secrets are still sealed with the older key/),
  ]);
  const none = (await findings(t.url, { encryptionKeys: [] })).find(({ topic }) => topic === "Encryption");
  expect(none).toMatchObject({ level: "ok", text: expect.stringContaining("not looked at") });
});

test("autovacuum that is turned off for a table is turned on again by the remedy", async () => {
  const t = await inUse();
  await t.pool.query("alter table punctual.queue set (autovacuum_enabled = false)");
  const [found] = (await findings(t.url)).filter(({ topic, level }) => topic === "Vacuum" && level === "problem");
  await t.pool.query(found!.remedy!);
  expect(await ills(t.url)).not.toContainEqual(expect.stringContaining("Vacuum"));
});

test("what holds old snapshots is found: a transaction, a prepared one, a slot; and a server with hardly a connection left", async () => {
  const settings = { max_prepared_transactions: "2", max_connections: "12", autovacuum: "off" };
  const cluster = await startTestCluster({ settings });
  onTestFinished(() => cluster.remove());
  await migrate(cluster.url);
  const holder = new pg.Client({ connectionString: cluster.url, application_name: "a report" });
  // One of the remedies ends it.
  holder.on("error", () => {});
  const preparer = new pg.Client({ connectionString: cluster.url });
  onTestFinished(async () => void (await Promise.allSettled([holder.end(), preparer.end()])));
  await Promise.all([holder.connect(), preparer.connect()]);
  await holder.query("begin isolation level repeatable read");
  await holder.query("select count(*) from punctual.job");
  await preparer.query("begin");
  await preparer.query("create table held ()");
  await preparer.query("prepare transaction 'it''s held'");
  await preparer.query("select pg_create_physical_replication_slot('left_behind', true)");

  const seen = await examineDatabase(cluster.url, { listenUrl: null, encryptionKeys: [] });
  if (!("value" in seen.snapshots)) throw new Error(seen.snapshots.failed);
  const held = seen.snapshots.value;
  expect(held).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: "transaction", holder: "a report", state: "idle in transaction" }),
      expect.objectContaining({ kind: "prepared", name: "it's held" }),
      expect.objectContaining({ kind: "slot", name: "left_behind", state: "inactive" }),
    ]),
  );
  // They are young; the judge is told that they are not, and its remedies end them.
  expect(judgeSnapshots(held).filter(({ topic, text }) => topic === "Snapshots" && !text.includes("slot"))).toEqual([]);
  const aged = judgeSnapshots(held.map((one) => ({ ...one, ageMs: one.ageMs === null ? null : 2 * 3_600_000 })));
  expect(aged.map(({ level }) => level)).toEqual(expect.arrayContaining(["problem", "problem", "warning"]));
  for (const { remedy } of aged) await preparer.query(remedy!.split(";")[0]!);
  const left = async () => (await examineDatabase(cluster.url, { listenUrl: null, encryptionKeys: [] })).snapshots;
  await expect.poll(left, { timeout: 20_000 }).toEqual({ value: [] });

  const all = (await diagnose(patient(cluster.url))).map(line);
  expect(all).toContainEqual(expect.stringMatching(/^problem Vacuum: autovacuum is off/));
  expect(judgeConnections({ max: 12, reserved: 3, used: 9, ours: 0 }, 1).map(({ level }) => level)).toEqual([
    "problem",
    "warning",
  ]);
});

describe("what is judged from what was seen", () => {
  const check = {
    version: "17.2",
    major: 17,
    latencyMs: 1,
    readOnly: false,
    pendingMigrations: [],
    clockSkewMs: 0,
    pooler: "none" as const,
  };
  const judged = (seen: object, prepared = true) =>
    judgeServer({ ...check, ...seen }, { url: "postgres://u:pw@db/punctual", prepared })
      .filter(({ level }) => level !== "ok")
      .map(line);

  test("versions, latency, clocks and poolers, and no password is repeated", () => {
    expect(judged({})).toEqual([]);
    expect(judged({ major: 14, version: "14.1" })[0]).toMatch(/^problem Database: PostgreSQL 14\.1 .* too old/);
    expect(judged({ latencyMs: 80 })[0]).toMatch(/^warning Latency: answers in 80 ms/);
    expect(judged({ clockSkewMs: -90_000 })[0]).toMatch(/^warning Clock: the database is 1 m 30 s behind/);
    expect(judged({ pooler: "transaction" })[0]).toMatch(/PUNCTUAL_PREPARED=off/);
    expect(judged({ pooler: "transaction" }, false)).toEqual([]);
    expect(judgeServer(check, { url: "postgres://u:pw@db/punctual", prepared: true }).map(line).join()).not.toContain(
      "pw",
    );
  });

  test("notifications that do not arrive", () => {
    expect(judgeWakeUp(3, check, null).level).toBe("ok");
    expect(judgeWakeUp(null, { ...check, pooler: "transaction" }, null)).toMatchObject({ level: "warning" });
    expect(judgeWakeUp(null, check, "postgres://direct/punctual")).toMatchObject({ level: "problem" });
  });

  test("dead rows and tables much larger than what is in them", () => {
    const table = { name: "queue", live: 100, dead: 0, bytes: 1_000_000, vacuumedAt: new Date(0), autovacuum: true };
    const sizes = { autovacuum: true, bytes: 5_000_000_000, ledgerBytes: 1_000 };
    const of = (seen: object) => judgeTables([{ ...table, ...seen }], sizes, 3_600_000).map(line);
    expect(of({})).toEqual([expect.stringContaining("clean"), expect.stringMatching(/5\.0 GB, of that 1\.0 kB/)]);
    expect(of({ dead: 500_000 })[0]).toMatch(
      /500000 dead rows beside 100 \(vacuumed 1 h ago\) → vacuum \(analyze\) punctual\.queue;/,
    );
    expect(of({ bytes: 2_000_000_000 })[0]).toMatch(/^warning Bloat: queue takes 2\.0 GB for 100 rows/);
  });
});
