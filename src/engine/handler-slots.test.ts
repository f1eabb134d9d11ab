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
  expect(slots.handlers()).toEqual([
    { name: "shop/cleanup", free: 0 },
    { name: "shop/report", free: 5 },
  ]);
  slots.give(catchUpLane(handlerLane("shop/cleanup")));
  expect(slots.handlers()[0]).toEqual({ name: "shop/cleanup", free: 1 });
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
  expect(slots.handlers()[0]).toEqual({ name: "shop/cleanup", free: 0 });
});
