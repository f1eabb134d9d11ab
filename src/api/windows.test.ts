import { expect, test } from "vitest";
import { Windows } from "./windows.ts";

test("a window begins with the first count and is over when its time is", () => {
  let now = 0;
  const windows = new Windows({ windowMs: 100, keysMax: 10, monotonic: () => now });
  expect(windows.look("a")).toEqual({ count: 0, msLeft: 100 });
  expect(windows.add("a")).toEqual({ count: 1, msLeft: 100 });
  now = 99;
  expect(windows.add("a")).toEqual({ count: 2, msLeft: 1 });
  expect(windows.look("b")).toEqual({ count: 0, msLeft: 100 });
  now = 100;
  expect(windows.add("a")).toEqual({ count: 1, msLeft: 100 });
});

test("of too many keys the one that was quiet longest is forgotten", () => {
  const windows = new Windows({ windowMs: 100, keysMax: 2, monotonic: () => 0 });
  windows.add("a");
  windows.add("b");
  windows.add("a");
  windows.add("c");
  expect(["a", "b", "c"].map((key) => windows.look(key).count)).toEqual([2, 0, 1]);
});
