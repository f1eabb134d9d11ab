// The workers in examples/, run as they are against a real node.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type Execution, PunctualClient } from "../../../src/client/index.ts";
import { ADMIN_KEY, startNodesForFile, type TestNode } from "../../support/nodes.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WAIT = { timeout: 30_000, interval: 50 };

// Not everybody has Python, and nobody needs it to work on Punctual.
const noPython = spawnSync("python3", ["--version"]).status !== 0;
if (noPython) {
  const message = "python3 is missing: apt-get install python3";
  if (process.env.CI) throw new Error(message);
  console.warn(`The tests of examples/worker.py are skipped: ${message}`);
}

let node: TestNode;
beforeAll(async () => {
  const { nodes, end } = await startNodesForFile({ node: {} });
  node = nodes.node;
  return end;
});

async function begin(command: string, args: string[], handler: string) {
  const line = await openBrittleLine(node.url);
  const client = new PunctualClient({ url: node.url, key: ADMIN_KEY, retries: 10 });
  await client.jobs.put("report", { target: { type: "worker", handler }, overlap: "allow" });
  const env = { PATH: process.env.PATH, PUNCTUAL_URL: line.url, PUNCTUAL_API_KEY: ADMIN_KEY };
  const worker = spawn(command, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  await says(worker, "is waiting for work");
  return { client, worker, line };
}

interface Line {
  url: string;
  /** How many of the next answers end before their last byte, as when the node is killed. */
  cuts: number;
  /** How many of the next results are answered with 400. */
  refusals: number;
}

const REFUSED = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}";

/** An address in front of a node, for workers that open a connection for each call. */
async function openBrittleLine(nodeUrl: string): Promise<Line> {
  const line: Line = { url: "", cuts: 0, refusals: 0 };
  const open = new Set<Socket>();
  const server = createServer((worker) => {
    const node = connect(Number(new URL(nodeUrl).port), "127.0.0.1");
    for (const socket of [worker, node])
      open.add(socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket)));
    worker.on("close", () => node.destroy());
    worker.on("data", (part: Buffer) => {
      if (line.refusals === 0 || !part.includes("/settle ")) return node.destroyed || node.write(part);
      line.refusals -= 1;
      worker.end(REFUSED);
      node.destroy();
    });
    node.on("close", () => worker.end());
    node.on("data", (part: Buffer) => {
      if (line.cuts === 0) return worker.write(part);
      line.cuts -= 1;
      worker.end(part.subarray(0, -1));
      node.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return line;
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

test.skipIf(noPython)("examples/worker.py does the same in another language", async () => {
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

test.skipIf(noPython)(
  "examples/worker.py outlives answers that end in the middle, and loses nothing by them",
  async () => {
    const { client, worker, line } = await begin("python3", ["examples/worker.py"], "send-report-py");
    line.cuts = 3;
    const sent = await run(client, { to: "ada@example.com" });
    expect(sent).toMatchObject({ state: "succeeded", attempt: 1 });
    await vi.waitUntil(() => line.cuts === 0, WAIT);
    expect(await run(client, { to: "bob@example.com" })).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(await stop(worker)).toBe(0);
  },
);

test.skipIf(noPython)("examples/worker.py stops what is cancelled or out of time, and has its slots back", async () => {
  const { client, worker } = await begin("python3", ["examples/worker.py"], "send-report-py");
  const long = { to: "ada@example.com", pages: 10_000 };
  // Both of its slots.
  const ids = [0, 1].map(async () => (await client.jobs.trigger("report", { payload: long })).id);
  for (const id of await Promise.all(ids)) {
    await vi.waitUntil(async () => (await client.executions.get(id)).state === "running", WAIT);
    await client.executions.cancel(id);
  }
  const retry = { maxAttempts: 1 };
  const target = { type: "worker", handler: "send-report-py" } as const;
  await client.jobs.put("report", { target, overlap: "allow", timeout: "1s", retry });
  expect(await run(client, long)).toMatchObject({
    state: "failed",
    error: { code: "timeout", message: "stopped before the last page" },
  });
  expect(await run(client, { to: "bob@example.com" })).toMatchObject({ state: "succeeded" });
  expect(await stop(worker)).toBe(0);
});

test.skipIf(noPython)(
  "examples/worker.py tells of a result that the server cannot read, and has its slots back",
  async () => {
    const { client, worker, line } = await begin("python3", ["examples/worker.py"], "send-report-py");
    // More often than it has slots.
    for (let n = 0; n < 3; n += 1) {
      line.refusals = 1;
      expect(await run(client, { to: "ada@example.com" })).toMatchObject({
        state: "failed",
        error: { message: "the server refused the result" },
      });
    }
    expect(await run(client, { to: "bob@example.com" })).toMatchObject({ state: "succeeded" });
    expect(await stop(worker)).toBe(0);
  },
);
