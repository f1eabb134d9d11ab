import { expect, test } from "vitest";
import { layExecutions, layMany } from "../../../tests/support/ledger.ts";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";

const t = useTestStore();
const MINUTE_MS = 60_000;

test("the job that failed most comes first, each with its latest failure; what is older or went well does not count", async () => {
  const now = await t.store.now();
  const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
  const [bad, worse, fine] = [await createJob(t.store), await createJob(t.store), await createJob(t.store)];
  const error = { code: "http_status", message: "answered 500" };
  await layExecutions(t.pool, fine!, [{ at: ago(5), state: "succeeded" }]);
  const [, latest] = await layExecutions(t.pool, bad!, [
    { at: ago(70), state: "failed" },
    { at: ago(3), state: "failed", error, durationMs: 2_000 },
  ]);
  const [, , doubtful] = await layExecutions(t.pool, worse!, [
    { at: ago(9), state: "failed", error },
    { at: ago(8), state: "failed", error },
    { at: ago(7), state: "unknown" },
    { at: ago(6), state: "cancelled" },
  ]);
  const found = await t.store.stats.failing(PROJECT, { from: ago(60), to: now }, 10);
  expect(found).toEqual({
    complete: true,
    items: [
      {
        jobId: worse!.id,
        jobName: worse!.spec.name,
        failed: 3,
        executionId: doubtful,
        error: null,
        at: expect.any(String),
      },
      {
        jobId: bad!.id,
        jobName: bad!.spec.name,
        failed: 1,
        executionId: latest,
        error,
        at: new Date(ago(3).getTime() + 2_000).toISOString(),
      },
    ],
  });
  expect((await t.store.stats.failing(PROJECT, { from: ago(60), to: now }, 1)).items).toHaveLength(1);
});

test("where nothing failed there is nothing to tell", async () => {
  const window = { from: new Date(0), to: new Date(1) };
  expect(await t.store.stats.failing(PROJECT, window, 10)).toEqual({ items: [], complete: true });
});

test("of too many failures the latest are looked at, and the answer says so", async () => {
  const now = await t.store.now();
  const [often, before] = [await createJob(t.store), await createJob(t.store)];
  await layExecutions(t.pool, before!, [{ at: new Date(now.getTime() - 30 * MINUTE_MS), state: "failed" }]);
  await layMany(t.pool, often!, { last: now, everyMs: 10, count: 10_000, state: "failed" });
  const window = { from: new Date(now.getTime() - 60 * MINUTE_MS), to: new Date(now.getTime() + 1) };
  const { items, complete } = await t.store.stats.failing(PROJECT, window, 10);
  expect([complete, items[0]!.jobId, items[0]!.failed]).toEqual([false, often!.id, 10_000]);
  expect(items.map(({ jobId }) => jobId)).not.toContain(before!.id);
});
