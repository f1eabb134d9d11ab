import { expect, test } from "vitest";
import { layExecutions, layMany } from "../../../tests/support/ledger.ts";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";
import { WINDOW_ROWS_MAX } from "./job-window-counts.ts";

const t = useTestStore();
const OTHER_PROJECT = "00000000-0000-7000-8000-000000000099";
const HOUR_MS = 3_600_000;

/** The last hours, as if each were a day. */
async function lastHours(count: number) {
  const now = (await t.store.now()).getTime();
  const end = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, n) => ({
    from: new Date(end - (count - n) * HOUR_MS),
    to: new Date(end - (count - n - 1) * HOUR_MS),
  }));
}

test("every day says what became of its executions, and a stretch counts as many as it covers", async () => {
  const job = await createJob(t.store);
  const [first, second, third] = (await lastHours(3)) as [StatsDay, StatsDay, StatsDay];
  await layExecutions(t.pool, job, [
    { at: first.from, state: "succeeded" },
    { at: new Date(first.to.getTime() - 1), state: "failed" },
    { at: first.to, state: "succeeded" },
    { at: first.to, state: "unknown" },
    { at: first.to, state: "skipped", until: new Date(first.to.getTime() + 60_000), count: 7 },
    { at: second.from, state: "cancelled" },
    { at: third.to, state: "succeeded" },
  ]);
  const none = { succeeded: 0, failed: 0, cancelled: 0, skipped: 0, unknown: 0, complete: true };
  expect(await t.store.stats.jobWindowCounts(PROJECT, job.id, [first, second, third])).toEqual([
    { ...none, succeeded: 1, failed: 1 },
    { ...none, succeeded: 1, cancelled: 1, skipped: 7, unknown: 1 },
    none,
  ]);
});

interface StatsDay {
  from: Date;
  to: Date;
}

test("a day with more executions than are counted says so, and still has what ended otherwise", async () => {
  const job = await createJob(t.store);
  const [before, busy] = (await lastHours(2)) as [StatsDay, StatsDay];
  await layMany(t.pool, job, { last: new Date(busy.to.getTime() - 1), everyMs: 500, count: WINDOW_ROWS_MAX });
  await layExecutions(t.pool, job, [
    { at: new Date(busy.from.getTime() + 1), state: "failed" },
    { at: before.from, state: "succeeded" },
  ]);
  const [quiet, counted] = await t.store.stats.jobWindowCounts(PROJECT, job.id, [before, busy]);
  expect(quiet).toMatchObject({ succeeded: 1, failed: 0, complete: true });
  expect(counted).toMatchObject({ succeeded: WINDOW_ROWS_MAX - 1, failed: 1, complete: false });
});

test("another project's job has no days here", async () => {
  const job = await createJob(t.store);
  const [day] = (await lastHours(1)) as [StatsDay];
  await layExecutions(t.pool, job, [{ at: day.from, state: "failed" }]);
  expect(await t.store.stats.jobWindowCounts(OTHER_PROJECT, job.id, [day])).toMatchObject([
    { failed: 0, complete: true },
  ]);
});
