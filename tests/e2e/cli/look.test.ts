import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PunctualClient } from "../../../src/client/index.ts";
import { PROGRAM } from "../../support/command.ts";
import { closedAddress, type Shell, startShell } from "./shell.ts";

let shell: Shell;
let client: PunctualClient;

beforeAll(async () => {
  shell = await startShell();
  const { PUNCTUAL_URL: url, PUNCTUAL_API_KEY: key } = shell.environment();
  client = new PunctualClient({ url, key });
  await client.jobs.put("hello", { target: { type: "http", url: `${shell.url}/dev/echo` } });
});
afterAll(() => shell?.close());

test("next works without a server, in words and instants", async () => {
  const env = { PUNCTUAL_URL: "", PUNCTUAL_API_KEY: "" };
  const args = ["next", "30 2 * * *", "--tz", "Europe/Berlin", "--from", "2026-03-28T12:00:00Z", "-n", "2"];
  const { code, out } = await shell.run(args, { env });
  expect(code).toBe(0);
  expect(out).toContain("At 02:30, Europe/Berlin time.");
  expect(out).toContain("Sun 2026-03-29 03:00:00+02:00  2026-03-29T01:00:00.000Z");
  expect(out).toContain("the clock goes forward from 02:00 to 03:00");
  const json = await shell.run([...args, "--json"], { env });
  expect(JSON.parse(json.out)).toMatchObject({
    description: "At 02:30, Europe/Berlin time",
    instants: [{ at: "2026-03-29T01:00:00.000Z" }, { at: "2026-03-30T00:30:00.000Z" }],
  });
  const interval = await shell.run(["next", "--every", "90s", "-n", "1", "--json"], { env });
  expect(JSON.parse(interval.out).description).toBe("Every 1 minute 30 seconds");
});

test("next tells of a job what the server knows", async () => {
  await client.jobs.put("clocked", {
    schedule: { cron: "0 2 * * *" },
    target: { type: "http", url: `${shell.url}/dev/echo` },
  });
  const found = await shell.json("next", "--job", "clocked", "-n", "3");
  expect(found.instants).toHaveLength(3);
});

