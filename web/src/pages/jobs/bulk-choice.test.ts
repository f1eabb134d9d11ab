import type { Job, JobState } from "punctual/client";
import { expect, test } from "vitest";
import { bulkTarget, leftOut } from "./bulk-choice.ts";

const jobs = (["active", "paused", "completed"] as JobState[]).map((state) => ({ id: state, state }) as Job);

test("only those rows are acted on with which it can be done", () => {
  const choice = { kind: "rows", jobs } as const;
  expect(bulkTarget("pause", choice)).toEqual({ ids: ["active"] });
  expect(bulkTarget("resume", choice)).toEqual({ ids: ["paused"] });
  expect(bulkTarget("delete", choice)).toEqual({ ids: ["active", "paused", "completed"] });
  expect(leftOut("pause", choice)).toBe(2);
});

test("when it can be done with none of them, nothing is asked", () => {
  expect(bulkTarget("resume", { kind: "rows", jobs: jobs.slice(0, 1) })).toBeNull();
  expect(bulkTarget("resume", { kind: "matching", search: { state: "active" } })).toBeNull();
});

test("all that match are named by the filter of the list, within the states that the action is for", () => {
  expect(bulkTarget("pause", { kind: "matching", search: { q: "mail", tag: "shop", sort: "name" } })).toEqual({
    filter: { state: ["active"], q: "mail", tag: ["shop"] },
  });
  expect(bulkTarget("delete", { kind: "matching", search: { state: "paused", source: "demo" } })).toEqual({
    filter: { state: ["paused"], source: "demo" },
  });
});
