// The program as a person starts it: a process of its own, its output, its exit code.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Command, type Ended, startCommand } from "../support/command.ts";
import { createTestDatabase, makeTestFolder } from "../support/database.ts";

const KEY = randomBytes(32).toString("base64");
const UNREACHABLE = "postgres://me:s3cret@127.0.0.1:1/punctual";

/** Nothing of the caller's PUNCTUAL_ variables, and a home of its own, so that nobody's context is touched. */
function environment(home: string, extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, ...extra };
}

function testFolder(): string {
  const folder = makeTestFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Runs a command to its end. */
async function run(args: string[], extra: Record<string, string> = {}): Promise<Ended> {
  const { ended } = start(testFolder(), args, extra);
  return await ended;
}

function start(folder: string, args: string[], extra: Record<string, string> = {}): Command {
  return startCommand(args, { cwd: folder, env: environment(folder, extra) });
}

async function startDev(folder: string, args: string[] = []) {
  const dev = start(folder, ["dev", "--port", "0", ...args]);
  await vi.waitUntil(() => dev.seen.out.includes("Ctrl-C") || dev.child.exitCode !== null, { timeout: 30_000 });
  const { out, err } = dev.seen;
  const url = /Address\s+(\S+)/.exec(out)?.[1];
  const apiKey = /API key\s+(\S+)/.exec(out)?.[1];
  const curl = out.split("\n").find((line) => line.includes("curl "));
  if (!url || !apiKey || !curl) throw new Error(`dev did not start:\n${out}${err}`);
  const api = (method: string, path: string) => ask(`${url}/api/v1${path}`, { method, apiKey });
  return { ...dev, url, apiKey, curl, api };
}

async function paste(curl: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("sh", ["-c", curl]);
  return JSON.parse(stdout);
}

/** As a client asks: a node that is overloaded for a moment, as tests on a busy machine make it, is asked again. */
async function ask(url: string, { method = "GET", apiKey }: { method?: string; apiKey: string }) {
  return await vi.waitFor(
    async () => {
      const response = await fetch(url, { method, headers: { authorization: `Bearer ${apiKey}` } });
      if (response.status === 503) throw new Error(await response.text());
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    { timeout: 15_000, interval: 100 },
  );
}

async function stop({ child, ended }: Command): Promise<Ended & { ms: number }> {
  const began = performance.now();
  child.kill("SIGTERM");
  return { ...(await ended), ms: performance.now() - began };
}

test("the curl that dev prints makes a job when pasted into a shell, twice too, and the job succeeds", async () => {
  const dev = await startDev(testFolder());
  for (const _ of [1, 2]) {
    expect(await paste(dev.curl)).toMatchObject({ name: "hello", state: "active", version: 1 });
  }
  const { status, body } = await dev.api("POST", "/jobs/hello/trigger");
  expect(status).toBe(201);
  await vi.waitUntil(async () => (await dev.api("GET", `/executions/${body.id}`)).body.state === "succeeded");
  const ended = await stop(dev);
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.ms).toBeLessThan(10_000);
});

test("dev keeps key, jobs and context over a kill -9, and leaves no database running when it stops", async () => {
  const folder = testFolder();
  const first = await startDev(folder);
  await vi.waitFor(async () => expect(await paste(first.curl)).toMatchObject({ name: "hello" }), 15_000);
  first.child.kill("SIGKILL");
  await first.ended;

  const second = await startDev(folder);
  expect(second.apiKey).toBe(first.apiKey);
  expect((await second.api("GET", "/jobs/hello")).body).toMatchObject({ name: "hello" });
  const dataDir = join(folder, ".punctual");
  for (const file of ["api-key", "encryption-key", "punctual.log"])
    expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  const contexts = join(folder, ".config/punctual/contexts.json");
  expect(statSync(contexts).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(contexts, "utf8"))).toEqual({
    current: "local",
    contexts: { local: { url: second.url, apiKey: second.apiKey } },
  });
  expect((await stop(second)).code).toBe(0);
  expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
});

