// The workers in examples/, run as they are against a real node.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Execution, PunctualClient } from "../../../src/client/index.ts";
import { createTestDatabase } from "../../support/database.ts";
import { ADMIN_KEY, startNode } from "../../support/nodes.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WAIT = { timeout: 30_000, interval: 50 };
const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;

async function begin(command: string, args: string[], handler: string) {
  const { url: databaseUrl, drop } = await createTestDatabase();
  onTestFinished(drop);
  const { url } = await startNode({ databaseUrl });
  const client = new PunctualClient({ url, key: ADMIN_KEY, retries: 10 });
  await client.jobs.put("report", { target: { type: "worker", handler }, overlap: "allow" });
  const env = { PATH: process.env.PATH, PUNCTUAL_URL: url, PUNCTUAL_API_KEY: ADMIN_KEY };
  const worker = spawn(command, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  await says(worker, "is waiting for work");
  return { client, worker };
}

async function says(worker: ChildProcess, text: string): Promise<void> {
  let said = "";
  for (const stream of [worker.stdout!, worker.stderr!])
    stream.setEncoding("utf8").on("data", (part: string) => {
      said += part;
    });
  await vi.waitUntil(() => said.includes(text) || worker.exitCode !== null, WAIT);
  expect(said).toContain(text);
}

async function run(client: PunctualClient, payload: Execution["payload"]): Promise<Execution> {
  const { id } = await client.jobs.trigger("report", { payload });
  return await vi.waitUntil(async () => {
    const execution = await client.executions.get(id);
    return execution.finishedAt === null ? null : execution;
  }, WAIT);
}

async function stop(worker: ChildProcess): Promise<number | null> {
  const ended = once(worker, "close");
  worker.kill("SIGTERM");
  await ended;
  return worker.exitCode;
}

test("examples/worker.ts writes reports, refuses what does not fit, and leaves on SIGTERM", async () => {
  const { client, worker } = await begin(process.execPath, ["--import", "tsx", "examples/worker.ts"], "send-report");
  const sent = await run(client, { to: "ada@example.com", pages: 2 });
  expect(sent).toMatchObject({ state: "succeeded", result: { sent: 2 } });
  const { items: lines } = await client.executions.logs(sent.id);
  expect(lines.map(({ message }) => message)).toEqual(["writing the report", "sent"]);
  expect(await run(client, { to: "nobody" })).toMatchObject({ state: "failed", error: { code: "invalid_payload" } });
  expect(await run(client, { to: "eve@nowhere.example" })).toMatchObject({ attempt: 1, error: { code: "NoRetry" } });
  expect(await run(client, { to: "bob@busy.example" })).toMatchObject({ state: "succeeded", attempt: 2 });
  expect(await stop(worker)).toBe(0);
  expect((await client.workers.list()).items.filter(({ alive }) => alive)).toEqual([]);
});

// Not everybody has Python, and nobody needs it to work on Punctual.
test.skipIf(!HAS_PYTHON)("examples/worker.py does the same in another language (needs python3)", async () => {
  const { client, worker } = await begin("python3", ["examples/worker.py"], "send-report-py");
  const sent = await run(client, { to: "ada@example.com" });
  expect(sent).toMatchObject({ state: "succeeded", result: { sentTo: "ada@example.com" } });
  expect(sent.attempts).toMatchObject([{ worker: "python" }]);
  const { items: lines } = await client.executions.logs(sent.id);
  expect(lines).toMatchObject([{ level: "info", message: "sending the report", fields: { to: "ada@example.com" } }]);
  expect(await run(client, {})).toMatchObject({
    state: "failed",
    attempt: 1,
    error: { code: "ValueError", message: "payload.to is missing", stack: expect.stringContaining("worker.py") },
  });
  expect(await stop(worker)).toBe(0);
  expect((await client.workers.list()).items.filter(({ alive }) => alive)).toEqual([]);
});
