import type { DetailedHealth, HandlerView, WorkerView } from "punctual/client";
import { expect, test } from "vitest";
import { troublesOf } from "./troubles.ts";

const HANDLER: HandlerView = {
  name: "send-report",
  status: "served",
  workers: 1,
  slots: 10,
  jobs: 1,
  waiting: 0,
  oldestDueAt: null,
  lastSeenAt: null,
};
const HEALTH: DetailedHealth = {
  status: "ok",
  version: "0.1.0",
  node: { id: "n", name: "n" },
  database: { reachable: true, version: "18", latencyMs: 1, connections: { total: 5, idle: 5, waiting: 0 } },
  clock: { offsetMs: 2 },
  queue: { due: 0, lagMs: 0, depth: [] },
  echoUrl: null,
  nodes: { alive: 1, lost: 0 },
};

function texts(seen: Parameters<typeof troublesOf>[0]): string[] {
  return troublesOf(seen).map(({ text }) => text);
}

test("where all is well, or nothing is known yet, nothing is told", () => {
  expect(troublesOf({ handlers: [HANDLER], workers: [], health: HEALTH })).toEqual([]);
  expect(troublesOf({})).toEqual([]);
});

test("a handler that is wanted and not offered is told with what waits for it", () => {
  expect(texts({ handlers: [{ ...HANDLER, status: "unserved", jobs: 2, waiting: 1_200 }] })).toEqual([
    "2 jobs want the handler send-report, and no living worker offers it: 1,200 executions wait for it.",
  ]);
  expect(texts({ handlers: [{ ...HANDLER, status: "unknown" }] })).toEqual([
    "1 job wants the handler send-report, and no worker has ever offered it.",
  ]);
});

test("a handler that nobody wants is no trouble", () => {
  expect(troublesOf({ handlers: [{ ...HANDLER, status: "unused" }] })).toEqual([]);
});

test("a worker that was lost is told only if it held something", () => {
  const worker = { name: "host-7", alive: false, running: 0 } as WorkerView;
  expect(troublesOf({ workers: [worker] })).toEqual([]);
  expect(texts({ workers: [{ ...worker, running: 1 }] })).toEqual([
    "The worker host-7 has not been heard of while it held 1 execution; others take over.",
  ]);
});

test("the worst is told first", () => {
  const health = { ...HEALTH, nodes: { alive: 1, lost: 1 }, queue: { due: 3, lagMs: 65_000, depth: [] } };
  expect(troublesOf({ health }).map(({ tone }) => tone)).toEqual(["bad", "warn"]);
  expect(texts({ health })[0]).toBe("3 executions are due and not started, the oldest for 1 min 5 s.");
});

test("what waits a little is not as bad as what waits long", () => {
  const waiting = (lagMs: number) => ({ ...HEALTH, queue: { due: 3, lagMs, depth: [] } });
  const tones = [9_000, 10_000, 60_000].map((lagMs) => troublesOf({ health: waiting(lagMs) }).map(({ tone }) => tone));
  expect(tones).toEqual([[], ["warn"], ["bad"]]);
});

test("a clock is said to be behind or ahead as it is", () => {
  expect(texts({ health: { ...HEALTH, clock: { offsetMs: 2_500 } } })).toEqual([
    "The clock of this node is 2.5 s behind the database’s.",
  ]);
  expect(texts({ health: { ...HEALTH, clock: { offsetMs: -2_500 } } })).toEqual([
    "The clock of this node is 2.5 s ahead of the database’s.",
  ]);
});
