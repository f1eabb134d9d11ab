import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CompiledJob } from "../core/compiled-job.ts";
import { START_WITHIN_MS } from "../core/start-within.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { ClaimedWork } from "./claimed-work.ts";
import { Slots } from "./slots.ts";
import { WaitingRoom } from "./waiting-room.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const now = () => performance.now();
let made = 0;

function work({ lane = "a", priority = 50 } = {}): ClaimedWork {
  made += 1;
  const claimed = { id: String(made), lane, priority, startedAt: new Date(now()) } as Claimed;
  return { claimed, job: {} as CompiledJob, payload: null };
}

/** A room beside slots of which one lane gets `perLane`, all taken. */
function roomBeside(perLane: number) {
  const slots = new Slots(perLane * 2);
  const begun: ClaimedWork[] = [];
  const givenBack: ClaimedWork[] = [];
  const room = new WaitingRoom({
    slots,
    now,
    begin: (one) => void begun.push(one),
    giveBack: (over) => void givenBack.push(...over),
  });
  for (let taken = 0; taken < perLane; taken += 1) slots.take("a");
  return {
    room,
    begun,
    givenBack,
    add: (...waiting: ClaimedWork[]) => {
      for (const { claimed } of waiting) slots.wait(claimed.lane);
      room.add(waiting);
    },
    end: (lane = "a") => {
      slots.give(lane);
      room.beginNext();
    },
  };
}

test("the next begins when a slot of its lane is free: by priority, then in the order of the claims", () => {
  const { begun, add, end } = roomBeside(2);
  const [first, second, urgent] = [work(), work(), work({ priority: 90 })];
  add(first, second);
  add(urgent);
  expect(begun).toEqual([]);
  end();
  expect(begun).toEqual([urgent]);
  end();
  end();
  expect(begun).toEqual([urgent, first, second]);
});

test("what waits in another lane begins with the slot of whichever ends", () => {
  const { begun, add, end } = roomBeside(1);
  const [other, last] = [work({ lane: "b" }), work({ lane: "c" })];
  add(other);
  add(last);
  expect(begun).toEqual([other]);
  end();
  expect(begun).toEqual([other, last]);
});

test("what has waited for too long is given back and begins no more", () => {
  const { begun, givenBack, add, end } = roomBeside(1);
  const early = work();
  add(early);
  vi.advanceTimersByTime(START_WITHIN_MS - 60);
  const late = work();
  add(late);
  expect(givenBack).toEqual([]);
  vi.advanceTimersByTime(60);
  expect(givenBack).toEqual([early]);
  end();
  expect([begun, givenBack]).toEqual([[late], [early]]);
});

test("what is too old does not begin, even if nobody has looked", () => {
  const { begun, givenBack, add, end } = roomBeside(1);
  add({ ...work(), claimed: { ...work().claimed, startedAt: new Date(now() - START_WITHIN_MS) } });
  end();
  expect(begun).toEqual([]);
  vi.advanceTimersByTime(60);
  expect(givenBack).toHaveLength(1);
});

test("what is given back is kept no longer, however time passes while it is looked for", () => {
  const slots = new Slots(2);
  const [begun, givenBack]: [ClaimedWork[], ClaimedWork[]] = [[], []];
  // By every look at the clock a millisecond goes by.
  let looks = 0;
  const room = new WaitingRoom({
    slots,
    now: () => {
      looks += 1;
      return looks;
    },
    begin: (one) => void begun.push(one),
    giveBack: (over) => void givenBack.push(...over),
  });
  slots.take("a");
  const items = Array.from({ length: START_WITHIN_MS }, () => work());
  for (const _ of items) slots.wait("a");
  room.add(items);
  vi.advanceTimersByTime(60);
  const kept = room.empty();
  expect([givenBack.length > 0, kept.length > 0, begun.length]).toEqual([true, true, 0]);
  expect(givenBack.length + kept.length).toBe(items.length);
  expect(new Set([...givenBack, ...kept]).size).toBe(items.length);
});

test("a stop gets all that waits", () => {
  const { room, begun, add, end } = roomBeside(1);
  const waiting = [work(), work()];
  add(...waiting);
  expect(new Set(room.empty())).toEqual(new Set(waiting));
  end();
  expect([begun, room.empty()]).toEqual([[], []]);
});

test("of many that could begin at once others have a turn in between", async () => {
  const { begun, add, end } = roomBeside(400);
  add(...Array.from({ length: 400 }, () => work()));
  for (let ended = 0; ended < 400; ended += 1) end();
  expect(begun).toHaveLength(250);
  await nextTurn();
  await nextTurn();
  expect(begun).toHaveLength(400);
});