test.each([
  [["next", "99 * * * *"], '"99" is out of range'],
  [["next", "0 0 30 2 *"], "30"],
  [["next", "0 2 * * *", "--tz", "Europe/Berln"], 'did you mean "Europe/Berlin"?'],
  [["next"], "Give one of these"],
  [["next", "@daily", "--job", "x"], "Give one of these"],
  [["next", "@daily", "--from", "noon"], "is not a time"],
  [["next", "@daily", "-n", "0"], "from 1 to 1000"],
])("%j ends with 2 and says %j", async (args, message) => {
  const { code, err } = await shell.run(args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("status says on one screen how it is doing", async () => {
  const { code, out } = await shell.run(["status"], { env: { COLUMNS: "80" } });
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^Punctual \\S+ at ${shell.url} {2}ok\n`));
  for (const topic of ["Project", "Database", "Queue", "Nodes", "Workers", "Dead letters", "Rate", "Last 1h"])
    expect(out).toMatch(new RegExp(`^${topic} `, "m"));
  expect(out).toMatch(/^node-1 +alive /m);
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(await shell.json("status", "--window", "24h")).toMatchObject({
    health: { status: "ok" },
    stats: { window: "24h" },
    nodes: [{ name: "node-1", alive: true }],
    workers: [],
  });
});

test("workers and handlers are listed, shown and drained; handlers that nobody serves are named", async () => {
  await client.jobs.put("wants", { target: { type: "worker", handler: "wanted" } });
  expect((await shell.run(["workers", "list"])).err).toContain("No worker is connected");
  const unserved = await shell.run(["handlers"]);
  expect(unserved.out).toMatch(/wanted +unknown +1 /);
  expect(unserved.err).toContain("wanted: jobs want it");
  await client.workers.register("w-1", { name: "mailer", handlers: [{ name: "wanted", slots: 3 }] });
  expect((await shell.json("handlers")).items).toEqual([expect.objectContaining({ name: "wanted", status: "served" })]);
  expect((await shell.run(["workers", "ls"])).out).toMatch(/w-1 +alive +0 +3 +wanted/);
  expect((await shell.run(["workers", "show", "w-1"])).out).toMatch(/^mailer {2}alive\n/);
  expect(await shell.json("workers", "drain", "w-1")).toMatchObject({ id: "w-1", draining: true });
  expect((await shell.run(["workers", "show", "nobody"])).code).toBe(4);
});

test("events are printed as they happen, as text and as JSON lines", async () => {
  const text = shell.start(["events", "--type", "execution.succeeded"]);
  const json = shell.start(["events", "--job", "hello", "--json"]);
  // Which event comes first cannot be known: the listeners are there when each has heard something.
  await vi.waitUntil(
    async () => {
      await client.jobs.trigger("hello");
      return text.seen.out.includes("execution.succeeded") && json.seen.out.includes("\n");
    },
    { timeout: 30_000, interval: 500 },
  );
  const lines = json.seen.out.trim().split("\n");
  expect(JSON.parse(lines[0]!)).toMatchObject({ id: expect.any(String), data: { jobId: expect.any(String) } });
  expect(text.seen.out).toMatch(/^\d{4}-\S+Z execution\.succeeded +[0-9a-f-]{36}/);
  expect(text.seen.out).not.toContain("execution.started");
  expect((await shell.run(["events", "--type", "job.exploded"])).code).toBe(2);
});

test("a reader that has seen enough ends a stream without complaint", async () => {
  const line = `${process.execPath} ${PROGRAM} events --json | head -1`;
  const { child, ended } = shell.startLine(line);
  await vi.waitUntil(
    async () => {
      await client.jobs.trigger("hello");
      return child.exitCode !== null;
    },
    { timeout: 30_000, interval: 300 },
  );
  const { out, err } = await ended;
  expect(out.trim().split("\n")).toHaveLength(1);
  expect(err).toBe("");
});

test("a server that is not there, and one that is no Punctual, are named with where the address came from", async () => {
  const url = await closedAddress();
  const gone = await shell.run(["jobs", "list"], { env: { PUNCTUAL_URL: url } });
  expect(gone.code).toBe(1);
  expect(gone.err).toBe(
    `punctual: Punctual at ${url} (from PUNCTUAL_URL) cannot be reached: nothing listens there. Start it with: punctual dev\n`,
  );
  const json = await shell.run(["jobs", "list", "--json"], { env: { PUNCTUAL_URL: url } });
  expect({ code: json.code, out: json.out }).toEqual({ code: 1, out: "" });
  expect(JSON.parse(json.err)).toMatchObject({ error: { code: "unreachable" } });
  const wrongKey = await shell.run(["jobs", "list"], { env: { PUNCTUAL_API_KEY: "wrong" } });
  expect(wrongKey).toMatchObject({ code: 1, err: expect.stringContaining("The key comes from PUNCTUAL_API_KEY") });
});

test("completion in bash knows commands, flags and the names of jobs", async () => {
  symlinkSync(PROGRAM, join(shell.folder, "punctual"));
  const complete = (words: string[]) => {
    const script = `source <(punctual completion bash); COMP_WORDS=(punctual ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _punctual; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = shell.environment({ PATH: `${shell.folder}:${process.env.PATH}` });
    return spawnSync("bash", ["-c", script], { env, encoding: "utf8" });
  };
  expect(complete(["exec"]).stdout).toBe("executions\n");
  expect(complete(["jobs", "list", "--so"]).stdout).toBe("--source\n--sort\n");
  expect((await shell.run(["completion", "tcsh"])).code).toBe(2);
  for (const name of ["zsh", "fish"]) expect((await shell.run(["completion", name])).out).toContain("complete --");
});

test("completion asks the server for the names of jobs", async () => {
  const { code, out } = await shell.run(["complete", "--", "jobs", "show", "hel"]);
  expect({ code, out }).toEqual({ code: 0, out: "hello\t\n" });
});
