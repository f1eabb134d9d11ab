import { expect, onTestFinished, test, vi } from "vitest";
import { claim, createJob, createTestStore, PROJECT, triggerJob, useTestStore } from "../../tests/support/store.ts";
import { startTcpProxy, type TcpProxy } from "../../tests/support/tcp-proxy.ts";
import { LOG_LINES_MAX } from "../contract/log-limits.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import { createLog } from "../telemetry/log.ts";
import { LogWriter } from "./log-writer.ts";

const t = useTestStore();
const log = createLog({ level: "silent" });
const clock = { now: () => Date.parse("2026-12-01T01:00:00Z") };

async function running(): Promise<Claimed> {
  const id = await triggerJob(t.store, await createJob(t.store));
  return (await claim(t.store, t.nodeId)).claimed.find((one) => one.id === id)!;
}

async function lines(one: Claimed) {
  return (await t.store.logs.read(PROJECT, one.id, { after: null, level: "debug", limit: LOG_LINES_MAX + 10 }))!.lines;
}

/** The same database over a wire that can be cut. */
async function overWire(): Promise<{ store: Store; proxy: TcpProxy }> {
  const proxy = await startTcpProxy(t.url);
  const url = proxy.url();
  const wired = await createTestStore({ database: { url, pool: t.pool, drop: async () => {} } });
  onTestFinished(async () => await wired.close());
  return { store: wired.store, proxy };
}

test("what several attempts say is written together, in order, with the database's time", async () => {
  const append = vi.spyOn(t.store.logs, "append");
  onTestFinished(() => append.mockRestore());
  const writer = new LogWriter({ store: t.store, clock, log });
  const [one, other] = [await running(), await running()];
  const [first, second] = [writer.reporter(one), writer.reporter(other)];
  for (let i = 1; i <= 3; i += 1) {
    first.log("info", `first ${i}`);
    second.log("warn", `second ${i}`, { i });
  }
  await vi.waitUntil(async () => (await lines(one)).length === 3, { timeout: 20_000 });
  expect(append).toHaveBeenCalledTimes(1);
  expect((await lines(other)).map(({ seq, message, level, fields }) => [seq, message, level, fields])).toEqual([
    [1, "second 1", "warn", { i: 1 }],
    [2, "second 2", "warn", { i: 2 }],
    [3, "second 3", "warn", { i: 3 }],
  ]);
  expect((await lines(one))[0]!.at).toBe("2026-12-01T01:00:00.000Z");
});

test("an attempt that is closed has its whole log written, its fields as they were when they were said", async () => {
  const one = await running();
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(one);
  const fields = { step: 1 };
  reporter.log("info", "before", fields);
  fields.step = 2;
  await reporter.close();
  expect(await lines(one)).toMatchObject([{ message: "before", fields: { step: 1 } }]);
});

test("whoever waits for room loses nothing up to the limit of the log, which says where it ends", async () => {
  const one = await running();
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(one);
  for (let i = 1; i <= LOG_LINES_MAX + 5_000; i += 1) {
    reporter.log("info", `line ${i}`);
    await reporter.ready();
  }
  await reporter.close();
  const kept = await lines(one);
  expect(kept).toHaveLength(LOG_LINES_MAX);
  expect(kept.at(-2)!.message).toBe(`line ${LOG_LINES_MAX - 1}`);
  expect(kept.at(-1)!.message).toMatch(/^the log ends here/);
});

test("lines of somebody who does not wait are dropped beyond the room there is, and a line says how many", async () => {
  const one = await running();
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(one);
  for (let i = 1; i <= 1_500; i += 1) reporter.log("info", `line ${i}`);
  await vi.waitUntil(async () => (await lines(one)).length > 0, { timeout: 20_000 });
  reporter.log("info", "the end");
  await reporter.close();
  const said = (await lines(one)).map(({ message }) => message);
  expect(said).toHaveLength(1_002);
  expect(said.slice(999)).toEqual([
    "line 1000",
    "500 lines are missing here: they came faster than they could be written",
    "the end",
  ]);
});

