import { describe, expect, test } from "vitest";
import { retrySchema } from "../../../../src/contract/job.ts";
import { retryDelayMs } from "../../../../src/core/attempt.ts";
import { retryDelays, retryText } from "./retry-delays.ts";

describe("the waits between attempts", () => {
  test.each([
    {},
    { backoff: "linear", initialDelay: "10s", maxAttempts: 5 },
    { backoff: "fixed", initialDelay: "1500ms", maxAttempts: 4 },
    { multiplier: 3, initialDelay: "5m", maxDelay: "20m", maxAttempts: 7 },
  ] as const)("are those that the engine will wait: %j", (given) => {
    const retry = { ...retrySchema.parse(given), jitter: false };
    const shown = retryDelays(retry)!;
    expect(shown.length).toBe(Math.min(6, retry.maxAttempts - 1));
    expect(shown).toEqual(shown.map((_, index) => retryDelayMs(retry, index + 1, 0)));
  });

  test("are told in words", () => {
    const retry = { ...retrySchema.parse({ maxAttempts: 4 }), jitter: false };
    expect(retryText(retry)).toBe("If it fails it is tried again after 1 s, 2 s, 4 s; then it is given up.");
    expect(retryText({ ...retry, maxAttempts: 9 })).toContain("16 s, 32 s, and 2 more times; then");
    expect(retryText({ ...retry, maxAttempts: 1 })).toBe("It is tried once, and not again.");
  });

  test("are not told while what is written is no policy", () => {
    const retry = retrySchema.parse({});
    expect(retryText({ ...retry, initialDelay: "soon" })).toBeNull();
    expect(retryText({ ...retry, maxAttempts: "many" })).toBeNull();
    expect(retryText(null)).toBeNull();
  });
});
