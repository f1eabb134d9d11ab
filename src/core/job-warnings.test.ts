import { expect, test } from "vitest";
import { type JobSpec, jobInputSchema } from "../contract/job.ts";
import { jobWarnings } from "./job-warnings.ts";

function warned(written: { schedule?: object; target?: object; timeout?: string }): string[] {
  const target = { type: "http", url: "https://x.example/", ...written.target };
  const input = jobInputSchema.parse({ name: "x", ...written, target });
  return jobWarnings({ ...input, name: "x", schedule: input.schedule as JobSpec["schedule"] }).map(({ code }) => code);
}

test.each([
  ["0 0 13 * FRI", ["either_day_matches"]],
  ["0 0 0 13 * 5", ["either_day_matches"]],
  ["0 0 13 * *", []],
  ["0 0 ? * FRI", []],
  ["0 0 * * FRI", []],
  ["@daily", []],
])("%s has the warnings %j", (cron, codes) => {
  expect(warned({ schedule: { cron, timezone: "UTC", dst: { gap: "shift", fold: "first" } } })).toEqual(codes);
});

test("a target that may take longer than its attempt is pointed out", () => {
  expect(warned({ target: { timeout: "10m" }, timeout: "5m" })).toEqual(["timeout_shorter_than_target"]);
  expect(warned({ target: { timeout: "5m" }, timeout: "5m" })).toEqual([]);
});

test("a secret over http: is pointed out", () => {
  const headers = { authorization: "Bearer {{secrets.TOKEN}}" };
  expect(warned({ target: { url: "http://x.example/", headers } })).toEqual(["secret_over_http"]);
  expect(warned({ target: { url: "http://x.example/" } })).toEqual([]);
  expect(warned({ target: { headers } })).toEqual([]);
});
