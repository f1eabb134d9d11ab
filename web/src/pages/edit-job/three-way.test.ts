import { describe, expect, test } from "vitest";
import { changesSince, merged, presetSide } from "./three-way.ts";

const base = { name: "a", description: "", timeout: "5m", priority: 50, tags: ["x"] };

describe("two who change the same job", () => {
  test("for each field it is told who changed it", () => {
    const theirs = { ...base, timeout: "1m", priority: 60, tags: ["y"] };
    const mine = { ...base, description: "mine", priority: 70, tags: ["y"] };
    expect(changesSince(base, theirs, mine).map(({ field, by }) => [field, by])).toEqual([
      ["description", "me"],
      ["timeout", "them"],
      ["priority", "both"],
    ]);
  });

  test("put together, neither loses what only they have changed", () => {
    const theirs = { ...base, timeout: "1m" };
    const mine = { ...base, description: "mine" };
    expect(merged(theirs, changesSince(base, theirs, mine), presetSide)).toEqual({
      ...base,
      timeout: "1m",
      description: "mine",
    });
  });

  test("where both have changed a field, the choice decides", () => {
    const theirs = { ...base, priority: 60 };
    const mine = { ...base, priority: 70 };
    const changes = changesSince(base, theirs, mine);
    expect(merged(theirs, changes, () => "theirs")).toEqual(theirs);
    expect(merged(theirs, changes, () => "mine")).toEqual(mine);
  });

  test("a field that was taken out stays out", () => {
    const { description: _, ...mine } = base;
    expect(merged(base, changesSince(base, base, mine), presetSide)).toEqual(mine);
  });
});
