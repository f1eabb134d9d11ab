// Nodes as they run in production: `punctual serve`, each a process of its own, to be killed, frozen and stopped.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import { PROGRAM } from "./command.ts";
import { createTestDatabase } from "./database.ts";

const ENCRYPTION_KEY = randomBytes(32).toString("base64");
const READY_MS_MAX = 60_000;
const INSIST_TRIES = 100;
// A node of a run that was killed must not go on for ever: it ends when the pipe from its test does.
const END_WITH_TEST =
  "data:text/javascript,process.stdin.resume().on('end',()=>process.kill(process.pid,'SIGKILL')).unref()";

export const ADMIN_KEY = randomBytes(32).toString("hex");

export interface NodeOptions {
  databaseUrl: string;
  name?: string;
  roles?: string;
  leaseMs?: number;
  env?: Record<string, string>;
}

export interface LogLine {
  time: string;
  level: string;
  event: string;
  [field: string]: unknown;
}

export interface ApiAnswer<Body = Record<string, unknown>> {
  status: number;
  body: Body;
}

export class TestNode {
  readonly name: string;
  readonly process: ChildProcess;
  readonly log: LogLine[] = [];
  url = "";
  readonly #ended: Promise<unknown>;
  #err = "";

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.process = child;
    this.#ended = once(child, "close");
    let rest = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.log.push(JSON.parse(line) as LogLine);
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
    });
  }

  get running(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Ends as by a power cut; its exit has been seen when this resolves. */
  async kill9(): Promise<void> {
    if (this.running) this.process.kill("SIGKILL");
    await this.#ended;
  }

  /** SIGTERM: drains, then ends. */
  async stop(): Promise<{ code: number | null; ms: number }> {
    const began = performance.now();
    this.process.kill("SIGTERM");
    await this.#ended;
    return { code: this.process.exitCode, ms: performance.now() - began };
  }

  freeze(): void {
    this.process.kill("SIGSTOP");
  }

  thaw(): void {
    this.process.kill("SIGCONT");
  }

  async ready(): Promise<void> {
    await vi.waitUntil(() => this.logged("node.ready").length > 0 || !this.running, {
      timeout: READY_MS_MAX,
      interval: 20,
    });
    const [ready] = this.logged("node.ready");
    if (!ready) throw new Error(`${this.name} did not start: ${this.#err}${JSON.stringify(this.log.at(-1))}`);
    this.url = String(ready.url);
  }

  logged(event: string): LogLine[] {
    return this.log.filter((line) => line.event === event);
  }

  /** What a node should never say in a healthy system. That the machine is too slow for a request or a connection is no fault. */
  complaints(): LogLine[] {
    return this.log.filter(({ level, event, error }) => {
      const slow = event === "request.failed" || (error as Error | undefined)?.message === "timeout expired";
      return (level === "warn" || level === "error") && !slow;
    });
  }

  async api<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<Body>> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as Body };
  }

  /** A change that has to take effect although the node may be too busy to answer at once: repeated under one key. */
  async insist(method: string, path: string, body: unknown = {}): Promise<Record<string, unknown>> {
    const key = { "idempotency-key": randomUUID() };
    for (let tries = 1; ; tries += 1) {
      const answer = await this.api(method, path, body, key);
      if (answer.status < 300) return answer.body;
      if (answer.status !== 503 || tries >= INSIST_TRIES)
        throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
      await sleep(100);
    }
  }

  /** The sum of a metric over all its labels. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`${this.url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    const values = [...(await response.text()).matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "gm"))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }
}

/** Killed when the test is over. The process is there; `ready()` waits until it serves. */
export function launchNode(options: NodeOptions): TestNode {
  const node = spawnNode(options);
  onTestFinished(() => node.kill9());
  return node;
}

/** Nodes over a new database for all tests of a file, which calls `end` after them. */
export async function startNodesForFile<Names extends string>(
  given: Record<Names, Partial<NodeOptions>>,
): Promise<{ nodes: Record<Names, TestNode>; end: () => Promise<void> }> {
  const { url: databaseUrl, drop } = await createTestDatabase();
  const started = Object.entries<Partial<NodeOptions>>(given).map(([name, options]) =>
    spawnNode({ databaseUrl, name, ...options }),
  );
  await Promise.all(started.map((node) => node.ready()));
  const end = async () => {
    await Promise.all(started.map((node) => node.kill9()));
    await drop();
  };
  return { nodes: Object.fromEntries(started.map((node) => [node.name, node])) as Record<Names, TestNode>, end };
}

function spawnNode(options: NodeOptions): TestNode {
  const { databaseUrl, name = "node", roles, leaseMs, env } = options;
  const child = spawn(process.execPath, ["--import", END_WITH_TEST, PROGRAM, "serve"], {
    cwd: "/",
    env: {
      PATH: process.env.PATH,
      HOME: "/nonexistent",
      PUNCTUAL_DATABASE_URL: databaseUrl,
      PUNCTUAL_PORT: "0",
      PUNCTUAL_ADMIN_KEY: ADMIN_KEY,
      PUNCTUAL_ENCRYPTION_KEYS: ENCRYPTION_KEY,
      PUNCTUAL_EGRESS_ALLOW: "127.0.0.0/8",
      PUNCTUAL_RATE_LIMIT: "off",
      PUNCTUAL_NODE_NAME: name,
      ...(roles === undefined ? {} : { PUNCTUAL_ROLES: roles }),
      ...(leaseMs === undefined ? {} : { PUNCTUAL_LEASE: `${leaseMs}ms` }),
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  return new TestNode(name, child);
}

export async function startNode(options: NodeOptions): Promise<TestNode> {
  const node = launchNode(options);
  await node.ready();
  return node;
}
