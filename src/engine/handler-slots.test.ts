import { expect, test } from "vitest";
import { catchUpLane, handlerLane } from "../core/lane.ts";
import { HandlerSlots } from "./handler-slots.ts";

const OFFERS = [
  { name: "shop/cleanup", slots: 2 },
  { name: "shop/report", slots: 5 },
];

test("each handler has its own slots, and its catch-up work takes them too", () => {
  const slots = new HandlerSlots(100, OFFERS);
  slots.take(handlerLane("shop/cleanup"));
  slots.take(catchUpLane(handlerLane("shop/cleanup")));
  expect(slots.handlers("to run")).toEqual([
    { name: "shop/cleanup", free: 0 },
    { name: "shop/report", free: 5 },
  ]);
  slots.give(catchUpLane(handlerLane("shop/cleanup")));
  expect(slots.handlers("to run")[0]).toEqual({ name: "shop/cleanup", free: 1 });
});

test("all together never have more than the process allows", () => {
  const slots = new HandlerSlots(3, OFFERS);
  expect(slots.free).toBe(3);
  slots.take(handlerLane("shop/report"));
  expect(slots.free).toBe(2);
});

test("a slot that is kept for a function that has not returned counts beside the next one", () => {
  const slots = new HandlerSlots(100, OFFERS);
  const lane = handlerLane("shop/cleanup");
  slots.take(lane);
  // Given up: the attempt gives its slot, the function keeps one.
  slots.take(lane);
  slots.give(lane);
  slots.take(lane);
  expect(slots.handlers("to run")[0]).toEqual({ name: "shop/cleanup", free: 0 });
});

test("of a handler whose work is short more may be claimed than it may run", () => {
  const slots = new HandlerSlots(100, OFFERS, () => 0);
  const lane = handlerLane("shop/cleanup");
  slots.take(lane);
  for (let ended = 0; ended < 50; ended += 1) {
    slots.take(lane);
    expect(slots.hasFree(lane)).toBe(false);
    slots.give(lane);
  }
  expect(slots.handlers("to run")[0]).toEqual({ name: "shop/cleanup", free: 1 });
  expect(slots.handlers("to wait")[0]).toEqual({ name: "shop/cleanup", free: 49 });
  expect([slots.free, slots.wanted, slots.roomFor(lane)]).toEqual([6, 6 + 48, 49]);
  for (let waiting = 0; waiting < 30; waiting += 1) slots.wait(lane);
  expect([slots.roomFor(lane), slots.free, slots.wanted]).toEqual([0, 5, 5]);
  slots.waitNoMore(lane);
  slots.give(lane);
  expect(slots.hasFree(lane)).toBe(true);
});
