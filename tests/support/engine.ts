// An engine over a real store, and an HTTP server as its target, in one process.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { HostClaims } from "../../src/engine/claim-source.ts";
import { Engine, type EngineOptions } from "../../src/engine/engine.ts";
import { Slots } from "../../src/engine/slots.ts";
import { CachedVault } from "../../src/engine/vault.ts";
import type { Store } from "../../src/store/port.ts";
import { isDataError } from "../../src/store/postgres/database.ts";
import { EgressGuard } from "../../src/targets/http/egress.ts";
import { HttpTargetRunner } from "../../src/targets/http/runner.ts";
import { TargetRunners } from "../../src/targets/runner.ts";
import { ShellTargetRunner } from "../../src/targets/shell/runner.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { HORIZON_MS } from "./store.ts";

export interface TestEngine {
  engine: Engine;
  metrics: Metrics;
  stop(): Promise<void>;
}

export async function startTestEngine(
  node: { store: Store; nodeId: string },
  options: Partial<EngineOptions> & { concurrency?: number; shell?: boolean } = {},
): Promise<TestEngine> {
  const { store, nodeId } = node;
  const metrics = new Metrics();
  const monotonic = () => performance.now();
  const http = new HttpTargetRunner(new CachedVault(store, monotonic), new EgressGuard({ allow: ["127.0.0.0/8"] }), {
    version: "0",
    now: Date.now,
  });
  const { concurrency = 50, shell = false, ...rest } = options;
  const commands = new ShellTargetRunner(new CachedVault(store, monotonic), {
    users: [],
    environment: process.env,
    allowed: ["PATH"],
  });
  const targets = new TargetRunners({ http, ...(shell ? { shell: commands } : {}) });
  const slots = new Slots(concurrency);
  const source = new HostClaims(store.queue, slots, { nodeId, shell });
  const engine = new Engine(
    {
      store,
      targets,
      source,
      slots,
      members: store.nodes,
      log: createLog({ level: "silent" }),
      metrics,
      monotonic,
      random: Math.random,
      isDataError,
    },
    {
      node: {
        id: nodeId,
        name: "test",
        roles: ["planner", "dispatcher"],
        version: "0",
        concurrency,
      },
      publicUrl: () => "http://127.0.0.1:1",
      leaseMs: 15_000,
      horizonMs: HORIZON_MS,
      retentionMs: 30 * 86_400_000,
      tzdata: "2026a",
      drainMs: 2_000,
      ...rest,
    },
  );
  await engine.start();
  return {
    engine,
    metrics,
    stop: async () => {
      await engine.stop();
      await targets.close();
    },
  };
}

export interface ReceivedCall {
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  at: number;
  /** Set when the caller hung up before it had an answer. */
  aborted: boolean;
}

export interface TestTarget {
  url: string;
  calls: ReceivedCall[];
  /** What to do with calls to a path; others are answered with 200. */
  on(path: string, answer: (call: ReceivedCall, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startTarget(): Promise<TestTarget> {
  const calls: ReceivedCall[] = [];
  const answers = new Map<string, (call: ReceivedCall, response: ServerResponse) => void>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = new URL(request.url ?? "/", "http://x").pathname;
      const call: ReceivedCall = {
        path,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
        aborted: false,
      };
      calls.push(call);
      response.on("close", () => {
        call.aborted = !response.writableFinished;
      });
      const answer = answers.get(path);
      if (answer) answer(call, response);
      else response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    on: (path, answer) => void answers.set(path, answer),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits for something to become true; the deadline is for a test that fails, not for one that passes. */
export async function until<T>(what: string, look: () => T | Promise<T>, deadlineMs = 20_000): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen as NonNullable<T>;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    await sleep(5);
  }
}
