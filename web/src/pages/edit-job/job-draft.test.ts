import type { Json } from "punctual/client";
import { describe, expect, test } from "vitest";
import { jobInputSchema } from "../../../../src/contract/job.ts";
import { targetSchema } from "../../../../src/contract/target.ts";
import { validateSchedule } from "../../../../src/core/schedule/validate.ts";
import {
  CLOCK_PRESETS,
  inOrder,
  newDraft,
  PRESETS,
  sameJson,
  TARGET_PRESETS,
  valueAt,
  withValue,
} from "./job-draft.ts";

describe("the job in the form", () => {
  test("what the form shows where nothing is written is what the server fills in", () => {
    const target = { type: "worker", handler: "x" } as const;
    const { target: _, ...filledIn } = jobInputSchema.parse({ target });
    expect(PRESETS).toEqual(filledIn);
  });

  test.each([
    ["http", { url: "https://a.example/" }],
    ["worker", { handler: "a" }],
    ["shell", { command: "a" }],
  ] as const)("what the form shows of a %s target is what the server fills in", (type, needed) => {
    expect({ ...TARGET_PRESETS[type], ...needed }).toEqual(targetSchema.parse({ type, ...needed }));
  });

  test("what the form shows of clock changes is what the server fills in", () => {
    const checked = validateSchedule({ cron: "0 9 * * *" }, { now: 0, graceMs: 0, anchor: 0 });
    expect(checked).toMatchObject({ ok: true, schedule: { dst: CLOCK_PRESETS } });
  });

  test("a new one needs but a name and whom to call", () => {
    const draft = withValue(withValue(newDraft("UTC"), "name", "a"), "target.url", "https://a.example/");
    expect(jobInputSchema.safeParse(draft).success).toBe(true);
  });

  test("a value is found by its path, and what is not there is undefined", () => {
    const draft = { retry: { on: ["5xx"] }, payload: null };
    expect(valueAt(draft, "retry.on")).toEqual(["5xx"]);
    expect(valueAt(draft, "retry.on.0")).toBe("5xx");
    expect(valueAt(draft, "payload.a")).toBeUndefined();
    expect(valueAt(draft, "constructor")).toBeUndefined();
  });

  test("writing a value leaves the draft before it as it was, and makes what is on the way", () => {
    const before = { name: "a", retry: { maxAttempts: 3 } };
    expect(withValue(before, "retry.jitter", false)).toEqual({ name: "a", retry: { maxAttempts: 3, jitter: false } });
    expect(withValue(before, "misfire.policy", "skip")).toEqual({ ...before, misfire: { policy: "skip" } });
    expect(withValue({ schedule: null }, "schedule.cron", "* * * * *")).toEqual({ schedule: { cron: "* * * * *" } });
    expect(withValue(before, "retry.maxAttempts", undefined)).toEqual({ name: "a", retry: {} });
    expect(before).toEqual({ name: "a", retry: { maxAttempts: 3 } });
  });

  test("is shown with its fields in their usual order, and with those that are none behind them", () => {
    expect(Object.keys(inOrder({ foo: 1, payload: {}, name: "a" }))).toEqual(["name", "payload", "foo"]);
  });

  test("two values say the same whatever the order of their fields", () => {
    expect(sameJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    const different: [Json, Json][] = [
      [
        [1, 2],
        [2, 1],
      ],
      [{ a: 1 }, { a: 1, b: 2 }],
      [[], {}],
      [null, {}],
      ["1", 1],
    ];
    for (const [one, other] of different) expect(sameJson(one, other)).toBe(false);
  });
});
