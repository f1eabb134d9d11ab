import { beforeEach, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../tests/support/database.ts";
import { makeProgram } from "../../tests/support/programs.ts";
import type { Json } from "../contract/json.ts";
import { RetryAfter } from "./index.ts";
import { type Execution, startStepped } from "./testing.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  onTestFinished(() => database.drop());
});

const instants = (executions: Execution[]) => executions.map(({ scheduledAt }) => scheduledAt);

test("a day passes in a moment, and each instant of it runs at its time", async () => {
  const p = makeProgram(database.url);
  const seen: Date[] = [];
  p.job("report", { schedule: { cron: "0 */6 * * *" } }, (run) => void seen.push(run.scheduledAt));
  const time = await startStepped(p, { from: "2026-06-01T00:00:00Z" });
  const ran = await time.advance("1d");
  expectTypeOf(ran).toEqualTypeOf<Execution[]>();
  expect(instants(ran)).toEqual([
    "2026-06-01T06:00:00.000Z",
    "2026-06-01T12:00:00.000Z",
    "2026-06-01T18:00:00.000Z",
    "2026-06-02T00:00:00.000Z",
  ]);
  expect(ran.map(({ state, startedAt, latenessMs }) => [state, startedAt, latenessMs])).toEqual(
    instants(ran).map((at) => ["succeeded", at, 0]),
  );
  expect(seen.map((at) => at.toISOString())).toEqual(instants(ran));
  expect(time.now).toEqual(new Date("2026-06-02T00:00:00Z"));
});

test("a database that has been later is refused, instead of a time in which nothing happens", async () => {
  const declared = () => {
    const p = makeProgram(database.url);
    p.job("report", { schedule: { cron: "0 */6 * * *" } }, () => {});
    return p;
  };
  const first = declared();
  await (await startStepped(first, { from: "2026-06-01T00:00:00Z" })).advance("1d");
  await first.stop();
  await expect(startStepped(declared(), { from: "2026-06-01T00:00:00Z" })).rejects.toThrow("a database of its own");
  const time = await startStepped(declared(), { from: "2026-06-02T00:00:00Z" });
  expect(instants(await time.advance("6h"))).toEqual(["2026-06-02T06:00:00.000Z"]);
});

