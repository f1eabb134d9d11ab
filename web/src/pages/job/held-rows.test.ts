import { expect, test } from "vitest";
import { held } from "./held-rows.ts";

test("rows keep their places, show what became of them, and the new ones are counted", () => {
  const rows = [
    { id: "c", state: "running" },
    { id: "b", state: "failed" },
    { id: "a", state: "failed" },
  ];
  const news = [
    { id: "e", state: "scheduled" },
    { id: "d", state: "running" },
    { id: "c", state: "succeeded" },
  ];
  expect(held(rows, news)).toEqual({ rows: [{ id: "c", state: "succeeded" }, rows[1], rows[2]], unseen: 2 });
});

test("without news the very same rows are shown", () => {
  const rows = [{ id: "a" }];
  expect(held(rows, []).rows).toBe(rows);
});