test("of how far an attempt is the last word is written, before its end is known", async () => {
  const save = vi.spyOn(t.store.queue, "saveProgress");
  onTestFinished(() => save.mockRestore());
  const one = await running();
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(one);
  for (let i = 1; i <= 100; i += 1) reporter.progress({ done: i / 100, note: "half\u0000way" });
  await reporter.close();
  expect(save.mock.calls).toEqual([[[{ id: one.id, claim: one.claim, progress: { done: 1, note: "half\ufffdway" } }]]]);
  const { rows } = await t.pool.query("select progress from punctual.queue where id = $1", [one.id]);
  expect(rows).toEqual([{ progress: { done: 1, note: "half\ufffdway" } }]);
});

test("progress that is no small JSON value is not kept, and the log says so", async () => {
  const one = await running();
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(one);
  reporter.progress("x".repeat(100_000));
  reporter.progress(10n as never);
  await reporter.close();
  expect((await lines(one)).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^the progress was not kept: .*100002 characters/),
    expect.stringMatching(/^the progress was not kept: .*BigInt/),
  ]);
});

test("a write whose answer was lost is done again, and each line is kept once", async () => {
  const { store, proxy } = await overWire();
  const one = await running();
  let lost = 0;
  proxy.interfere = (statement) => {
    if (!statement.startsWith("append_log_lines") || lost >= 2) return "pass";
    lost += 1;
    return "lose_answer";
  };
  const reporter = new LogWriter({ store, clock, log }, { patienceMs: 20_000 }).reporter(one);
  for (let i = 1; i <= 10; i += 1) reporter.log("info", `line ${i}`);
  await reporter.close();
  expect(lost).toBe(2);
  expect((await lines(one)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("a database that is away delays an attempt's end only so long, and nobody waits a second time", async () => {
  const { store, proxy } = await overWire();
  const [one, other] = [await running(), await running()];
  let isAway = true;
  proxy.interfere = (statement) => (isAway && statement.startsWith("append_log_lines") ? "lose_request" : "pass");
  const writer = new LogWriter({ store, clock, log }, { patienceMs: 300 });
  const reporter = writer.reporter(one);
  for (let i = 1; i <= 1_200; i += 1) reporter.log("info", `line ${i}`);
  await reporter.ready();
  const patient = performance.now();
  for (let i = 1; i <= 100; i += 1) await reporter.ready();
  await reporter.close();
  expect(performance.now() - patient).toBeLessThan(20 * 300);
  expect(await lines(one)).toEqual([]);
  isAway = false;
  const next = writer.reporter(other);
  next.log("info", "it is back");
  await vi.waitUntil(async () => (await lines(other)).length === 1, { timeout: 20_000 });
  await next.close();
});

test("what the store refuses of one attempt costs the others nothing", async () => {
  const [one, other] = [await running(), await running()];
  const refusing: Store = {
    ...t.store,
    logs: {
      ...t.store.logs,
      append: async (batches) => {
        if (batches.some(({ id }) => id === one.id)) throw Object.assign(new Error("refused"), { code: "22P05" });
        return await t.store.logs.append(batches);
      },
    },
  };
  const writer = new LogWriter({ store: refusing, clock, log });
  const [bad, good] = [writer.reporter(one), writer.reporter(other)];
  bad.log("info", "odd");
  good.log("info", "fine");
  await Promise.all([bad.close(), good.close()]);
  expect(await lines(one)).toEqual([]);
  expect(await lines(other)).toMatchObject([{ message: "fine" }]);
});

test("what is said after an attempt's end is nobody's", async () => {
  const one = await running();
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(one);
  reporter.log("info", "in time");
  const closed = reporter.close();
  reporter.log("info", "too late");
  reporter.progress(1);
  await closed;
  expect(await lines(one)).toMatchObject([{ message: "in time" }]);
});

test("an attempt that says nothing is closed at once", async () => {
  const reporter = new LogWriter({ store: t.store, clock, log }).reporter(await running());
  expect(reporter.close()).toBeUndefined();
});
