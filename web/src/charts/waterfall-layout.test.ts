import type { Attempt } from "punctual/client";
import { expect, test } from "vitest";
import { waterfallOf } from "./waterfall-layout.ts";

const DUE = Date.parse("2026-11-15T22:00:00.000Z");
const at = (ms: number) => new Date(DUE + ms).toISOString();

function attempt(number: number, startMs: number, endMs: number | null, more: Partial<Attempt> = {}): Attempt {
  return {
    number,
    outcome: endMs === null ? null : "failed",
    jobVersion: 1,
    startedAt: at(startMs),
    finishedAt: endMs === null ? null : at(endMs),
    error: null,
    node: "n",
    worker: null,
    request: null,
    response: null,
    timings: null,
    ...more,
  };
}

function execution(attempts: Attempt[], more: object = {}) {
  return {
    state: "failed" as const,
    trigger: "schedule" as const,
    scheduledAt: at(0),
    createdAt: at(-5_000),
    runAt: at(0),
    attempts,
    ...more,
  };
}

test("pieces follow one another without a gap and fill the width", () => {
  const { rows, squeezed } = waterfallOf(execution([attempt(1, 100, 1_100), attempt(2, 1_300, 2_000)]), DUE);
  const pieces = rows.flatMap((row) => row.pieces);
  expect(pieces.map(({ kind, ms }) => [kind, ms])).toEqual([
    ["wait", 100],
    ["run", 1_000],
    ["backoff", 200],
    ["run", 700],
  ]);
  let x = 0;
  for (const piece of pieces) {
    expect(piece.x).toBeCloseTo(x);
    x += piece.width;
  }
  expect(x).toBeCloseTo(1);
  expect(squeezed).toBe(false);
});

test("short attempts with long waits between them stay visible, and it is said that the waits are squeezed", () => {
  const { rows, squeezed } = waterfallOf(execution([attempt(1, 0, 5), attempt(2, 60_005, 60_010)]), DUE);
  expect(squeezed).toBe(true);
  const [first, second] = rows;
  expect(first!.pieces[0]!.width).toBeCloseTo(0.3);
  expect(second!.pieces.map(({ kind, width }) => [kind, Math.round(width * 100)])).toEqual([
    ["backoff", 40],
    ["run", 30],
  ]);
});

test("an attempt that runs grows with the clock", () => {
  const running = execution([attempt(1, 0, null)], { state: "running" });
  expect(waterfallOf(running, DUE + 3_000).rows[0]!.pieces).toMatchObject([{ kind: "run", ms: 3_000 }]);
  expect(waterfallOf(running, DUE + 9_000).rows[0]!.pieces).toMatchObject([{ kind: "run", ms: 9_000 }]);
});

test("the wait for the next attempt is a row of its own", () => {
  const retrying = execution([attempt(1, 0, 1_000)], { state: "retrying", runAt: at(3_000) });
  const { rows } = waterfallOf(retrying, DUE + 1_500);
  expect(rows.at(-1)).toMatchObject({ attempt: null, pieces: [{ kind: "backoff", ms: 2_000 }] });
});

test("a call is cut into its phases; the wait for a callback is told apart", () => {
  const timings = { dnsMs: 5, connectMs: 10, tlsMs: 20, firstByteMs: 100, totalMs: 150 };
  const response = { status: 202, headers: {}, body: "", truncated: false };
  const call = execution([attempt(1, 0, 1_150, { timings, response })]);
  expect(waterfallOf(call, DUE).rows[0]!.pieces.map(({ kind, ms }) => [kind, ms])).toEqual([
    ["dns", 5],
    ["connect", 10],
    ["tls", 20],
    ["firstByte", 100],
    ["body", 15],
    ["callback", 1_000],
  ]);
});

test("without an answer the time was spent waiting for its first byte", () => {
  const timings = { dnsMs: 0, connectMs: 10, tlsMs: 0, firstByteMs: 0, totalMs: 1_000 };
  const call = execution([attempt(1, 0, 1_000, { timings })]);
  expect(waterfallOf(call, DUE).rows[0]!.pieces.map(({ kind, ms }) => [kind, ms])).toEqual([
    ["connect", 10],
    ["firstByte", 990],
  ]);
});

test("a retry is due when it was asked for, not at the instant that it repeats", () => {
  const again = execution([attempt(1, 60_050, 60_100)], { trigger: "retry", createdAt: at(60_000) });
  expect(waterfallOf(again, DUE).rows[0]!.pieces[0]).toMatchObject({ kind: "wait", ms: 50 });
});

test("a call that found no host is not shown as one that waited for an answer", () => {
  const timings = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs: 6 };
  const error = { code: "network", message: "nowhere.invalid:80: the name could not be found (ENOTFOUND)" };
  const { rows } = waterfallOf(execution([attempt(1, 0, 14, { error, timings })]), DUE);
  expect(rows.flatMap((row) => row.pieces).map(({ kind, ms }) => [kind, ms])).toEqual([["other", 14]]);
});
