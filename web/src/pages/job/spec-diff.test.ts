import { expect, test } from "vitest";
import { specDiff } from "./spec-diff.ts";

test("what is the same gives no line, whatever the order of its fields", () => {
  expect(specDiff({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toEqual([]);
});

test("a changed field is its old value and its new one, under its whole path", () => {
  expect(specDiff({ retry: { maxAttempts: 3, jitter: true } }, { retry: { maxAttempts: 5, jitter: true } })).toEqual([
    { sign: "-", path: "retry.maxAttempts", value: "3" },
    { sign: "+", path: "retry.maxAttempts", value: "5" },
  ]);
});

test("fields that came and went are one line each", () => {
  expect(specDiff({ headers: { "x-old": "1" } }, { headers: { "x-new": "2" } })).toEqual([
    { sign: "-", path: "headers.x-old", value: '"1"' },
    { sign: "+", path: "headers.x-new", value: '"2"' },
  ]);
});

test("an item put into a list is one line, not a new list", () => {
  expect(specDiff({ tags: ["a", "b", "c"] }, { tags: ["a", "x", "b", "c"] })).toEqual([
    { sign: "+", path: "tags[1]", value: '"x"' },
  ]);
});

test("items that stay are kept between items that go and come", () => {
  expect(specDiff(["a", "b", "c", "d"], ["b", "x", "d", "e"])).toEqual([
    { sign: "-", path: "[0]", value: '"a"' },
    { sign: "-", path: "[2]", value: '"c"' },
    { sign: "+", path: "[1]", value: '"x"' },
    { sign: "+", path: "[3]", value: '"e"' },
  ]);
});

test("a value that becomes one of another kind is replaced as a whole", () => {
  expect(specDiff({ schedule: null }, { schedule: { every: "1m" } })).toEqual([
    { sign: "-", path: "schedule", value: "null" },
    { sign: "+", path: "schedule", value: '{"every":"1m"}' },
  ]);
});

test("names that are no plain words are quoted in the path", () => {
  expect(specDiff({ payload: {} }, { payload: { "a b": 1 } })).toEqual([
    { sign: "+", path: 'payload["a b"]', value: "1" },
  ]);
});

test("two long lists with nothing in common are compared in no time", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => index);
  const after = before.map((value) => value + 0.5);
  expect(specDiff(before, after)).toHaveLength(40_000);
});
