import { expect, test } from "vitest";
import { claimTokens, fireId, holderId, IdSource, idFloor, idTime } from "./ids.ts";

const NOW = Date.parse("2026-11-15T06:00:00.123Z");
const JOB = "0195501c-8400-7000-8000-00000000abcd";

test("a fire's id is made from job and instant alone, begins with the instant and is a UUIDv8", () => {
  const id = fireId(JOB, NOW);
  expect(id).toBe(fireId(JOB, NOW));
  expect(idTime(id)).toBe(NOW);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(fireId(JOB.replace("abcd", "abce"), NOW)).not.toBe(id);
});

test("ids of one source for one moment are UUIDv7 in rising order", () => {
  const ids = new IdSource();
  const made = Array.from({ length: 2_000 }, () => ids.next(NOW));
  expect(new Set(made).size).toBe(2_000);
  expect(made.toSorted()).toEqual(made);
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("the floor of a moment is below every id of it and above every id before it", () => {
  expect(idFloor(NOW) <= fireId(JOB, NOW)).toBe(true);
  expect(fireId(JOB, NOW - 1) < idFloor(NOW)).toBe(true);
});

test("no id is made for a moment that 48 bits cannot hold", () => {
  expect(() => fireId(JOB, -1)).toThrow(RangeError);
  expect(() => fireId(JOB, 2 ** 48)).toThrow(RangeError);
  expect(() => fireId(JOB, 0.5)).toThrow(RangeError);
});

test("a worker's holder is made from its project and id alone, and is a UUIDv8", () => {
  const holder = holderId(JOB, "worker-1");
  expect(holder).toBe(holderId(JOB, "worker-1"));
  expect(holder).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set([holder, holderId(JOB, "worker-2"), holderId(fireId(JOB, NOW), "worker-1")]).size).toBe(3);
});

test("the tokens of a request for work are the same however many are made, and those of another are others", () => {
  const holder = holderId(JOB, "worker-1");
  const tokens = claimTokens(holder, "r", 500);
  expect(claimTokens(holder, "r", 3)).toEqual(tokens.slice(0, 3));
  const all = [...tokens, ...claimTokens(holder, "s", 500), ...claimTokens(holderId(JOB, "w"), "r", 500)];
  expect(new Set(all).size).toBe(1_500);
  for (const token of all)
    expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
