import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

/** Takes what the limits allow for the lane until they allow nothing more. */
function fill(slots: Slots, lane: string): number {
  let taken = 0;
  for (;;) {
    const { lanes, laneLimit } = slots.limits();
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
  expect(slots.limits().laneLimit).toBe(1);
  slots.take("a");
  expect(slots.free).toBe(0);
});