test("a time that the clocks skip runs once, when they have moved on", async () => {
  const p = makeProgram(database.url);
  p.job("nightly", { schedule: { cron: "30 2 * * *", timezone: "Europe/Berlin" } }, () => {});
  const time = await startStepped(p, { from: "2026-03-28T00:00:00Z" });
  expect(instants(await time.advanceTo("2026-03-31T00:00:00Z"))).toEqual([
    "2026-03-28T01:30:00.000Z",
    // 02:30 does not exist on that day; at 03:00 summer time begins.
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
});

test("a failing job is tried again after its backoff, as long as that takes", async () => {
  const p = makeProgram(database.url);
  const tries: number[] = [];
  const retry = { maxAttempts: 4, initialDelay: "1m", multiplier: 10, maxDelay: "1d", jitter: false };
  p.job("flaky", { schedule: { at: "2026-06-01T12:00:00Z" }, retry }, (run) => {
    tries.push(run.attempt);
    if (run.attempt < 4) throw new Error("not yet");
    return "at last";
  });
  const time = await startStepped(p, { from: "2026-06-01T00:00:00Z" });
  expect(await time.advanceTo("2026-06-01T12:00:00Z")).toMatchObject([{ state: "retrying", attempt: 1 }]);
  const [done] = await time.advance("3h");
  expect(done).toMatchObject({ state: "succeeded", attempt: 4, result: "at last" });
  expect(done!.attempts!.map(({ startedAt }) => startedAt)).toEqual([
    "2026-06-01T12:00:00.000Z",
    "2026-06-01T12:01:00.000Z",
    "2026-06-01T12:11:00.000Z",
    "2026-06-01T13:51:00.000Z",
  ]);
  expect(tries).toEqual([1, 2, 3, 4]);
});

test("RetryAfter is obeyed to the millisecond", async () => {
  const p = makeProgram(database.url);
  p.job("busy", {}, (run) => {
    if (run.attempt === 1) throw new RetryAfter("90m");
  });
  const time = await startStepped(p, { from: "2026-06-01T00:00:00Z" });
  await p.trigger("busy");
  expect(await time.run()).toMatchObject([{ state: "retrying" }]);
  expect(await time.advanceTo("2026-06-01T01:29:59.999Z")).toEqual([]);
  expect(await time.advance("1ms")).toMatchObject([{ state: "succeeded", finishedAt: "2026-06-01T01:30:00.000Z" }]);
});

test("after a time of being down the misfire policy decides, and every instant is accounted for", async () => {
  const p = makeProgram(database.url);
  const hourly = { every: "1h", startsAt: "2026-06-01T00:00:00Z" };
  p.job("once", { schedule: hourly }, () => {});
  p.job("all", { schedule: hourly, misfire: { policy: "fire_all" } }, () => {});
  p.job("none", { schedule: hourly, misfire: { policy: "skip" } }, () => {});
  const time = await startStepped(p, { from: "2026-06-01T00:00:00Z" });
  const met = await time.jumpTo("2026-06-01T05:30:00Z");
  const of = (job: string, state: string) =>
    met.filter((one) => one.jobName === job && one.state === state).reduce((sum, { count }) => sum + count, 0);
  expect([of("once", "succeeded"), of("once", "skipped")]).toEqual([1, 4]);
  expect([of("all", "succeeded"), of("all", "skipped")]).toEqual([5, 0]);
  expect([of("none", "succeeded"), of("none", "skipped")]).toEqual([0, 5]);
});

test("pauses, delayed triggers and jobs made on the way keep the stepped time too", async () => {
  const p = makeProgram(database.url);
  const seen: Json[] = [];
  p.job("remind", {}, (run) => void seen.push(run.payload));
  const time = await startStepped(p, { from: "2030-01-01T00:00:00Z" });
  await p.trigger("remind", "in two days", { delay: "2d" });
  await p.schedule("tomorrow", { job: "remind", schedule: { delay: "1d" }, payload: "tomorrow" });
  await time.advance("23h");
  expect(seen).toEqual([]);
  await time.advance("1h");
  expect(seen).toEqual(["tomorrow"]);
  await time.advance("1d");
  expect(seen).toEqual(["tomorrow", "in two days"]);
});

test("a trigger in the caller's own transaction runs in the stepped time", async () => {
  const p = makeProgram(database.url);
  p.job("send", {}, () => {});
  const time = await startStepped(p, { from: "2026-06-01T00:00:00Z" });
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  await client.query("begin");
  await p.trigger("send", {}, { client, delay: "1h" });
  await client.query("commit");
  expect(await time.advance("59m")).toEqual([]);
  expect(await time.advance("1m")).toMatchObject([{ state: "succeeded", runAt: "2026-06-01T01:00:00.000Z" }]);
});

test("a job that the next release no longer has is paused after ten minutes, and goes on with the one after it", async () => {
  const nothing = () => {};
  const first = makeProgram(database.url, { release: "1" });
  first.job("kept", {}, nothing);
  first.job("gone", {}, nothing);
  await startStepped(first, { from: "2026-06-01T00:00:00Z" });
  await first.stop();
  const second = makeProgram(database.url, { release: "2" });
  second.job("kept", {}, nothing);
  const time = await startStepped(second, { from: "2026-06-01T00:00:00Z" });
  await time.advance("10m");
  expect((await second.list()).map(({ name, state }) => [name, state])).toEqual([
    ["gone", "active"],
    ["kept", "active"],
  ]);
  await time.advance("1m");
  expect(await second.list()).toMatchObject([
    { name: "gone", state: "paused", pause: { reason: "not_in_code" }, release: null },
    { name: "kept", state: "active", release: "2" },
  ]);
  await second.stop();
  const third = makeProgram(database.url, { release: "3" });
  third.job("kept", {}, nothing);
  third.job("gone", {}, nothing);
  await startStepped(third, { from: "2026-06-01T01:00:00Z" });
  expect(await third.list()).toMatchObject([{ name: "gone", state: "active", pause: null }, { name: "kept" }]);
});

test("nobody else in the database has the stepped time", async () => {
  const p = makeProgram(database.url);
  p.job("report", {}, () => {});
  await startStepped(p, { from: "2001-01-01T00:00:00Z" });
  const { rows } = await database.pool.query(
    "select extract(year from now())::int as year, clock_timestamp() > '2020-01-01' as real",
  );
  expect(rows).toEqual([{ year: new Date().getFullYear(), real: true }]);
});

test("time goes one way, from one moment to another", async () => {
  const p = makeProgram(database.url);
  p.job("report", {}, () => {});
  const time = await startStepped(p, { from: "2026-06-01T00:00:00Z" });
  await expect(time.advanceTo("2026-05-01T00:00:00Z")).rejects.toThrow("time goes one way");
  await expect(time.advanceTo("tomorrow")).rejects.toThrow('"tomorrow" is not a moment');
  await expect(startStepped(p, { from: "2026-06-01T00:00:00Z" })).rejects.toThrow("stop() it first");
});
