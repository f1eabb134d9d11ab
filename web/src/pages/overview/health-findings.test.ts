import type { DetailedHealth, HandlerView, Stats } from "punctual/client";
import { expect, test } from "vitest";
import { findingsOf, type Known, percentText, wellText } from "./health-findings.ts";

const WELL: DetailedHealth = {
  status: "ok",
  version: "1.0.0",
  node: { id: "n", name: "one" },
  database: { reachable: true, version: "18", latencyMs: 1, connections: { total: 5, idle: 5, waiting: 0 } },
  clock: { offsetMs: 3 },
  queue: { due: 0, lagMs: 0, depth: [] },
  echoUrl: null,
  nodes: { alive: 2, lost: 0 },
};
const NONE = { p50: null, p95: null, p99: null };
const STATS: Stats = {
  window: "15m",
  from: "2026-11-15T22:00:00Z",
  to: "2026-11-15T22:15:00Z",
  totals: { succeeded: 200, failed: 0, cancelled: 0, skipped: 0, unknown: 0, attempts: 200, late: 0 },
  lateAfterMs: 1_000,
  ratePerSecond: { "1m": 1, "5m": 1, "15m": 1 },
  errorRate: { "1m": 0, "5m": 0, "15m": 0 },
  durationMs: NONE,
  latenessMs: NONE,
  deadLetters: 0,
};
const HANDLER: HandlerView = {
  name: "resize",
  status: "served",
  workers: 1,
  slots: 4,
  jobs: 1,
  waiting: 0,
  oldestDueAt: null,
  lastSeenAt: null,
};
const known = (change: Partial<Known> = {}): Known => ({
  health: WELL,
  stats: STATS,
  handlers: [HANDLER],
  unread: [],
  ...change,
});
const texts = (change: Partial<Known>) => findingsOf(known(change)).map(({ tone, text }) => `${tone}: ${text}`);

test("where nothing is wrong the line says what makes it sure", () => {
  expect(findingsOf(known())).toEqual([]);
  expect(wellText(known())).toBe(
    "All is well: 2 nodes are alive, nothing is overdue, and all 200 executions of the last 15 minutes succeeded.",
  );
});

test("the unreachable database is all there is to say of the server's health", () => {
  const health = { ...WELL, database: { ...WELL.database, reachable: false }, clock: null, queue: null, nodes: null };
  expect(texts({ health })).toEqual([
    "bad: The database cannot be reached: nothing is planned or started until it answers.",
  ]);
});

test("the worst is told first", () => {
  const stats = { ...STATS, errorRate: { ...STATS.errorRate, "15m": 0.375 }, deadLetters: 3 };
  const handlers = [{ ...HANDLER, status: "unserved" as const }];
  expect(texts({ stats, handlers })).toEqual([
    "bad: 37.5% of the executions of the last 15 minutes failed.",
    "warn: No worker serves the handler resize, which 1 job will call.",
    "warn: 3 dead letters are open.",
  ]);
});

test("a handler for which executions wait is worse than one that is yet to be called", () => {
  expect(texts({ handlers: [{ ...HANDLER, status: "unknown", waiting: 12 }] })).toEqual([
    "bad: No worker ever served the handler resize: 12 executions are waiting.",
  ]);
});

test("executions that wait a minute are worse than those that wait ten seconds", () => {
  const waiting = (lagMs: number) => findingsOf(known({ health: { ...WELL, queue: { due: 4, lagMs, depth: [] } } }));
  expect(waiting(9_000)).toEqual([]);
  expect(waiting(12_000)[0]).toMatchObject({
    tone: "warn",
    text: "4 executions are due and not started; the oldest has waited 12 s.",
  });
  expect(waiting(90_000)[0]).toMatchObject({ tone: "bad" });
});

test("what could not be read is never taken for well, and is told once for each reason", () => {
  const why = "The server does not answer.";
  const unread = ["the health of the server", "the figures", "the handlers"].map((what) => ({ what, why }));
  expect(texts({ health: undefined, stats: undefined, handlers: undefined, unread })).toEqual([
    "bad: Not read: the health of the server, the figures and the handlers. The server does not answer.",
  ]);
  expect(texts({ unread: unread.slice(0, 1) })).toEqual([
    "bad: Not read: the health of the server. The server does not answer. What is said of it here is from before.",
  ]);
});

test("a share that is not all and not nothing is not written as if it were", () => {
  expect([0, 0.0004, 0.375, 0.9996, 1].map(percentText)).toEqual(["0%", "< 0.1%", "37.5%", "> 99.9%", "100%"]);
});
