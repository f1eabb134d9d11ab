import type { ExecutionState } from "punctual/client";
import { expect, test } from "vitest";
import type { StripRun } from "./run-strip-layout.ts";
import { emptySlots, inksOf } from "./run-strip-shapes.ts";

const STATES = ["scheduled", "running", "retrying", "succeeded", "failed", "cancelled", "skipped", "unknown"] as const;

function run(state: ExecutionState, attempt = 1): StripRun {
  const scheduledAt = "2026-11-15T12:00:00.000Z";
  return { executionId: state, state, scheduledAt, durationMs: 10, latenessMs: 0, attempt, count: 1 };
}

test("every result has a shape of its own, so that nobody needs the colours", () => {
  const shapes = STATES.map((state) =>
    inksOf([run(state)], 19)
      .map(({ solid, thin }) => `${solid}|${thin}`)
      .join(),
  );
  expect(new Set(shapes).size).toBe(STATES.length);
});

test("runs of one result are drawn as one, each in its slot", () => {
  const inks = inksOf([run("succeeded"), run("failed"), run("succeeded")], 17);
  expect(inks.map(({ kind }) => kind)).toEqual(["succeeded", "failed"]);
  expect(inks[0]!.solid).toBe("M105 20v-20M117 20v-20");
});

test("a success that took several attempts has a dot below it", () => {
  expect(inksOf([run("succeeded", 3)], 19).map(({ kind }) => kind)).toEqual(["succeeded", "retried"]);
  expect(inksOf([run("failed", 3)], 19).map(({ kind }) => kind)).toEqual(["failed"]);
});

test("slots without a run are there, and faint", () => {
  expect(emptySlots(2)).toBe("M1 19h4M7 19h4");
});
