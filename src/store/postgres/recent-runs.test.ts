import { expect, test } from "vitest";
import {
  attemptOf,
  claim,
  createJob,
  failed,
  PROJECT,
  triggerJob,
  useTestStore,
} from "../../../tests/support/store.ts";
import type { ExecutionState } from "../../contract/execution.ts";
import { fireId } from "../../core/ids.ts";
import type { JobRecord } from "../port/jobs.ts";

const t = useTestStore();

interface Past {
  state: ExecutionState;
  durationMs?: number;
  count?: number;
}

/** Writes what became of a job into the ledger, oldest first and a second apart; the last one was a minute ago. */
async function past(job: JobRecord, rows: Past[]): Promise<string[]> {
  const last = Date.now() - 60_000;
  const ids: string[] = [];
  for (const [index, { state, durationMs = null, count = 1 }] of rows.entries()) {
    const at = last - (rows.length - 1 - index) * 1_000;
    const id = fireId(job.id, at);
    const ran = state !== "skipped";
    await t.pool.query(
      `insert into punctual.execution (id, project_id, job_id, job_version, payload_version, trigger, state, reason_code, scheduled_at, scheduled_until,
         count, run_at, priority, attempt, finished_at, lateness_ms, duration_ms, root_id, created_at)
       values ($1, $2, $3, 1, 1, 'schedule', $4, 'test', $5, $6, $7, $5, 50, $8, $5, $9, $10, $1, $5)`,
      [
        id,
        PROJECT,
        job.id,
        state,
        new Date(at),
        count > 1 ? new Date(at + 500) : null,
        count,
        ran ? 1 : 0,
        ran ? 7 : null,
        durationMs,
      ],
    );
    ids.push(id);
  }
  return ids;
}

async function recent(job: JobRecord) {
  return (await t.store.executions.recent(PROJECT, [job.id])).get(job.id)!;
}

test("the strip has the last twenty runs, oldest first, each with what it needs to be drawn", async () => {
  const job = await createJob(t.store);
  const ids = await past(job, [
    ...Array.from({ length: 20 }, () => ({ state: "succeeded" as const, durationMs: 5 })),
    { state: "skipped", count: 30 },
    { state: "failed", durationMs: 40 },
  ]);
  const { runs } = await recent(job);
  expect(runs.map(({ executionId }) => executionId)).toEqual(ids.slice(-20));
  const lastOne = await t.store.executions.find(PROJECT, ids.at(-1)!);
  expect(runs.at(-1)).toEqual({
    executionId: ids.at(-1),
    state: "failed",
    scheduledAt: lastOne!.scheduledAt,
    durationMs: 40,
    latenessMs: 7,
    attempt: 1,
    count: 1,
  });
  expect(runs.at(-2)).toMatchObject({ state: "skipped", count: 30, attempt: 0, durationMs: null, latenessMs: null });
});

test("what runs and what is tried again belongs to the strip; what lies ahead does not", async () => {
  const job = await createJob(t.store, { overlap: "allow" });
  const [first] = await past(job, [{ state: "succeeded", durationMs: 1 }]);
  const again = await triggerJob(t.store, job);
  const [retried] = (await claim(t.store, t.nodeId)).claimed;
  await t.store.queue.settleRetry([{ ...retried!, delayMs: 3_600_000, attempt: attemptOf(retried!, "failed") }]);
  const running = await triggerJob(t.store, job);
  const { claimed } = await claim(t.store, t.nodeId);
  await triggerJob(t.store, job, { delayMs: 3_600_000 });
  const waiting = await triggerJob(t.store, job);
  const { runs, counted } = await recent(job);
  expect(runs.map(({ executionId, state, attempt }) => [executionId, state, attempt])).toEqual([
    [first, "succeeded", 1],
    [again, "retrying", 1],
    [running, "running", 1],
    [waiting, "scheduled", 0],
  ]);
  expect(runs[2]!.latenessMs).toBeGreaterThanOrEqual(0);
  expect(runs[2]!.durationMs).toBeNull();
  expect(counted).toBe(1);
  await t.store.queue.settleFinal(claimed.map(failed));
  expect((await recent(job)).runs[2]).toMatchObject({ executionId: running, state: "failed" });
});

test("the success rate is of those that came to a result, among the last hundred that are over", async () => {
  const job = await createJob(t.store);
  await past(job, [
    // These are too long ago to count.
    ...Array.from({ length: 50 }, () => ({ state: "failed" as const, durationMs: 99_999 })),
    ...Array.from({ length: 80 }, (_, index) => ({ state: "succeeded" as const, durationMs: index + 1 })),
    ...Array.from({ length: 6 }, () => ({ state: "failed" as const, durationMs: 81 })),
    ...Array.from({ length: 4 }, () => ({ state: "unknown" as const })),
    ...Array.from({ length: 7 }, () => ({ state: "skipped" as const })),
    ...Array.from({ length: 3 }, () => ({ state: "cancelled" as const })),
  ]);
  // Of the 86 durations the 95th percentile lies at 1 + 0.95 × 85 = 81.75 in their order.
  expect(await recent(job)).toMatchObject({ successRate: 80 / 90, counted: 90, p95DurationMs: 81 });
});

test("a job of which nothing came to a result has no success rate, and one that never ran has nothing", async () => {
  const skipping = await createJob(t.store);
  await past(skipping, [{ state: "skipped" }]);
  expect(await recent(skipping)).toMatchObject({ runs: [{}], successRate: null, p95DurationMs: null, counted: 0 });
  const idle = await createJob(t.store);
  expect(await recent(idle)).toEqual({ runs: [], successRate: null, p95DurationMs: null, counted: 0 });
});

test("many jobs are told at once, each of its own, and none of another project", async () => {
  const jobs = [await createJob(t.store), await createJob(t.store)];
  for (const [index, job] of jobs.entries())
    await past(job, [{ state: index === 0 ? "failed" : "succeeded", durationMs: 1 }]);
  const ids = jobs.map(({ id }) => id);
  const told = await t.store.executions.recent(PROJECT, ids);
  expect(ids.map((id) => told.get(id)!.successRate)).toEqual([0, 1]);
  const elsewhere = await t.store.executions.recent(crypto.randomUUID(), ids);
  expect(ids.map((id) => elsewhere.get(id)!.runs)).toEqual([[], []]);
  expect(await t.store.executions.recent(PROJECT, [])).toEqual(new Map());
});
