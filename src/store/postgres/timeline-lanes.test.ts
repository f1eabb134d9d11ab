import { expect, test } from "vitest";
import { layExecutions, layMany } from "../../../tests/support/ledger.ts";
import { claim, createJob, PROJECT, triggerJob, useTestStore } from "../../../tests/support/store.ts";
import type { JobRecord } from "../port/jobs.ts";

const t = useTestStore();
const OTHER_PROJECT = "00000000-0000-7000-8000-000000000099";
const HOUR_MS = 3_600_000;
const STEP_MS = 300_000;

/** The database's time, and moments around it that lie at the beginning of a step. */
async function around() {
  const now = await t.store.now();
  const step = Math.floor(now.getTime() / STEP_MS) * STEP_MS;
  return { now, at: (steps: number, ms = 0) => new Date(step + steps * STEP_MS + ms) };
}

async function laneOf(job: JobRecord, { from, to }: { from?: Date; to?: Date } = {}, projectId = PROJECT) {
  const now = await t.store.now();
  const lanes = await t.store.timeline.lanes(projectId, [job.id], {
    from: from ?? new Date(now.getTime() - 18 * HOUR_MS),
    to: to ?? new Date(now.getTime() + 6 * HOUR_MS),
    now,
    stepMs: STEP_MS,
  });
  return lanes.get(job.id)!;
}

test("what ran is there from its start to its end, and what began in one step and ended alike is one", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  const ids = await layExecutions(t.pool, job, [
    { at: at(-10), state: "succeeded", latenessMs: 5, durationMs: 1_000 },
    { at: at(-10, 60_000), state: "succeeded", durationMs: 2_000 },
    { at: at(-10, 120_000), state: "failed", reason: "attempts_exhausted" },
    { at: at(-8), state: "succeeded", durationMs: HOUR_MS },
  ]);
  const { spans, complete } = await laneOf(job);
  expect(complete).toBe(true);
  expect(spans).toEqual([
    {
      from: at(-10, 5).toISOString(),
      to: at(-10, 62_000).toISOString(),
      state: "succeeded",
      count: 2,
      executionId: ids[1],
      reason: null,
    },
    {
      from: at(-10, 120_000).toISOString(),
      to: at(-10, 120_100).toISOString(),
      state: "failed",
      count: 1,
      executionId: ids[2],
      reason: "attempts_exhausted",
    },
    {
      from: at(-8).toISOString(),
      to: at(-8, HOUR_MS).toISOString(),
      state: "succeeded",
      count: 1,
      executionId: ids[3],
      reason: null,
    },
  ]);
});

test("what was skipped stands at its instants, and why keeps it apart", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  await layExecutions(t.pool, job, [
    { at: at(-9), state: "skipped", reason: "misfire", until: at(-7), count: 30 },
    { at: at(-9, 1_000), state: "skipped", reason: "overlap" },
    { at: at(-9, 2_000), state: "skipped", reason: "overlap" },
  ]);
  const { spans } = await laneOf(job);
  expect(spans.map(({ from, to, state, count, reason }) => [from, to, state, count, reason])).toEqual([
    [at(-9).toISOString(), at(-7).toISOString(), "skipped", 30, "misfire"],
    [at(-9, 1_000).toISOString(), at(-9, 2_000).toISOString(), "skipped", 2, "overlap"],
  ]);
});

test("what runs has no end, what waits to be started is due, and what is to come is planned", async () => {
  const job = await createJob(t.store, { retry: { maxAttempts: 1 } });
  const running = await triggerJob(t.store, job);
  await claim(t.store, t.nodeId);
  const waiting = await triggerJob(t.store, job);
  const later = new Date((await t.store.now()).getTime() + HOUR_MS);
  await triggerJob(t.store, job, { runAt: later });
  await triggerJob(t.store, job, { runAt: new Date(later.getTime() + 12 * HOUR_MS) });
  const { spans, queued } = await laneOf(job);
  expect(spans.map(({ executionId, state, to }) => [executionId, state, to]).toSorted()).toEqual(
    [
      [running, "running", null],
      [waiting, "scheduled", null],
    ].toSorted(),
  );
  expect(queued).toEqual([{ from: later.toISOString(), to: later.toISOString(), count: 1 }]);
});

