// Punctual through Debian's PgBouncer in transaction mode, where a session belongs to somebody else after every transaction:
// no named statements, no session settings, no LISTEN.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { diagnose } from "../../src/cli/doctor/diagnose.ts";
import { idFloor } from "../../src/core/ids.ts";
import { checkDatabase } from "../../src/store/postgres/check-database.ts";
import { PROGRAM } from "../support/command.ts";
import { createTestDatabase, makeTestFolder, TEST_DATA_DIR } from "../support/database.ts";
import { startNode, type TestNode } from "../support/nodes.ts";
import { startTarget, type Target } from "../support/target.ts";

const PGBOUNCER = "/usr/sbin/pgbouncer";
const WAIT = { timeout: 20_000, interval: 50 };
/** So few that the nodes have to share them: what one transaction leaves in a session, the next one of another node meets. */
const BACKENDS = 4;

const missing = !existsSync(PGBOUNCER);
if (missing) {
  const message = `${PGBOUNCER} is missing: apt-get install pgbouncer`;
  if (process.env.CI) throw new Error(message);
  console.warn(`The tests through PgBouncer are skipped: ${message}`);
}

interface Pooler {
  /** The database through the pooler. */
  url: string;
  /** The database itself. */
  direct: string;
  pool: pg.Pool;
}

async function startPooler(): Promise<Pooler> {
  const { url: direct, pool, drop } = await createTestDatabase({ migrated: false });
  onTestFinished(drop);
  // Who has no session of his own cannot set its time zone; the database's may be any.
  await pool.query(
    `alter database ${new URL(direct.replace("@/", "@socket/")).pathname.slice(1)} set timezone = 'Asia/Kathmandu'`,
  );
  const folder = makeTestFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(config, configuration(new URL(direct.replace("@/", "@socket/")), port));
  chmodSync(config, 0o644);
  const child = spawn(PGBOUNCER, [config], { ...serverUser(), cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await vi.waitUntil(async () => (await answers(port)) || child.exitCode !== null, WAIT);
  if (child.exitCode !== null) throw new Error(`pgbouncer did not start:\n${log}`);
  return { url: `postgres://punctual@127.0.0.1:${port}/pooled`, direct, pool };
}

function configuration({ pathname, searchParams, username, password }: URL, port: number): string {
  const backend = [
    `host=${searchParams.get("host")}`,
    `port=${searchParams.get("port") ?? 5432}`,
    `dbname=${pathname.slice(1)}`,
    `user=${decodeURIComponent(username)}`,
    ...(password === "" ? [] : [`password=${decodeURIComponent(password)}`]),
  ];
  return `[databases]
pooled = ${backend.join(" ")}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${BACKENDS}
max_client_conn = 200
`;
}

/** Its socket is for the server's own user only, and PgBouncer refuses to run as root as PostgreSQL does. */
function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(join(process.env[TEST_DATA_DIR]!, "postgres"));
  return { uid, gid };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Runs a command of the operator to its end. */
async function run(command: string, env: Record<string, string>): Promise<{ code: number; out: string }> {
  return await new Promise((resolve) => {
    const all = { PATH: process.env.PATH, PUNCTUAL_ENCRYPTION_KEYS: randomBytes(32).toString("base64"), ...env };
    execFile(process.execPath, [PROGRAM, command], { cwd: "/", env: all }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out + err }),
    );
  });
}

/** A day of the ledger that is long over. */
async function makeOldDay(pool: pg.Pool): Promise<void> {
  const day = Date.UTC(2020, 0, 1);
  await pool.query(
    `create table punctual.execution_20200101 partition of punctual.execution
     for values from ('${idFloor(day)}') to ('${idFloor(day + 86_400_000)}')`,
  );
}

