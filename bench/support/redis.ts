// A Redis of the benchmark's own, if the system has one: every write goes to its log, which is synced every second, as its
// documentation and BullMQ's advise for queues. (PostgreSQL syncs before every commit is answered.)

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";

export interface Redis {
  /** "Redis 7.0.15". */
  readonly description: string;
  readonly url: string;
  readonly pid: number | null;
  /** Forgets everything. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

const START_MS_MAX = 10_000;
/** No snapshots beside the log; nothing is ever evicted, which BullMQ asks for. */
const SETTINGS = {
  bind: "127.0.0.1",
  appendonly: "yes",
  appendfsync: "everysec",
  save: "",
  "maxmemory-policy": "noeviction",
};

/** null: there is none on this machine. */
export async function startRedis(): Promise<Redis | null> {
  const version = installedVersion();
  if (version === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "punctual-bench-redis-"));
  const port = await freePort();
  const given = Object.entries({ ...SETTINGS, port: String(port), dir: folder }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const server = spawn("redis-server", given, { stdio: "ignore" });
  const end = () => {
    if (server.exitCode === null) server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", end);
  await listening(port);
  return {
    description: `Redis ${version}, append-only file synced every second`,
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid ?? null,
    empty: () => flush(port),
    stop: async () => {
      process.off("exit", end);
      const gone = new Promise((resolve) => server.once("exit", resolve));
      if (server.exitCode === null) {
        server.kill("SIGTERM");
        await gone;
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function installedVersion(): string | null {
  try {
    return /v=([0-9.]+)/.exec(execFileSync("redis-server", ["--version"], { encoding: "utf8" }))?.[1] ?? null;
  } catch {
    return null;
  }
}

async function listening(port: number): Promise<void> {
  const until = performance.now() + START_MS_MAX;
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const answered = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (answered) return;
    if (performance.now() > until) throw new Error("redis-server does not listen");
    await sleep(20);
  }
}

async function flush(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const answer = await new Promise<string>((resolve, reject) => {
    socket.once("data", (data) => resolve(data.toString())).once("error", reject);
    socket.write("FLUSHALL\r\n");
  });
  socket.destroy();
  if (!answer.startsWith("+OK")) throw new Error(`redis-server answered ${answer}`);
}
