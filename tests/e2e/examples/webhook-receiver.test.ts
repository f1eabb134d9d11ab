// The receiver in examples/, run as it is and called by a real node.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { PunctualClient } from "../../../src/client/index.ts";
import { generateSigningKey } from "../../../src/core/webhook-signature.ts";
import { ADMIN_KEY, startNodesForFile, type TestNode } from "../../support/nodes.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WAIT = { timeout: 60_000, interval: 50 };

let node: TestNode;
beforeAll(async () => {
  const { nodes, end } = await startNodesForFile({ node: {} });
  node = nodes.node;
  return end;
});

async function begin(secret?: string) {
  const client = new PunctualClient({ url: node.url, key: ADMIN_KEY });
  const [key] = (await client.signingKeys.list()).items;
  const receiver = await startReceiver(secret ?? (await client.signingKeys.secret(key!.id)));
  const target = { type: "http", url: `${receiver.url}/reports` } as const;
  return { client, target, receiver };
}

async function startReceiver(secret: string) {
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", "examples/webhook-receiver.ts"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const receiver = { url: "", said: "" };
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => {
      receiver.said += text;
    });
  await vi.waitUntil(() => receiver.said.includes("listening on") || child.exitCode !== null, WAIT);
  receiver.url = /http:\/\/\S+/.exec(receiver.said)?.[0] ?? expect.fail(receiver.said);
  return receiver;
}

describe("examples/webhook-receiver.ts", () => {
  test("does the work of a call that Punctual signed, and refuses one that anybody else makes", async () => {
    const { client, target, receiver } = await begin();
    await client.jobs.put("report", { target, payload: { pages: 3 } });
    const { id } = await client.jobs.trigger("report");
    const execution = await client.executions.waitFor(id, { timeoutMs: 60_000 });
    expect(execution).toMatchObject({
      state: "succeeded",
      attempts: [{ response: { status: 200, body: '{"pages":3}' } }],
    });
    expect(receiver.said).toMatch(/report of \S+Z, attempt 1: 3 pages/);
    const forged = await fetch(`${receiver.url}/reports`, { method: "POST", body: '{"pages":3}' });
    expect([forged.status, await forged.json()]).toEqual([401, { error: "missing_header" }]);
  });

  test("reports the result later to a job that waits for a callback", async () => {
    const { client, target } = await begin();
    await client.jobs.put("report", { target: { ...target, completion: "callback" }, payload: { pages: 5 } });
    const { id } = await client.jobs.trigger("report");
    const execution = await client.executions.waitFor(id, { timeoutMs: 60_000 });
    expect(execution).toMatchObject({
      state: "succeeded",
      result: { pages: 5 },
      attempts: [{ response: { status: 202 } }],
    });
  });

  test("believes nobody when it was given another key", async () => {
    const { client, target } = await begin(generateSigningKey());
    await client.jobs.put("report", { target, payload: { pages: 3 } });
    const { id } = await client.jobs.trigger("report");
    const execution = await client.executions.waitFor(id, { timeoutMs: 60_000 });
    expect(execution).toMatchObject({ state: "failed", attempt: 1, attempts: [{ response: { status: 401 } }] });
  });
});