test("what began before the window is there if it reached into it", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  const window = { from: at(-10), to: at(-5) };
  const [long, , stretch] = await layExecutions(t.pool, job, [
    { at: at(-20), state: "succeeded", durationMs: 12 * STEP_MS },
    { at: at(-20), state: "succeeded", durationMs: STEP_MS },
    { at: at(-15), state: "skipped", until: at(-9), count: 7 },
    { at: at(-15), state: "skipped", until: at(-11), count: 5, reason: "paused" },
    { at: at(-4), state: "failed" },
    { at: at(-6), state: "succeeded", latenessMs: 2 * STEP_MS },
  ]);
  const { spans } = await laneOf(job, window);
  expect(spans.map(({ executionId }) => executionId)).toEqual([long, stretch]);
});

test("a stretch that began long before the window is there once, however much ran since", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  await layExecutions(t.pool, job, [{ at: at(-30), state: "skipped", until: at(-3), count: 28 }]);
  await layMany(t.pool, job, { last: at(-11), everyMs: 60_000, count: 50 });
  const { spans } = await laneOf(job, { from: at(-10), to: at(0) });
  expect(spans.map(({ state, count }) => [state, count])).toEqual([["skipped", 28]]);
  await layExecutions(t.pool, job, [{ at: at(-11, 60_000), state: "skipped", until: at(-4), count: 7 }]);
  const again = await laneOf(job, { from: at(-10), to: at(0) });
  expect(again.spans.map(({ count }) => count)).toEqual([28, 7]);
});

test("of too many the latest are counted, of the others one a step and those that failed, and the lane says that it is not complete", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  await layMany(t.pool, job, { last: at(-1), everyMs: 1_000, count: 6_000 });
  const [failed] = await layExecutions(t.pool, job, [{ at: at(-60), state: "failed" }]);
  const { spans, complete } = await laneOf(job);
  expect(complete).toBe(false);
  expect(spans[0]).toMatchObject({ executionId: failed, state: "failed" });
  const ran = spans.filter(({ state }) => state === "succeeded");
  expect(new Set(ran.map(({ from }) => Math.floor(Date.parse(from) / STEP_MS))).size).toBe(ran.length);
  // The last 6,000 seconds are 20 steps and one instant; 5,000 of them are counted.
  expect(ran).toHaveLength(21);
  expect(ran.slice(0, 4).map(({ count }) => count)).toEqual([1, 1, 1, expect.any(Number)]);
  expect(ran.reduce((sum, { count }) => sum + count, 0)).toBe(5_000 + 3);
  const { complete: within } = await laneOf(job, { from: at(-5) });
  expect(within).toBe(true);
});

test("a job that has failed every second for hours shows it over all of them", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  await layMany(t.pool, job, { last: at(-1), everyMs: 1_000, count: 6_000, state: "failed" });
  const { spans, complete } = await laneOf(job);
  expect([complete, spans.length, new Set(spans.map(({ state }) => state))]).toEqual([false, 21, new Set(["failed"])]);
});

test("jobs of another project have empty lanes", async () => {
  const job = await createJob(t.store);
  const { at } = await around();
  await layExecutions(t.pool, job, [{ at: at(-2), state: "failed" }]);
  await triggerJob(t.store, job, { runAt: at(3) });
  expect(await laneOf(job, {}, OTHER_PROJECT)).toMatchObject({ spans: [], queued: [], runs: 0 });
});

test("an empty lane says how far its schedule is planned", async () => {
  const job = await createJob(t.store, { schedule: { every: "1h" } });
  const lane = await laneOf(job);
  expect(lane).toMatchObject({ spans: [], queued: [], runs: 0, complete: true });
  expect(lane.plannedUntil.getTime()).toBeLessThanOrEqual(job.nextFireAt!.getTime());
  expect(
    await t.store.timeline.lanes(PROJECT, [], {
      ...(await around()),
      from: new Date(0),
      to: new Date(1),
      stepMs: 1_000,
    }),
  ).toEqual(new Map());
});
