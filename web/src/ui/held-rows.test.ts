import type { Execution, Page } from "punctual/client";
import { expect, test } from "vitest";
import { asOnePage, newcomers, withNewcomers, withNews } from "./held-rows.ts";

const row = (id: string, state = "succeeded"): Execution =>
  ({ id, state, attempt: 1, runAt: "", startedAt: "", reason: null, progress: null }) as unknown as Execution;
const page = (ids: string, nextCursor: string | null = null): Page<Execution> => ({
  items: [...ids].map((id) => row(id)),
  nextCursor,
});
const idsOf = (rows: readonly Execution[]) => rows.map(({ id }) => id).join("");

test("pages are one list that goes on where the last of them ends", () => {
  expect(asOnePage([page("dc", "b"), page("ba", "…")])).toEqual(page("dcba", "…"));
  expect(asOnePage([])).toEqual(page(""));
});

test("a row that changed is replaced in its place, and the others stay the same objects", () => {
  const rows = [row("c", "running"), row("b"), row("a")];
  const next = withNews(rows, [row("b"), row("c", "failed")]);
  expect(next.map(({ state }) => state)).toEqual(["failed", "succeeded", "succeeded"]);
  expect(next[1]).toBe(rows[1]);
});

test("when nothing changed the list itself is the same, so that nothing is drawn anew", () => {
  const rows = [row("b"), row("a")];
  expect(withNews(rows, [row("b"), row("x")])).toBe(rows);
});

test("what is new is counted and does not come into the list by itself", () => {
  expect(newcomers(page("dcb", "…"), page("fed", "…"))).toMatchObject({
    rows: [{ id: "f" }, { id: "e" }],
    more: false,
  });
});

test("older rows that come into the newest page because newer ones left it are not new", () => {
  expect(newcomers(page("dcb", "…"), page("cba", "…")).rows).toEqual([]);
});

test("a page of nothing but new ones may not be all of them", () => {
  expect(newcomers(page("cba"), page("zyx", "…")).more).toBe(true);
  expect(newcomers(page(""), page("zyx", null)).more).toBe(false);
});

test("new ones come in at their places, not always at the top", () => {
  expect(idsOf(withNewcomers(page("fca", "…"), page("gfd", "…"), () => true).items)).toBe("gfdca");
});

test("when they are put in, rows that fit the filter no more leave", () => {
  expect(idsOf(withNewcomers(page("dcb"), page("ed"), ({ id }) => id !== "c").items)).toBe("edb");
});

test("the list begins again when so much is new that there would be a hole in it", () => {
  expect(withNewcomers(page("cba"), page("zyx", "…"), () => true)).toEqual(page("zyx", "…"));
});
