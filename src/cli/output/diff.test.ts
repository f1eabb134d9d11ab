import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff, shortDiff } from "./diff.ts";

test("what goes is marked with a minus, what comes with a plus", () => {
  expect(lineDiff("a\nb\nc", "a\nB\nc\nd")).toEqual([" a", "-b", "+B", " c", "+d"]);
});

test("far from a change, lines are left out", () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const after = before.map((line, i) => (i === 10 ? "other" : line));
  expect(shortDiff(before.join("\n"), after.join("\n"), 1)).toEqual([
    "…",
    " line 9",
    "-line 10",
    "+other",
    " line 11",
    "…",
  ]);
  expect(shortDiff("a\nb", "a\nb")).toEqual(["…"]);
});

test("a diff holds both texts, whatever they are", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const diff = lineDiff(a.join("\n"), b.join("\n"));
      const side = (marks: string) => diff.filter((line) => marks.includes(line[0]!)).map((line) => line.slice(1));
      expect(side(" -")).toEqual(a);
      expect(side(" +")).toEqual(b);
    }),
  );
});
