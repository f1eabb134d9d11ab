// `punctual bench` as a person calls it. What it measures is not looked at; that it ends, tells and leaves nothing behind is.
import { readdirSync, rmSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { startCommand } from "../support/command.ts";
import { createTestDatabase, makeTestFolder } from "../support/database.ts";

function bench(args: string[]) {
  const folder = makeTestFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  // What it makes for itself goes there, so that it can be seen.
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const { child, ended } = startCommand(["bench", ...args], { cwd: folder, env });
  const left = () => readdirSync(folder).filter((name) => name.startsWith("punctual-bench"));
  return { child, ended, left };
}

async function emptyDatabase() {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const hasSchema = async () => {
    const { rows } = await database.pool.query("select to_regnamespace('punctual') is not null as has");
    return rows[0].has as boolean;
  };
  return { ...database, hasSchema };
}

test("it measures on a database of its own, ends by itself and leaves nothing behind", async () => {
  const { ended, left } = bench(["--seconds", "1", "--rate", "5"]);
  const { code, out, err } = await ended;
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(out).toMatch(/PostgreSQL\s+18\S* \(embedded\), fsync on/);
  expect(out).toMatch(/functions in this process\s+[\d,]+ \/s/);
  expect(out).toMatch(/lateness at 5 fires\/s\s+p50 \d+ ms, p99 \d+ ms\s+5 fires/);
  expect(out).toMatch(/HTTP calls on this machine\s+[\d,]+ \/s/);
  expect(left()).toEqual([]);
});

test("a database that is lent has no schema of ours before and none after", async () => {
  const { url, hasSchema } = await emptyDatabase();
  const { ended, left } = bench(["--seconds", "1", "--rate", "5", "--json", "--database", url]);
  const { code, out, err } = await ended;
  expect(err).toContain("This writes jobs to");
  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    machine: { cores: expect.any(Number), node: process.versions.node },
    database: { embedded: false, fsync: "off" },
    seconds: 1,
    functions: { executions: expect.any(Number), perSecond: expect.any(Number) },
    lateness: { rate: 5, fires: 5, p50Ms: expect.any(Number), p99Ms: expect.any(Number) },
    deliveries: { executions: expect.any(Number), perSecond: expect.any(Number) },
  });
  expect(await hasSchema()).toBe(false);
  expect(left()).toEqual([]);
});

test("Ctrl-C stops it, and what it made is removed", async () => {
  const { url, hasSchema } = await emptyDatabase();
  const { child, ended } = bench(["--seconds", "60", "--database", url]);
  await vi.waitUntil(hasSchema, { timeout: 60_000 });
  child.kill("SIGINT");
  const { code, out, err } = await ended;
  expect(err).toContain("Stopped. What it made is removed.");
  expect([code, out]).toEqual([130, ""]);
  expect(await hasSchema()).toBe(false);
});

test("a database that has a Punctual in it is not touched", async () => {
  const { url, pool, drop } = await createTestDatabase();
  onTestFinished(drop);
  const { code, err } = await bench(["--database", url]).ended;
  expect(code).toBe(1);
  expect(err).toContain('has a schema "punctual" already');
  const { rows } = await pool.query("select name from punctual.project");
  expect(rows).toEqual([{ name: "default" }]);
});

test.each([
  [["--seconds", "0"], 2, "--seconds"],
  [["--rate", "many"], 2, "--rate"],
  [["--database", "postgres://me:s3cret@127.0.0.1:1/none"], 1, "nothing listens there"],
] as const)("bench %j says what is wrong", async (args, code, message) => {
  const ended = await bench([...args]).ended;
  expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(message)]);
  expect(ended.err).not.toContain("s3cret");
});
