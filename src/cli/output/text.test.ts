import { expect, test } from "vitest";
import { cut, harmless, oneLine, widthOf, wrap } from "./text.ts";

test("text from elsewhere cannot move the cursor or change colours", () => {
  expect(harmless("a\u001b[31mred\u0007\u009b2J")).toBe("a␛[31mred␇\ufffd2J");
  expect(harmless("line\r\nnext\tcolumn")).toBe("line\nnext\tcolumn");
});

test("a cell is one line", () => {
  expect(oneLine("  first\n   second\r\n third ")).toBe("first second third");
});

test("wide characters count as two columns", () => {
  expect(widthOf("日本")).toBe(4);
  expect(widthOf("é🙂")).toBe(3);
});

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["abc", 1, "…"],
  ["abc", 0, ""],
])("%s cut to %i columns is %s", (text, width, expected) => {
  expect(cut(text, width)).toBe(expected);
  expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width);
});

test("long text is broken at spaces, and words that are too long anywhere", () => {
  expect(wrap("one two three four five six", 20)).toBe("one two three four\nfive six");
  expect(wrap("x".repeat(45), 20)).toBe(`${"x".repeat(20)}\n${"x".repeat(20)}\n${"x".repeat(5)}`);
  expect(wrap("kept\nlines", 20)).toBe("kept\nlines");
  expect(wrap("  one two three four five", 20)).toBe("  one two three four\n  five");
});
