// Commands on real nodes: their output followed live, and what becomes of them when a node stops.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "../../src/targets/shell/testing/commands.ts";
import { createTestDatabase } from "../support/database.ts";
import { openEventStream } from "../support/event-stream.ts";
import { ADMIN_KEY, startNode, type TestNode } from "../support/nodes.ts";

const WAIT = { timeout: 30_000, interval: 20 };
const SHELL = { PUNCTUAL_SHELL: "on" };

interface Line {
  message: string;
  level: string;
}

async function database(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

async function trigger(node: TestNode, script: string, more: object = {}): Promise<string> {
  const target = { type: "shell", command: "sh", args: ["-c", script] };
  await node.insist("PUT", "/jobs/command", { target, ...more });
  return String((await node.insist("POST", "/jobs/command/trigger")).id);
}

const follow = (node: TestNode, id: string) =>
  openEventStream(`${node.url}/api/v1/executions/${id}/logs`, { key: ADMIN_KEY });

const end = { event: "end", data: { state: "succeeded" } };

const firstLine = async (node: TestNode, id: string) =>
  await vi.waitUntil(async () => {
    const { status, body } = await node.api<{ items: Line[] }>("GET", `/executions/${id}/logs`);
    return status === 200 ? body.items[0] : undefined;
  }, WAIT);

test("what a command says is heard while it runs, from any node, and then how it ended", async () => {
  const databaseUrl = await database();
  const runs = await startNode({ databaseUrl, name: "runs", env: SHELL });
  const listens = await startNode({ databaseUrl, name: "listens", roles: "api" });
  const folder = mkdtempSync(join(tmpdir(), "punctual-shell-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const go = join(folder, "go");
  const id = await trigger(runs, `echo begins; while [ ! -e ${go} ]; do sleep 0.05; done; echo went on >&2`);
  const followed = await follow(listens, id);
  await followed.until(() => followed.events("log").length === 1);
  expect(followed.events("log")[0]!.data).toMatchObject({ message: "begins", level: "info" });
  expect((await runs.api("GET", `/executions/${id}`)).body).toMatchObject({ state: "running" });
  writeFileSync(go, "");
  await followed.ended;
  expect(followed.events().at(-1)).toMatchObject(end);
  expect(followed.events("log").at(-1)!.data).toMatchObject({ message: "went on", level: "warn" });
  expect((await runs.api("GET", `/executions/${id}`)).body).toMatchObject({
    state: "succeeded",
    result: { exitCode: 0, signal: null },
    attempts: [{ node: "runs" }],
  });
});

test("a command does not see what is the node's own business", async () => {
  const node = await startNode({ databaseUrl: await database(), env: { ...SHELL, PUNCTUAL_SHELL_ENV: "PATH" } });
  const id = await trigger(node, "env");
  const followed = await follow(node, id);
  await followed.ended;
  expect(followed.events().at(-1)).toMatchObject(end);
  const { body } = await node.api<{ items: Line[] }>("GET", `/executions/${id}/logs`);
  const names = body.items.map(({ message }) => message.split("=")[0]!);
  expect(names).toContain("PUNCTUAL_EXECUTION_ID");
  expect(names).toContain("PATH");
  for (const name of ["PUNCTUAL_DATABASE_URL", "PUNCTUAL_ENCRYPTION_KEYS", "PUNCTUAL_ADMIN_KEY", "HOME"])
    expect(names).not.toContain(name);
});

test("a node that stops waits for its commands, ends those that go on for too long, and leaves them to the next", async () => {
  const databaseUrl = await database();
  const node = await startNode({ databaseUrl, name: "first", env: SHELL });
  const long = await trigger(node, "sleep 600 & echo pids $$ $!; wait", { retry: { initialDelay: "1ms" } });
  const pids = (await firstLine(node, long)).message.match(/\d+/g)!.map(Number);
  onTestFinished(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  const short = await trigger(node, "echo began; sleep 1; echo done");
  await firstLine(node, short);
  expect(await node.stop()).toMatchObject({ code: 0 });
  expect(pids.map(isAlive)).toEqual([false, false]);
  const next = await startNode({ databaseUrl, name: "second", roles: "api" });
  expect((await next.api("GET", `/executions/${short}`)).body).toMatchObject({ state: "succeeded" });
  expect((await next.api("GET", `/executions/${long}`)).body).toMatchObject({
    state: "retrying",
    attempts: [{ outcome: "lost" }],
  });
});

test.runIf(process.getuid?.() === 0)("a node whose commands would run as root says so when it starts", async () => {
  const node = await startNode({ databaseUrl: await database(), env: SHELL });
  expect(node.logged("setting.doubtful")).toMatchObject([
    { setting: "PUNCTUAL_SHELL_USERS", message: expect.stringContaining("commands would run as root") },
  ]);
});
