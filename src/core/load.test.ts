import { expect, test } from "vitest";
import { Load } from "./load.ts";

/** A load at a time that is set by hand. */
function loadAt() {
  const clock = { ms: 1_024 };
  const load = new Load(() => clock.ms);
  return { clock, load, end: (count: number) => Array.from({ length: count }, () => load.ended()) };
}

test("as much may be in hand as ended in the last moment", () => {
  const { load, end } = loadAt();
  load.running = 10;
  expect(load.spare).toBe(0);
  end(200);
  expect(load.spare).toBe(190);
  load.waiting = 190;
  expect(load.spare).toBe(0);
});

test("nothing may wait where less ends in a moment than there are slots", () => {
  const { load, end } = loadAt();
  load.running = 10;
  end(10);
  expect(load.spare).toBe(0);
});

test("what ended is forgotten after a moment", () => {
  const { clock, load, end } = loadAt();
  end(100);
  clock.ms += 64;
  end(30);
  expect(load.spare).toBe(130);
  clock.ms += 64;
  expect([load.spare, load.idle]).toEqual([30, false]);
  clock.ms += 64;
  expect([load.spare, load.idle]).toEqual([0, true]);
});

test("more is wanted again when half of what waited has begun", () => {
  const { load, end } = loadAt();
  end(100);
  load.waiting = 51;
  expect(load.spare).toBe(0);
  load.waiting = 50;
  expect(load.spare).toBe(50);
});