async function days(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'punctual.execution'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The life of jobs over two nodes: `via` takes what is asked, and both may run it. */
async function runJobs(via: TestNode, target: Target): Promise<void> {
  const calls = (job: string) => target.calls().filter((call) => call.job === job);
  const http = { type: "http", url: `${target.url}/ok` };
  for (const name of ["steady", "paused"])
    await via.insist("PUT", `/jobs/${name}`, { schedule: { every: "1s" }, target: http });
  await via.insist("PUT", "/jobs/by-hand", {
    schedule: null,
    target: { ...http, url: `${target.url}/fail/1` },
    retry: { initialDelay: "100ms" },
  });

  const asked = Date.now();
  const triggered = await Promise.all(
    Array.from({ length: 10 }, async () => (await via.insist("POST", "/jobs/by-hand/trigger")).id),
  );
  // Every one fails once and is tried again.
  const done = () => calls("by-hand").filter(({ status }) => status === 200);
  await vi.waitUntil(() => done().length >= triggered.length, WAIT);
  expect(
    done()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(triggered.sort());
  console.log(
    `the first of the triggers was called after ${Math.min(...calls("by-hand").map((call) => call.in)) - asked} ms`,
  );

  await vi.waitUntil(() => calls("paused").length >= 2, WAIT);
  await via.insist("POST", "/jobs/paused/pause");
  const paused = Date.now();
  expect(await via.insist("PATCH", "/jobs/steady", { payload: { edited: true } })).toMatchObject({ version: 2 });
  const edited = () => calls("steady").filter(({ body }) => body.includes("edited"));
  await vi.waitUntil(() => edited().length >= 3, WAIT);
  expect(calls("paused").filter((call) => call.in > paused + 900)).toEqual([]);
  await via.insist("POST", "/jobs/paused/resume");
  const resumed = Date.now();
  await vi.waitUntil(() => calls("paused").some((call) => call.in > resumed), WAIT);
  for (const job of ["steady", "paused"])
    expect(new Set(calls(job).map(({ id }) => id)).size, job).toBe(calls(job).length);
}

test.skipIf(missing).each([
  ["with wake-ups over a direct connection", true],
  ["without wake-ups", false],
])(
  "two nodes behind PgBouncer in transaction mode migrate, plan, fire, retry, pause and edit, %s",
  async (_, listening) => {
    const [{ url, direct, pool }, target] = await Promise.all([startPooler(), startTarget()]);
    expect((await run("migrate", { PUNCTUAL_DATABASE_URL: url })).out).toContain("applied 0001_");
    await makeOldDay(pool);
    const env = { PUNCTUAL_PREPARED: "off", ...(listening ? { PUNCTUAL_LISTEN_URL: direct } : {}) };
    const one = await startNode({ databaseUrl: url, name: "one", env });
    await vi.waitUntil(async () => !(await days(pool)).includes("execution_20200101"), WAIT);
    const nodes = [one, await startNode({ databaseUrl: url, name: "two", env })];
    await runJobs(one, target);

    // From yesterday to three days ahead.
    expect((await days(pool)).length).toBeGreaterThanOrEqual(5);
    for (const node of nodes) {
      // That nothing listens is said once, at the start.
      const doubts = node.logged("setting.doubtful").map(({ setting }) => setting);
      expect(doubts, node.name).toEqual(listening ? [] : ["PUNCTUAL_LISTEN_URL"]);
      expect(
        node.complaints().filter(({ event }) => event !== "setting.doubtful"),
        node.name,
      ).toEqual([]);
      expect(await node.stop(), node.name).toMatchObject({ code: 0 });
    }
  },
);

test.skipIf(missing)("check tells of the pooler, and what has to be set for it", async () => {
  const { url, direct } = await startPooler();
  const refused = await run("check", { PUNCTUAL_DATABASE_URL: url });
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(/FAIL\s+Connection\s+through a pooler in transaction mode: set PUNCTUAL_PREPARED=off/);
  const off = { PUNCTUAL_DATABASE_URL: url, PUNCTUAL_PREPARED: "off" };
  const fine = await run("check", { ...off, PUNCTUAL_LISTEN_URL: direct });
  expect(fine.out).toMatch(/ok\s+Connection\s+through a pooler in transaction mode, without named statements/);
  expect(fine.out).toMatch(/ok\s+Wake-ups\s+PUNCTUAL_LISTEN_URL can be listened on/);
  expect(fine.code).toBe(0);
  const deaf = await run("check", { ...off, PUNCTUAL_LISTEN_URL: url });
  expect(deaf.code).toBe(1);
  expect(deaf.out).toMatch(/FAIL\s+Wake-ups\s+PUNCTUAL_LISTEN_URL leads through a pooler in transaction mode/);
});

test.skipIf(missing)(
  "the doctor names the pooler's mode and what to set, and hears that notifications do not arrive",
  async () => {
    const { url, direct } = await startPooler();
    const given = { databaseUrl: url, encryptionKeys: [], retentionMs: 30 * 86_400_000 };
    const unset = await diagnose({ ...given, prepared: true, listenUrl: null });
    expect(unset).toContainEqual(
      expect.objectContaining({
        level: "problem",
        topic: "Connection",
        remedy: expect.stringContaining("PUNCTUAL_PREPARED=off"),
      }),
    );
    expect(unset).toContainEqual(expect.objectContaining({ level: "warning", topic: "Wake-ups" }));
    const set = await diagnose({ ...given, prepared: false, listenUrl: direct });
    expect(set.filter(({ topic }) => topic === "Connection" || topic === "Wake-ups").map(({ level }) => level)).toEqual(
      ["ok", "ok"],
    );
  },
);

// Known fault: partitions.ts sets lock_timeout for a session that is not its own. To be a plain test once that is mended.
test.skipIf(missing)("what a node sets does not stay in the sessions that it shares with others", async () => {
  const { url } = await startPooler();
  await startNode({ databaseUrl: url, env: { PUNCTUAL_PREPARED: "off" } });
  // A transaction in each of them at the same time, so that every one is seen.
  const clients = await Promise.all(Array.from({ length: BACKENDS }, () => connectedTo(url)));
  for (const client of clients) await client.query("begin");
  const left = [];
  for (const client of clients) {
    const { rows } = await client.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where source = 'session' and name <> 'application_name'",
    );
    left.push(...rows);
  }
  expect(left).toEqual([]);
});

// Known fault: on a pooler in use two clients seldom meet in one backend. To be a plain test once that is mended.
test.skipIf(missing)("a pooler in transaction mode is known as one while others use it", async () => {
  const { url } = await startPooler();
  let over = false;
  const traffic = Array.from({ length: BACKENDS - 1 }, async () => {
    const client = await connectedTo(url);
    while (!over) await client.query("select 1");
  });
  const seen: string[] = [];
  for (let n = 0; n < 20; n += 1) seen.push((await checkDatabase(url)).pooler);
  over = true;
  await Promise.all(traffic);
  expect(seen).toEqual(seen.map(() => "transaction"));
});

async function connectedTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
