// `punctual dev` ended in every way there is, and started again on what it left. (What it prints, and two of them on one
// folder while all is well: cli.test.ts.)
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Command, type Ended, startCommand } from "../support/command.ts";
import { makeTestFolder } from "../support/database.ts";
import { startDevServer } from "../support/dev-server.ts";
import { processesOf } from "../support/embedded-processes.ts";

const WAIT = { timeout: 20_000, interval: 50 };
/** "Within seconds": a drain is allowed ten, and nothing has to be drained here. */
const STOP_MS_MAX = 8_000;

interface Execution {
  id: string;
  state: string;
  scheduledAt: string;
}

class Dev {
  readonly #command: Command;

  constructor(folder: string, port: number) {
    const env = { PUNCTUAL_DATA_DIR: dataDirOf(folder), PUNCTUAL_PORT: String(port) };
    this.#command = startCommand(["dev"], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env } });
  }

  get out(): string {
    return this.#command.seen.out;
  }

  get ended(): Promise<Ended> {
    return this.#command.ended;
  }

  get running(): boolean {
    const { exitCode, signalCode } = this.#command.child;
    return exitCode === null && signalCode === null;
  }

  get url(): string {
    return /Address\s+(\S+)/.exec(this.out)![1]!;
  }

  get apiKey(): string {
    return /API key\s+(\S+)/.exec(this.out)![1]!;
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<Ended & { ms: number }> {
    const began = performance.now();
    this.#command.child.kill(signal);
    return { ...(await this.ended), ms: performance.now() - began };
  }

  /** As a client asks: again, when the node is too busy with its own start. */
  async api<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Body> {
    return await vi.waitFor(async () => {
      const response = await fetch(`${this.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${this.apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    }, WAIT);
  }

  /** What the job has run so far, oldest first. */
  async succeeded(job: string): Promise<Execution[]> {
    const path = `/jobs/${job}/executions?state=succeeded&limit=200`;
    return (await this.api<{ items: Execution[] }>("GET", path)).items.reverse();
  }

  /** Waits until it has run so often since the moment, and says what. */
  async firesAfter(job: string, moment: number, times: number): Promise<Execution[]> {
    return await vi.waitUntil(async () => {
      const fires = (await this.succeeded(job)).filter(({ scheduledAt }) => Date.parse(scheduledAt) > moment);
      return fires.length >= times ? fires : null;
    }, WAIT);
  }

  async createEachSecond(name: string): Promise<void> {
    const target = { type: "http", url: `${this.url}/dev/echo` };
    await this.api("PUT", `/jobs/${name}`, { schedule: { every: "1s" }, target });
  }
}

function dataDirOf(folder: string): string {
  return join(folder, "data");
}

/** Everything of it is gone when the test is over, the database included. */
function devFolder(): string {
  const folder = makeTestFolder();
  onTestFinished(async () => {
    await vi.waitUntil(() => processesOf(dataDirOf(folder)).length === 0, WAIT);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return folder;
}

async function startDev(folder: string, port: number): Promise<Dev> {
  const dev = new Dev(folder, port);
  await vi.waitUntil(() => dev.out.includes("Ctrl-C") || !dev.running, { ...WAIT, timeout: 30_000 });
  if (!dev.running) throw new Error(`dev did not start: ${JSON.stringify(await dev.ended)}`);
  return dev;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("after a kill -9 dev starts on the same folder and port: same key, job and history, and the job goes on firing", async () => {
  const [folder, port] = [devFolder(), await freePort()];
  const first = await startDev(folder, port);
  await first.createEachSecond("steady");
  const before = await first.firesAfter("steady", 0, 2);
  await first.end("SIGKILL");

  const second = await startDev(folder, port);
  const restarted = Date.now();
  expect({ url: second.url, apiKey: second.apiKey }).toEqual({ url: first.url, apiKey: first.apiKey });
  expect(await second.api("GET", "/jobs/steady")).toMatchObject({ state: "active", version: 1 });
  await second.firesAfter("steady", restarted, 2);
  const history = await second.succeeded("steady");
  expect(history.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
  expect(new Set(history.map(({ scheduledAt }) => scheduledAt)).size).toBe(history.length);

  const { code, err, ms } = await second.end("SIGTERM");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(ms).toBeLessThan(STOP_MS_MAX);
  expect(processesOf(dataDirOf(folder))).toEqual([]);
});

test("a dev on the folder of another does it no harm, be it refused, as user of the same database, or as its last one", async () => {
  const [folder, port] = [devFolder(), await freePort()];
  const first = await startDev(folder, port);
  await first.createEachSecond("shared");
  const refused = await new Dev(folder, port).ended;
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain(`Port ${port} on 127.0.0.1 is taken`);
  await first.firesAfter("shared", Date.now(), 1);

  const second = await startDev(folder, await freePort());
  const { items } = await second.api<{ items: { alive: boolean }[] }>("GET", "/nodes");
  expect(items.filter(({ alive }) => alive)).toHaveLength(2);
  await second.api("PATCH", "/jobs/shared", { target: { type: "http", url: `${second.url}/dev/echo` } });
  // The one that started the database is gone as by a power cut; its user has it still.
  await first.end("SIGKILL");
  await second.firesAfter("shared", Date.now(), 2);
  expect((await second.end("SIGTERM")).code).toBe(0);
  expect(processesOf(dataDirOf(folder))).toEqual([]);
});

test("a node that closes its connections begins nothing that could not end", async () => {
  const server = await startDevServer();
  const { client, url } = server;
  const echo = `${url}/dev/echo`;
  await client.jobs.put("every-second", { schedule: { every: "1s" }, target: { type: "http", url: echo } });
  const ran = async () => (await client.executions.counts()).succeeded;
  await vi.waitUntil(async () => (await ran()) > 0, WAIT);
  // Somebody still waits for an answer, and so the node is not closed at once; its own jobs would find the door shut.
  const slow = fetch(`${echo}?delayMs=4000`);
  await vi.waitUntil(async () => (await ran()) > 1, WAIT);
  await server.stop();
  expect((await slow).status).toBe(200);
  await server.startAgain();
  await client.jobs.pause("every-second");
  const { failed, retrying, unknown } = await client.executions.counts();
  expect({ failed, retrying, unknown }).toEqual({ failed: 0, retrying: 0, unknown: 0 });
  for await (const { attempt } of client.executions.all({ state: ["succeeded"] })) expect(attempt).toBe(1);
});
