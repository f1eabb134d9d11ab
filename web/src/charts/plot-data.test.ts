import { expect, test } from "vitest";
import { aboveZero, logarithmicMarks, stacked } from "./plot-data.ts";

test("each line stands on those before it, and a gap counts as nothing", () => {
  expect(
    stacked([
      [1, 2, null],
      [3, 0, 5],
      [1, 1, 1],
    ]),
  ).toEqual([
    [1, 2, 0],
    [4, 2, 5],
    [5, 3, 6],
  ]);
});

test("on a logarithmic scale zero is drawn at the foot and a gap stays a gap", () => {
  expect(aboveZero([0, 0.2, null, 40])).toEqual([1, 1, null, 40]);
});

test("a logarithmic scale has lines around its values, also around one value and around none", () => {
  expect(logarithmicMarks(3, 780)).toEqual([1, 10, 100, 1_000]);
  expect(logarithmicMarks(20_000, 700_000)).toEqual([10_000, 60_000, 600_000, 3_600_000]);
  expect(logarithmicMarks(100, 100)).toEqual([100, 1_000]);
  expect(logarithmicMarks(null, null)).toEqual([1, 10]);
});