test("a second dev on the same folder and port says so and does no harm to the first", async () => {
  const folder = testFolder();
  const first = await startDev(folder);
  const { port } = new URL(first.url);
  const second = await start(folder, ["dev", "--port", port]).ended;
  expect(second).toMatchObject({ code: 1, out: "" });
  expect(second.err).toMatch(`punctual: Port ${port} on 127.0.0.1 is taken`);
  expect((await first.api("GET", "/jobs")).status).toBe(200);
});

test("two devs on one folder with ports of their own share its database", async () => {
  const folder = testFolder();
  const [first, second] = [await startDev(folder), await startDev(folder)];
  expect(second.apiKey).toBe(first.apiKey);
  await vi.waitFor(async () => expect(await paste(first.curl)).toMatchObject({ name: "hello" }), 15_000);
  expect((await second.api("GET", "/jobs/hello")).status).toBe(200);
  expect((await stop(first)).code).toBe(0);
  expect((await second.api("GET", "/jobs/hello")).status).toBe(200);
});

test("a signal while dev is starting stops it as soon as it has started", async () => {
  const folder = testFolder();
  const dev = start(folder, ["dev", "--port", "0"]);
  await vi.waitUntil(() => existsSync(join(folder, ".punctual")), { timeout: 10_000, interval: 1 });
  expect((await stop(dev)).code).toBe(0);
  expect(existsSync(join(folder, ".punctual/postgres/postmaster.pid"))).toBe(false);
});

test("serve lists everything that is wrong at once and ends with 2", async () => {
  const { code, out, err } = await run(["serve"], {
    PUNCTUAL_HOST: "0.0.0.0",
    PUNCTUAL_PORT: "many",
    PUNCTUAL_ADMIN_KEY: "short-key",
    PUNCTUAL_ENCRYPTION_KEYS: "c2hvcnQ=",
    PUNCTUAL_EGRESS_ALLOW: "0.0.0.0/0",
  });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  for (const name of ["DATABASE_URL", "PORT", "ADMIN_KEY", "ENCRYPTION_KEYS", "EGRESS_ALLOW"])
    expect(err).toContain(`PUNCTUAL_${name}: `);
  expect(err).not.toMatch(/short-key|c2hvcnQ|\n\s+at /);
});

test("serve runs on a database that was empty, writes JSON lines only, and drains on SIGTERM", async () => {
  const { url, drop } = await createTestDatabase({ migrated: false });
  onTestFinished(drop);
  const admin = randomBytes(32).toString("hex");
  const serving = start(testFolder(), ["serve", "--port", "0"], {
    PUNCTUAL_DATABASE_URL: url,
    PUNCTUAL_ENCRYPTION_KEYS: KEY,
    PUNCTUAL_ADMIN_KEY: admin,
  });
  const lines = () =>
    serving.seen.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, string>);
  await vi.waitUntil(() => serving.seen.out.includes('"node.ready"') || serving.child.exitCode !== null, 30_000);
  const ready = lines().find(({ event }) => event === "node.ready");
  expect((await ask(`${ready!.url}/api/v1/jobs`, { apiKey: admin })).status).toBe(200);
  expect((await fetch(`${ready!.url}/dev/echo`)).status).not.toBe(200);
  const ended = await stop(serving);
  // The link that lets the first admin in is told to whoever started it, and not to those who read the log.
  expect(ended.code).toBe(0);
  expect(ended.err).toMatch(/^punctual: nobody can sign in yet\. .*:\n {2}http:\/\/\S+\/#setup=[\w-]{43}\n$/);
  expect(lines().at(-1)).toMatchObject({ event: "node.stopped" });
  expect(ended.out).not.toContain(admin);
  expect(ended.out).not.toContain("setup=");
});

test.each(["serve", "check", "migrate"])(
  "%s names a database that cannot be reached, without password or stack",
  async (command) => {
    const { code, err } = await run([command], { PUNCTUAL_DATABASE_URL: UNREACHABLE, PUNCTUAL_ENCRYPTION_KEYS: KEY });
    expect(code).toBe(1);
    expect(err).toContain("The database at postgres://me:[hidden]@127.0.0.1:1/punctual cannot be reached");
    expect(err).not.toMatch(/s3cret|\n\s+at /);
  },
);

