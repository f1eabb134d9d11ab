import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestStore, PROJECT, type TestStore } from "../../../tests/support/store.ts";

let t: TestStore;
beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());
beforeEach(async () => void (await t.pool.query("delete from punctual.minute_count")));

/** Two shards of every minute from one moment to another, counted from now: one success each. */
async function count(from: string, to: string): Promise<void> {
  await t.pool.query(
    `insert into punctual.minute_count (minute, project_id, measure, bucket, shard, n)
     select m, $1, 'succeeded', 0, s, 1 from generate_series(date_trunc('minute', now() + $2::interval), date_trunc('minute', now() + $3::interval), '1 minute') m
       cross join generate_series(1, 2) s`,
    [PROJECT, from, to],
  );
}

const fold = async (limit = 10_000) =>
  (await t.store.retention.sweep({ retentionMs: 90 * 86_400_000, limit })).foldedCounts!;

async function rows(): Promise<{ rows: number; sum: number }> {
  const [row] = (
    await t.pool.query("select count(*)::integer as rows, sum(n)::integer as sum from punctual.minute_count")
  ).rows;
  return row;
}

test("the shards of a minute become one row once nobody counts into it any more", async () => {
  await count("-30 minutes", "-1 minute");
  expect(await rows()).toEqual({ rows: 60, sum: 60 });
  await fold();
  const { rows: left, sum } = await rows();
  expect(sum).toBe(60);
  expect(left).toBeGreaterThanOrEqual(30 + 4);
  expect(left).toBeLessThanOrEqual(30 + 6);
  expect(await fold()).toBe(0);
});

test("the minutes of an hour become one row after two days, and all sums stay as they were", async () => {
  await count("-60 hours", "-40 hours");
  const window = { from: new Date(Date.now() - 90 * 3_600_000), to: new Date() };
  const before = await t.store.stats.totals(PROJECT, window);
  while ((await fold()) > 0);
  expect(await t.store.stats.totals(PROJECT, window)).toEqual(before);
  const [hours] = (
    await t.pool.query(
      `select count(*)::integer as n from punctual.minute_count
       where minute < date_trunc('hour', now() - interval '50 hours') and extract(minute from minute) <> 0`,
    )
  ).rows;
  expect(hours.n).toBe(0);
  const recent = await t.store.stats.minutes(PROJECT, { from: new Date(Date.now() - 48 * 3_600_000), to: new Date() });
  expect(recent.length).toBeGreaterThan(7 * 60);
});

test("it may stop anywhere, and several may do it at once", async () => {
  await count("-60 hours", "-55 hours");
  await count("-2 hours", "-10 minutes");
  const { sum } = await rows();
  const other = t.another();
  const foldAll = async (store: typeof t.store) => {
    while ((await store.retention.sweep({ retentionMs: 90 * 86_400_000, limit: 37 })).foldedCounts! > 0);
  };
  await Promise.all([foldAll(t.store), foldAll(other.store)]);
  await foldAll(t.store);
  expect((await rows()).sum).toBe(sum);
  expect(await fold()).toBe(0);
});
