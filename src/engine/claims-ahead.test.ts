import { expect, test } from "vitest";
import type { Claimed, ClaimResult } from "../store/port/queue.ts";
import { AHEAD_MS, ClaimsAhead, mostAhead } from "./claims-ahead.ts";

const NOON = Date.parse("2026-01-01T12:00:00Z");
const at = (ms: number) => new Date(NOON + ms);

/** A claim at noon that took one execution for each of the moments. */
function answer(moments: number[], said: Partial<ClaimResult> = {}): ClaimResult {
  return {
    claimed: moments.map((ms) => ({ runAt: at(ms) }) as Claimed),
    repeated: false,
    blocked: [],
    now: at(0),
    decidedAt: at(0),
    nextRunAt: null,
    oldestDue: null,
    moreIsDue: false,
    onward: null,
    ...said,
  };
}

/** When what is due `ms` after noon is claimed, in milliseconds after noon. */
const momentFor = (ahead: ClaimsAhead, ms: number) => ahead.momentFor(at(ms)).getTime() - NOON;

test("the first is claimed as long before its time as any may be", () => {
  expect(momentFor(new ClaimsAhead(), 10_000)).toBe(10_000 - AHEAD_MS);
});

test("what comes in a steady flow is claimed again when half of what was claimed is over", () => {
  const ahead = new ClaimsAhead();
  ahead.after(answer([1, 2, 3]), { wanted: 10, room: true });
  expect(momentFor(ahead, AHEAD_MS + 1)).toBe(AHEAD_MS / 2);
  expect(momentFor(ahead, AHEAD_MS * 3)).toBe(AHEAD_MS * 2);
});

test("what could not be had ahead is claimed at its time, and not asked for before", () => {
  const ahead = new ClaimsAhead();
  ahead.after(answer([1, 2]), { wanted: 10, room: true });
  expect(momentFor(ahead, 40)).toBe(40);
});

test("of more than one claim may take, the next follows at once, from where the last one left off", () => {
  const ahead = new ClaimsAhead();
  const place = { runAt: at(2), id: "01900000-0000-7000-8000-000000000001" };
  ahead.after(answer([1, 2], { onward: place }), { wanted: 2, room: true });
  expect(momentFor(ahead, 2)).toBe(0);
  expect(ahead.start(at(5))).toEqual({ order: "priority", from: place, aheadMs: AHEAD_MS });
  ahead.heard();
  expect(ahead.start(at(5))).toMatchObject({ from: { runAt: at(5) } });
});

test("of more than there is room for, the next comes when half of it has started", () => {
  const ahead = new ClaimsAhead();
  ahead.after(answer([50, 100]), { wanted: 2, room: false });
  expect(momentFor(ahead, 120)).toBe(50);
  expect(momentFor(ahead, 30)).toBe(30);
});

test("a large claim that took as much as it could is one of a crowd, until a moment after its time", () => {
  const ahead = new ClaimsAhead();
  const isDue = (ms: number) => ahead.crowdIsDue(at(ms).getTime());
  const claimed = (count: number, wanted: number) =>
    ahead.after(answer(Array.from({ length: count }, () => 100)), { wanted, room: true });
  expect([ahead.crowded, isDue(100)]).toEqual([false, false]);
  claimed(500, 500);
  expect([ahead.crowded, isDue(99), isDue(100), isDue(1_099), isDue(1_100)]).toEqual([true, false, true, true, false]);
  claimed(499, 500);
  expect([ahead.crowded, isDue(100)]).toEqual([false, false]);
  claimed(499, 499);
  expect([ahead.crowded, isDue(100)]).toEqual([false, false]);
});

test("a quarter of what can run is left to what is due at once, and of one all", () => {
  expect(mostAhead({ slots: 200, free: 200 })).toBe(150);
  expect(mostAhead({ slots: 200, free: 60 })).toBe(10);
  expect(mostAhead({ slots: 200, free: 20 })).toBe(0);
  expect(mostAhead({ slots: 1, free: 1 })).toBe(0);
  expect(mostAhead({ slots: 2, free: 2 })).toBe(1);
});
