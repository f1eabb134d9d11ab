import { describe, expect, test } from "vitest";
import { pairsOf, recordOf } from "./pairs.ts";

describe("rows of names and values", () => {
  test("stand for the record they were read from", () => {
    const record = { accept: "text/plain", "idempotency-key": null, "x-a": "" };
    expect(recordOf(pairsOf(record))).toEqual(record);
  });

  test("a row without a name is not finished, and is in no record", () => {
    expect(
      recordOf([
        ["", "value"],
        ["  ", ""],
        [" a ", "1"],
      ]),
    ).toEqual({ a: "1" });
  });

  test("what is no record has no rows", () => {
    for (const value of [null, undefined, "x", ["a"]]) expect(pairsOf(value)).toEqual([]);
  });
});
