import { expect, test } from "vitest";
import { layExecutions, layMany } from "../../../tests/support/ledger.ts";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";
import { LOOKED_AT_MAX } from "./job-stats.ts";

const t = useTestStore();
const STEP_MS = 60_000;

/** Some steps, the last of them over. */
async function lastSteps(count: number) {
  const to = Math.floor((await t.store.now()).getTime() / STEP_MS) * STEP_MS;
  return { from: new Date(to - count * STEP_MS), to: new Date(to), stepMs: STEP_MS };
}

test("an execution belongs to the step in which it was due, from its first moment to its last", async () => {
  const job = await createJob(t.store);
  const window = await lastSteps(3);
  const at = (ms: number) => new Date(window.from.getTime() + ms);
  await layExecutions(t.pool, job, [
    { at: at(-1), state: "failed" },
    { at: at(0), state: "succeeded", durationMs: 10, latenessMs: 999 },
    { at: at(STEP_MS - 1), state: "succeeded", durationMs: 30, latenessMs: 1_000 },
    { at: at(2 * STEP_MS), state: "skipped", until: at(2 * STEP_MS + 5), count: 6 },
    { at: at(3 * STEP_MS), state: "failed" },
  ]);
  const { steps, complete } = await t.store.stats.jobSteps(PROJECT, job.id, window);
  const none = { p50: null, p95: null, p99: null };
  expect(complete).toBe(true);
  expect(steps.toSorted((a, b) => a.at.getTime() - b.at.getTime())).toEqual([
    {
      at: at(0),
      ...{ succeeded: 2, failed: 0, cancelled: 0, skipped: 0, unknown: 0, late: 1 },
      durationMs: { p50: 20, p95: 29, p99: 29.8 },
      latenessMs: { p50: 999.5, p95: 1_000, p99: 1_000 },
    },
    {
      at: at(2 * STEP_MS),
      ...{ succeeded: 0, failed: 0, cancelled: 0, skipped: 6, unknown: 0, late: 0 },
      durationMs: none,
      latenessMs: none,
    },
  ]);
});

test("of too many some of each step are looked at, and all are counted: no step is told to be empty that was not", async () => {
  const job = await createJob(t.store);
  const window = await lastSteps(60);
  await layMany(t.pool, job, { last: new Date(window.to.getTime() - 1), everyMs: 100, count: 60 * 600 });
  await layExecutions(t.pool, job, [{ at: window.from, state: "failed", latenessMs: 5_000 }]);
  const { steps, complete } = await t.store.stats.jobSteps(PROJECT, job.id, window);
  expect([complete, steps.length]).toEqual([false, 60]);
  expect(new Set(steps.map(({ succeeded }) => succeeded))).toEqual(new Set([600]));
  expect(steps.map(({ failed }) => failed)).toEqual([1, ...Array.from({ length: 59 }, () => 0)]);
  for (const { durationMs } of steps) expect(durationMs.p50).toBe(100);
});

test("a job's statistics are of its latest executions if there are too many, and say so", async () => {
  const job = await createJob(t.store);
  const window = await lastSteps(60);
  await layMany(t.pool, job, { last: new Date(window.to.getTime() - 1), everyMs: 100, count: LOOKED_AT_MAX + 1 });
  const { states, complete } = await t.store.stats.job(PROJECT, job.id, window);
  expect([states, complete]).toEqual([{ succeeded: LOOKED_AT_MAX }, false]);
});
