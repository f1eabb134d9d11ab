// A real store on a fresh database, and jobs in it, for tests of the store and of the engine's passes.

import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type JobSpec, jobInputSchema } from "../../src/contract/job.ts";
import { KeyRing } from "../../src/core/keyring.ts";
import { validateSchedule } from "../../src/core/schedule/validate.ts";
import type { JobRecord } from "../../src/store/port/jobs.ts";
import type { Claimed, FinalSettlement, Place } from "../../src/store/port/queue.ts";
import type { Store } from "../../src/store/port.ts";
import { createPostgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export const PROJECT = "00000000-0000-7000-8000-000000000001";
export const HORIZON_MS = 2_000;
const RETENTION_MS = 30 * 86_400_000;

export interface TestStore {
  store: Store;
  nodeId: string;
  url: string;
  pool: pg.Pool;
  /** Another store on the same database, as another node would have it. */
  another(options?: { horizonMs?: number; retentionMs?: number }): { store: Store; nodeId: string };
  close(): Promise<void>;
}

export async function createTestStore(
  options: { horizonMs?: number; retentionMs?: number; database?: TestDatabase } = {},
): Promise<TestStore> {
  const database = options.database ?? (await createTestDatabase());
  const opened: Store[] = [];
  const open = (given: { horizonMs?: number; retentionMs?: number } = options) => {
    const nodeId = randomUUID();
    const store = createPostgresStore({
      url: database.url,
      listenUrl: database.url,
      prepared: true,
      connectionsMax: 8,
      nodeId,
      keys: new KeyRing([randomBytes(32)]),
      horizonMs: given.horizonMs ?? HORIZON_MS,
      retentionMs: given.retentionMs ?? RETENTION_MS,
      tzdata: "2026a",
      onProblem: () => {},
    });
    opened.push(store);
    return { store, nodeId };
  };
  const first = open();
  const now = (await first.store.now()).getTime();
  await first.store.retention.ensurePartitions(now - 86_400_000, now + 2 * 86_400_000);
  return {
    ...first,
    url: database.url,
    pool: database.pool,
    another: open,
    close: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await database.drop();
    },
  };
}

/** The same for all tests of a file: there from the first of them on, closed after the last. */
export function useTestStore(options: Parameters<typeof createTestStore>[0] = {}): TestStore {
  const t = {} as TestStore;
  beforeAll(async () => void Object.assign(t, await createTestStore(options)));
  afterAll(async () => await t.close());
  return t;
}

let made = 0;

/** A spec as the API would make it of what a client wrote. */
export function specOf(written: object, now: Date): JobSpec {
  made += 1;
  const input = jobInputSchema.parse({
    name: `job-${made}`,
    target: { type: "http", url: "http://127.0.0.1:9/" },
    ...written,
  });
  const graceMs = 60_000;
  const checked = validateSchedule(input.schedule, { now: now.getTime(), graceMs, anchor: now.getTime() });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return { ...input, name: input.name!, schedule: checked.schedule };
}

export async function createJob(
  store: Store,
  written: object = {},
  options: { paused?: boolean } = {},
): Promise<JobRecord> {
  const result = await store.jobs.create(PROJECT, (_, now) => specOf(written, now), {
    actor: "test",
    source: null,
    paused: options.paused ?? false,
  });
  if (result.kind !== "done") throw new Error(`not created: ${result.kind}`);
  return result.job;
}

export async function triggerJob(store: Store, job: JobRecord, options: object = {}): Promise<string> {
  const [result] = await store.triggers.trigger(PROJECT, [{ job: job.id, ...options }], { actor: "test" });
  if (result?.kind !== "triggered") throw new Error(`not triggered: ${result?.kind}`);
  return result.executionId;
}

/** Claims as a node with many slots would; renews the node's lease first, so that nobody takes it for dead. */
export async function claim(
  store: Store,
  nodeId: string,
  options: {
    slots?: number;
    order?: "priority" | "oldest";
    lanes?: { name: string; limit: number }[];
    laneLimit?: number;
    from?: Place | null;
    aheadMs?: number;
  } = {},
) {
  await store.nodes.renew({ id: nodeId, name: "test", roles: [], version: "0", concurrency: 100, leaseMs: 15_000 });
  const tokens = Array.from({ length: options.slots ?? 100 }, () => randomUUID());
  return await store.queue.claimDue({
    nodeId,
    tokens,
    lanes: options.lanes ?? [],
    laneLimit: options.laneLimit ?? tokens.length,
    order: options.order ?? "priority",
    from: options.from ?? null,
    aheadMs: options.aheadMs ?? 0,
  });
}

export function succeeded(claimed: Claimed): FinalSettlement {
  return {
    id: claimed.id,
    claim: claimed.claim,
    jobId: claimed.jobId,
    state: "succeeded",
    reason: null,
    attempt: attemptOf(claimed, "succeeded"),
    result: null,
    error: null,
    fingerprint: null,
  };
}

export function failed(claimed: Claimed): FinalSettlement {
  const error = { code: "http_status", message: "answered 500" };
  return {
    ...succeeded(claimed),
    state: "failed",
    reason: { code: "attempts_exhausted", message: "no" },
    error,
    fingerprint: "f",
    attempt: attemptOf(claimed, "failed"),
  };
}

export function attemptOf(claimed: Claimed, outcome: "succeeded" | "failed" | "lost") {
  return {
    number: claimed.attempt,
    outcome,
    jobVersion: claimed.version,
    startedAt: claimed.startedAt.toISOString(),
    finishedAt: claimed.startedAt.toISOString(),
    error: null,
    node: "test",
    worker: null,
    request: null,
    response: null,
    timings: null,
  };
}