test("migrate applies what is missing once, and check tells before and after", async () => {
  const { url, drop } = await createTestDatabase({ migrated: false });
  onTestFinished(drop);
  const extra = { PUNCTUAL_DATABASE_URL: url, PUNCTUAL_ENCRYPTION_KEYS: KEY };
  expect(await run(["check"], extra)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Migrations\s+\d+ pending.*0001_/),
  });
  expect(await run(["migrate"], extra)).toMatchObject({ code: 0, out: expect.stringContaining("applied 0001_") });
  expect(await run(["migrate"], extra)).toMatchObject({ code: 0, out: "The database is up to date.\n" });
  const { code, out } = await run(["check"], extra);
  expect(code).toBe(0);
  expect(out).toMatch(/ok\s+Database\s+PostgreSQL 1\d/);
  expect(out).toMatch(/ok\s+Migrations\s+none pending/);
  expect(out).toMatch(/ok\s+Clock\s+the database is \d+ ms/);
  expect(out).toMatch(/ok\s+Connection\s+direct/);
});

test("check and migrate speak to programs too, and so do their errors", async () => {
  const { url, drop } = await createTestDatabase({ migrated: false });
  onTestFinished(drop);
  const extra = { PUNCTUAL_DATABASE_URL: url, PUNCTUAL_ENCRYPTION_KEYS: KEY };
  const migrated = await run(["migrate", "--json"], extra);
  expect(JSON.parse(migrated.out)).toEqual({ applied: expect.arrayContaining([expect.stringMatching(/^0001_/)]) });
  expect(JSON.parse((await run(["migrate", "--json"], extra)).out)).toEqual({ applied: [] });
  const checked = await run(["check", "--json"], extra);
  expect(checked).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(checked.out)).toMatchObject({
    findings: expect.arrayContaining([{ level: "ok", topic: "Migrations", text: "none pending" }]),
    warnings: expect.any(Array),
  });
  for (const [args, extra, code, error] of [
    [["check"], { PUNCTUAL_PORT: "many" }, 2, { code: "validation_failed" }],
    [["config"], { PUNCTUAL_PORT: "many" }, 2, { code: "validation_failed" }],
    [["migrate"], { PUNCTUAL_DATABASE_URL: UNREACHABLE }, 1, { code: "failed" }],
    [["migrate", "--prot"], {}, 2, { code: "usage", message: expect.stringContaining("unknown option '--prot'") }],
  ] as const) {
    const ended = await run([...args, "--json"], extra);
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(ended.err)).toMatchObject({ error });
  }
});

test("config shows the effective settings, where they came from, and no secret", async () => {
  const extra = {
    PUNCTUAL_DATABASE_URL: UNREACHABLE,
    PUNCTUAL_ENCRYPTION_KEYS: KEY,
    PUNCTUAL_ADMIN_KEY: "k".repeat(40),
  };
  const text = await run(["config", "--port", "8000"], extra);
  expect(text.code).toBe(0);
  expect(text.out).toMatch(/PUNCTUAL_PORT\s+8000\s+flag --port/);
  const json = await run(["config", "--json"], extra);
  const { settings } = JSON.parse(json.out) as { settings: Record<string, string>[] };
  expect(settings).toContainEqual({
    setting: "PUNCTUAL_DATABASE_URL",
    value: "postgres://me:[hidden]@127.0.0.1:1/punctual",
    origin: "environment",
  });
  for (const secret of ["s3cret", KEY, "kkkk"]) expect(text.out + json.out + text.err + json.err).not.toContain(secret);
});

test("a port that is taken is named", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const { code, err } = await run(["dev", "--port", String(port)]);
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`^punctual: Port ${port} on 127\\.0\\.0\\.1 is taken.*--port ${port + 1}\\n$`));
});

test.each([
  [["--help"], 0],
  [["serve", "--help"], 0],
  [["--version"], 0],
  [[], 2],
  [["srve"], 2],
  [["dev", "--prot"], 2],
])("%j ends with %i and shows no stack", async (args, expected) => {
  const { code, out, err } = await run(args);
  expect(code).toBe(expected);
  expect(out + err).not.toMatch(/\n\s+at /);
  expect(out + err).not.toBe("");
});
