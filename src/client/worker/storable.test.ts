import { expect, test } from "vitest";
import { asFields, asResult, storableText } from "./storable.ts";

test("a result is what JSON makes of it, and nothing returned is null", () => {
  const result = asResult({ at: new Date(0), n: Number.NaN, list: [undefined] }, 1_000);
  expect(result).toMatchObject({ json: { at: "1970-01-01T00:00:00.000Z", n: null, list: [null] } });
  expect(asResult(undefined, 1_000)).toMatchObject({ json: null });
});

const circular: Record<string, unknown> = {};
circular.self = circular;
let deep: unknown = 1;
for (let depth = 0; depth < 100; depth += 1) deep = [deep];

test.each([
  ["a function", () => 1, "the result is not JSON: it is a function"],
  ["a bigint", { n: 1n }, /^the result is not JSON: .*BigInt/],
  ["a circle", circular, /^the result is not JSON: .*circular/],
  ["too much", "x".repeat(2_000), "the result has 2002 bytes as JSON; at most 1000 are kept"],
  ["U+0000", { a: { b: "x\u0000" } }, /^result\.a\.b contains the character U\+0000/],
  ["too deep a nesting", deep, /nested deeper/],
])("%s is no result, and the reason is said", (_, value, problem) => {
  expect(asResult(value, 1_000)).toEqual({
    problem: typeof problem === "string" ? problem : expect.stringMatching(problem),
  });
});

test("the fields of a line are kept whatever is in them", () => {
  expect(asFields(undefined, 100)).toBeNull();
  expect(asFields({ a: 1, error: new TypeError("no"), big: 2n, odd: "\u0000" }, 100)).toEqual({
    a: 1,
    error: "TypeError: no",
    big: "2",
    odd: "\uFFFD",
  });
  expect(asFields(circular, 100)).toEqual({ dropped: expect.stringContaining("not JSON") });
  expect(asFields({ text: "x".repeat(200) }, 100)).toEqual({ dropped: "the fields had more than 100 bytes" });
  expect(asFields({ deep }, 10_000)).toEqual({ dropped: "the fields cannot be stored" });
  expect(asFields({ "bad\u0000key": 1 }, 100)).toEqual({ dropped: "the fields cannot be stored" });
});

test("a cut through a pair of surrogates leaves no half of it", () => {
  expect(storableText("a😀", 2)).toBe("a\uFFFD");
});
