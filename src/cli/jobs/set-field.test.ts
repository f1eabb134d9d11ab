import { expect, test } from "vitest";
import { setField } from "./set-field.ts";

function after(change: string, fields: Record<string, unknown> = {}): unknown {
  setField(fields, change);
  return fields;
}

test.each([
  ["timeout=10m", { timeout: "10m" }],
  ["priority=70", { priority: 70 }],
  ["tags=[a, b]", { tags: ["a", "b"] }],
  ["schedule=null", { schedule: null }],
  ["description=", { description: null }],
  ["description=a = b", { description: "a = b" }],
  ["schedule.cron=*/5 * * * *", { schedule: { cron: "*/5 * * * *" } }],
  ["schedule.cron=@daily", { schedule: { cron: "@daily" } }],
  ["schedule.cron=0 3 * * *", { schedule: { cron: "0 3 * * *" } }],
  ["payload.a.b=true", { payload: { a: { b: true } } }],
  ["description=[not closed", { description: "[not closed" }],
])("--set %j", (change, expected) => {
  expect(after(change)).toEqual(expected);
});

test("fields beside the one that is set stay", () => {
  expect(after("retry.maxAttempts=5", { retry: { backoff: "fixed" }, name: "x" })).toEqual({
    retry: { backoff: "fixed", maxAttempts: 5 },
    name: "x",
  });
});

test.each(["timeout", "=5", ".cron=x", "schedule.=x"])("--set %j is refused with the way to write it", (change) => {
  expect(() => after(change)).toThrow("write it as field=value");
});
