import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCron } from "../../../../src/core/cron/parse.ts";
import { type CronPlan, changeKind, HOUR_STEPS, isMidnight, MINUTE_STEPS, readPlan, writePlan } from "./cron-plan.ts";

const hour = fc.integer({ min: 0, max: 23 });
const minute = fc.integer({ min: 0, max: 59 });
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const MONTH_DAYS = [...Array.from({ length: 31 }, (_, index) => index + 1), "L" as const];

const plans: fc.Arbitrary<CronPlan> = fc.oneof(
  fc.record({ kind: fc.constant("minutes" as const), every: fc.constantFrom(...MINUTE_STEPS) }),
  fc.record({ kind: fc.constant("hours" as const), every: fc.constantFrom(...HOUR_STEPS), minute }),
  fc.record({ kind: fc.constant("daily" as const), hour, minute }),
  fc.record({ kind: fc.constant("weekdays" as const), hour, minute }),
  fc
    .record({ kind: fc.constant("weekly" as const), days: some([0, 1, 2, 3, 4, 5, 6]), hour, minute })
    .filter(({ days }) => String(days) !== "1,2,3,4,5"),
  fc.record({ kind: fc.constant("monthly" as const), days: some(MONTH_DAYS), hour, minute }),
);

describe("the builder and the expression", () => {
  test("whatever is chosen is written so that it is read back the same, and the server understands it", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const cron = writePlan(plan);
        expect(readPlan(cron)).toEqual(plan);
        expect(parseCron(cron).ok).toBe(true);
      }),
    );
  });

  test("what is written back means the same to the server as what was typed", () => {
    const typed = [
      "@daily",
      "0 15 9 * * ?",
      "00 09 * * MON-FRI",
      "0 9 * * 5-7",
      "0 9 ? * sat,sun",
      "*/1 */1 * * *",
      "0 9 L,15,1 * *",
    ];
    for (const cron of typed) {
      const plan = readPlan(cron);
      expect(plan, cron).not.toBeNull();
      expect(parseCron(writePlan(plan!)), cron).toEqual(parseCron(cron));
    }
  });

  test.each([
    ["*/15 * * * *", { kind: "minutes", every: 15 }],
    ["* * * * *", { kind: "minutes", every: 1 }],
    ["30 * * * *", { kind: "hours", every: 1, minute: 30 }],
    ["@hourly", { kind: "hours", every: 1, minute: 0 }],
    ["5 */6 * * *", { kind: "hours", every: 6, minute: 5 }],
    ["30 9 * * *", { kind: "daily", hour: 9, minute: 30 }],
    ["0 0 9 * * *", { kind: "daily", hour: 9, minute: 0 }],
    ["0 9 * * MON-FRI", { kind: "weekdays", hour: 9, minute: 0 }],
    ["0 9 * * 1,2,3,4,5", { kind: "weekdays", hour: 9, minute: 0 }],
    ["0 9 * * monday,Thu", { kind: "weekly", days: [1, 4], hour: 9, minute: 0 }],
    ["0 9 * * 7", { kind: "weekly", days: [0], hour: 9, minute: 0 }],
    ["0 9 * * fri-sun", { kind: "weekly", days: [0, 5, 6], hour: 9, minute: 0 }],
    ["0 9 15,1 * *", { kind: "monthly", days: [1, 15], hour: 9, minute: 0 }],
    ["0 9 L * *", { kind: "monthly", days: ["L"], hour: 9, minute: 0 }],
  ] as const)("%s is shown in the builder", (cron, plan) => {
    expect(readPlan(cron)).toEqual(plan);
  });

  test.each([
    "",
    "x",
    "*/7 * * * *",
    "*/5 9-17 * * *",
    "0,30 9 * * *",
    "30 0 9 * * *",
    "* 9 * * *",
    "0 9 1 * 1",
    "0 9 1 6 *",
    "0 9 * * 1#2",
    "0 9 * * 5L",
    "0 9 LW * *",
    "0 9 1-7 * *",
    "0 */2 * * 1",
    "60 9 * * *",
    "0 24 * * *",
    "@yearly",
    "0 9 * * * * *",
  ])("%j is more than the builder can say, and stays as it was written", (cron) => {
    expect(readPlan(cron)).toBeNull();
  });

  test("another kind keeps the time of day", () => {
    const nine = { kind: "daily", hour: 21, minute: 15 } as const;
    expect(changeKind(nine, "weekdays")).toEqual({ kind: "weekdays", hour: 21, minute: 15 });
    expect(changeKind(changeKind(nine, "weekdays"), "weekly")).toMatchObject({ days: [1, 2, 3, 4, 5], hour: 21 });
    expect(changeKind(nine, "hours")).toEqual({ kind: "hours", every: 1, minute: 15 });
    expect(changeKind(null, "monthly")).toEqual({ kind: "monthly", days: [1], hour: 9, minute: 0 });
  });

  test("what fires at midnight sharp is told from the rest", () => {
    for (const cron of ["0 0 * * *", "@daily", "0 0 1 * *", "0 0 * * 1-5"]) expect(isMidnight(cron)).toBe(true);
    for (const cron of ["5 0 * * *", "0 1 * * *", "0 * * * *", "* * * * *"]) expect(isMidnight(cron)).toBe(false);
  });
});
