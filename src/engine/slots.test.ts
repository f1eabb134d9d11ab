import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

/** Takes what the limits allow for the lane until they allow nothing more. */
function fill(slots: Slots, lane: string): number {
  let taken = 0;
  for (;;) {
    const { lanes, laneLimit } = slots.limits("to run");
    const limit = Math.min(lanes.find(({ name }) => name === lane)?.limit ?? laneLimit, slots.free);
    if (limit === 0) return taken;
    for (let i = 0; i < limit; i += 1) slots.take(lane);
    taken += limit;
  }
}

test("one busy lane gets half of the slots", () => {
  const slots = new Slots(100);
  expect(fill(slots, "a")).toBe(50);
  expect(slots.free).toBe(50);
});

test("however many lanes hang, there is always a slot for another", () => {
  const slots = new Slots(64);
  for (const lane of ["a", "b", "c", "d"]) expect(fill(slots, lane)).toBeGreaterThan(0);
  expect(slots.free).toBeGreaterThan(0);
});

test("a slot that is given back can be taken again", () => {
  const slots = new Slots(4);
  fill(slots, "a");
  const { free } = slots;
  slots.give("a");
  expect(slots.free).toBe(free + 1);
  expect(fill(slots, "a")).toBe(1);
});

test("with a single slot a lane may still take it", () => {
  const slots = new Slots(1);
  expect(slots.limits("to run").laneLimit).toBe(1);
  slots.take("a");
  expect(slots.free).toBe(0);
});

test("a lane whose work is short may have more in hand than it may run, and others are not in its way", () => {
  const slots = new Slots(10, () => 0);
  fill(slots, "short");
  for (let ended = 0; ended < 100; ended += 1) {
    slots.give("short");
    expect(slots.hasFree("short")).toBe(true);
    slots.take("short");
  }
  expect(slots.hasFree("short")).toBe(false);
  fill(slots, "long");
  expect([slots.roomFor("short"), slots.roomFor("long")]).toEqual([95, 0]);
  expect(slots.wanted).toBe(slots.free + 95);
  expect(slots.limits("to wait").lanes).toContainEqual({ name: "short", limit: 95 });
  expect(slots.limits("to run").lanes).toContainEqual({ name: "short", limit: 0 });
  for (let waiting = 0; waiting < 95; waiting += 1) slots.wait("short");
  expect([slots.roomFor("short"), slots.wanted]).toEqual([0, slots.free]);
  slots.waitNoMore("short");
  expect(slots.roomFor("another")).toBe(Math.ceil(slots.free / 2));
});

test("lanes that are not in use any more are forgotten", () => {
  let ms = 0;
  const slots = new Slots(10, () => ms);
  slots.take("a");
  slots.give("a");
  expect(slots.limits("to run").lanes).toHaveLength(1);
  ms += 1_000;
  expect(slots.limits("to run").lanes).toEqual([]);
});
