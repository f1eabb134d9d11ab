import { expect, test } from "vitest";
import { misfireInWords, retryInWords, targetInWords } from "./policies-in-words.ts";

const RETRY = {
  maxAttempts: 3,
  backoff: "exponential",
  initialDelay: "1s",
  multiplier: 2,
  maxDelay: "1h",
  jitter: true,
  maxElapsed: null,
  on: ["timeout", "5xx"],
} as const;

test("how it is tried again names the number, the waits and the reasons", () => {
  expect(retryInWords({ ...RETRY, on: [...RETRY.on] })).toBe(
    "Up to 3 attempts, 1s apart and each time 2 times that, at most 1h, spread at random. Again after: timeout, 5xx.",
  );
  expect(retryInWords({ ...RETRY, backoff: "fixed", jitter: false, maxElapsed: "10m", on: [] })).toBe(
    "Up to 3 attempts, 1s apart, all within 10m. Nothing is retried.",
  );
  expect(retryInWords({ ...RETRY, maxAttempts: 1, on: [] })).toBe("One attempt, none after it.");
});

test("what becomes of missed instants names the grace that holds", () => {
  expect(misfireInWords({ policy: "skip", grace: "5m", limit: 100, window: "24h" })).toBe(
    "Late by less than 5m it just runs. Beyond that missed instants are recorded as skipped, none runs.",
  );
  expect(misfireInWords({ policy: "fire_all", grace: null, limit: 7, window: "2h" })).toContain(
    "those of the last 2h run, oldest first, at most 7",
  );
});

test("a target is told by where it goes", () => {
  expect(targetInWords({ type: "worker", handler: "send" })).toBe("Worker: send");
  expect(targetInWords({ type: "shell", command: "pg_dump", args: ["-Fc", "shop"], env: {}, successOn: [0] })).toBe(
    "Command: pg_dump -Fc shop",
  );
});
