import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../contract/job.ts";
import { retrySchema } from "../contract/job.ts";
import { type AttemptResult, judge, matchesStatus, retryDelayMs } from "./attempt.ts";

function failed(part: Partial<AttemptResult>): AttemptResult {
  return {
    outcome: "failed",
    error: { code: "network", message: "it broke" },
    cause: { kind: "network" },
    doubtful: false,
    retryAfterMs: null,
    request: null,
    response: null,
    timings: null,
    result: null,
    ...part,
  };
}

const succeeded = failed({ outcome: "succeeded", error: null, cause: null });
const policy = (part: Partial<RetryPolicy> = {}): RetryPolicy => retrySchema.parse({ jitter: false, ...part });
const job = (retry: Partial<RetryPolicy> = {}, delivery: "at_least_once" | "at_most_once" = "at_least_once") => ({
  retry: policy(retry),
  delivery,
});
const first = { attempt: 1, sinceFirstStartMs: 10 };

describe("the verdict on an attempt", () => {
  test("follows success and cancellation, whatever the policy", () => {
    for (const delivery of ["at_least_once", "at_most_once"] as const) {
      expect(judge(succeeded, job({}, delivery), first, 0)).toEqual({ kind: "succeed" });
      expect(judge(failed({ outcome: "cancelled", doubtful: true }), job({}, delivery), first, 0)).toEqual({
        kind: "cancel",
      });
    }
  });

  test("is a retry for what the policy names, until the attempts are used up", () => {
    expect(judge(failed({}), job({ maxAttempts: 3 }), { attempt: 2, sinceFirstStartMs: 0 }, 0)).toEqual({
      kind: "retry",
      delayMs: 2000,
    });
    expect(judge(failed({}), job({ maxAttempts: 3 }), { attempt: 3, sinceFirstStartMs: 0 }, 0)).toEqual({
      kind: "fail",
      code: "attempts_exhausted",
      message: "attempt 3 of 3 failed: it broke",
    });
    expect(judge(failed({}), job({ maxAttempts: 1 }), first, 0)).toMatchObject({
      kind: "fail",
      code: "attempts_exhausted",
    });
  });

  test.each([
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [599, true],
    [400, false],
    [404, false],
    [301, false],
  ])("on the status %i is a retry by default: %s", (status, isRetried) => {
    const verdict = judge(failed({ cause: { kind: "status", status } }), job(), first, 0);
    expect(verdict.kind).toBe(isRetried ? "retry" : "fail");
    if (!isRetried) expect(verdict).toMatchObject({ code: "not_retryable" });
  });

  test("obeys the list of causes in the policy", () => {
    const on = ["timeout", "404"];
    expect(judge(failed({ cause: { kind: "timeout" } }), job({ on }), first, 0).kind).toBe("retry");
    expect(judge(failed({ cause: { kind: "status", status: 404 } }), job({ on }), first, 0).kind).toBe("retry");
    expect(judge(failed({ cause: { kind: "network" } }), job({ on }), first, 0)).toMatchObject({
      code: "not_retryable",
    });
    expect(judge(failed({ cause: { kind: "status", status: 500 } }), job({ on }), first, 0)).toMatchObject({
      code: "not_retryable",
    });
  });

  test("is final for what can never succeed, and a retry for a lost holder even with an empty list", () => {
    expect(judge(failed({ cause: null }), job(), first, 0)).toEqual({
      kind: "fail",
      code: "not_retryable",
      message: "it broke",
    });
    const lost = failed({ outcome: "lost", error: null, cause: { kind: "lost" }, doubtful: true });
    expect(judge(lost, job({ on: [] }), first, 0).kind).toBe("retry");
    expect(judge(lost, job({ on: [], maxAttempts: 1 }), first, 0)).toMatchObject({
      message: "attempt 1 of 1 failed: lost",
    });
  });
});

describe("at_most_once", () => {
  const once = job({ on: ["timeout", "network", "5xx"] }, "at_most_once");

  test("ends unknown, without another call, when the call may have had its effect", () => {
    for (const cause of [{ kind: "timeout" }, { kind: "network" }, { kind: "lost" }, null] as const)
      expect(judge(failed({ cause, doubtful: true }), once, first, 0)).toEqual({
        kind: "unknown",
        message: "the call may have had its effect and is not repeated (at_most_once): it broke",
      });
  });

  test("ends failed, without another call, when the target answered with a failure, whatever the policy says", () => {
    const answered = failed({ cause: { kind: "status", status: 503 }, retryAfterMs: 1000 });
    expect(judge(answered, once, first, 0)).toEqual({
      kind: "fail",
      code: "not_retryable",
      message: "it broke; the call was made and is not repeated (at_most_once)",
    });
  });

  test("is tried again when the call surely never left", () => {
    expect(judge(failed({ cause: { kind: "network" } }), once, first, 0).kind).toBe("retry");
    expect(judge(failed({ cause: { kind: "timeout" } }), once, first, 0).kind).toBe("retry");
    expect(judge(failed({ cause: { kind: "lost" } }), once, first, 0).kind).toBe("retry");
    expect(judge(failed({ cause: null }), once, first, 0)).toMatchObject({ kind: "fail", code: "not_retryable" });
  });

  test("is the only mode in which doubt matters", () => {
    expect(judge(failed({ doubtful: true }), job(), first, 0).kind).toBe("retry");
  });
});

describe("the wait before a retry", () => {
  const delays = (retry: RetryPolicy, count: number) =>
    Array.from({ length: count }, (_, index) => retryDelayMs(retry, index + 1, 0.5));

  test("grows exponentially up to its cap", () => {
    expect(delays(policy({ initialDelay: "1s", multiplier: 2, maxDelay: "10s" }), 6)).toEqual([
      1000, 2000, 4000, 8000, 10_000, 10_000,
    ]);
    expect(delays(policy({ initialDelay: "100ms", multiplier: 1.5, maxDelay: "1h" }), 4)).toEqual([100, 150, 225, 338]);
  });

  test("grows linearly, or not at all", () => {
    expect(delays(policy({ backoff: "linear", initialDelay: "3s", maxDelay: "8s" }), 4)).toEqual([
      3000, 6000, 8000, 8000,
    ]);
    expect(delays(policy({ backoff: "fixed", initialDelay: "3s" }), 3)).toEqual([3000, 3000, 3000]);
    expect(delays(policy({ backoff: "fixed", initialDelay: "3s", maxDelay: "1s" }), 2)).toEqual([1000, 1000]);
  });

  test("stays finite at the hundredth attempt with the steepest growth", () => {
    const steep = policy({ multiplier: 10, maxDelay: "1d", maxAttempts: 100 });
    expect(retryDelayMs(steep, 100, 0)).toBe(86_400_000);
    expect(retryDelayMs(policy({ initialDelay: "0s", multiplier: 10 }), 100, 0)).toBe(0);
  });

  test("with jitter lies between half of it and the whole", () => {
    const jittered = policy({ jitter: true, initialDelay: "10s" });
    expect(retryDelayMs(jittered, 1, 0)).toBe(5000);
    expect(retryDelayMs(jittered, 1, 0.5)).toBe(7500);
    expect(retryDelayMs(jittered, 1, 1 - Number.EPSILON)).toBe(10_000);
  });

  test("is at least what the target asked for, but never more than a day because of it", () => {
    const wait = (retryAfterMs: number | null, retry: Partial<RetryPolicy> = {}) => {
      const verdict = judge(failed({ cause: { kind: "status", status: 429 }, retryAfterMs }), job(retry), first, 0);
      return verdict.kind === "retry" ? verdict.delayMs : null;
    };
    expect(wait(null)).toBe(1000);
    expect(wait(500)).toBe(1000);
    expect(wait(30_000)).toBe(30_000);
    expect(wait(30_000, { maxDelay: "5s" })).toBe(30_000);
    expect(wait(999 * 86_400_000)).toBe(86_400_000);
  });
});

describe("retry.maxElapsed", () => {
  const limited = job({ maxAttempts: 10, backoff: "fixed", initialDelay: "10s", maxElapsed: "1m" });

  test("allows a retry that begins just in time", () => {
    expect(judge(failed({}), limited, { attempt: 2, sinceFirstStartMs: 50_000 }, 0)).toEqual({
      kind: "retry",
      delayMs: 10_000,
    });
  });

  test("ends the chain when the next attempt would come later, also because of Retry-After", () => {
    expect(judge(failed({}), limited, { attempt: 2, sinceFirstStartMs: 50_001 }, 0)).toEqual({
      kind: "fail",
      code: "elapsed",
      message: "the next attempt would come after retry.maxElapsed (1m): it broke",
    });
    const told = failed({ cause: { kind: "status", status: 503 }, retryAfterMs: 120_000 });
    expect(judge(told, limited, first, 0)).toMatchObject({ kind: "fail", code: "elapsed" });
  });
});

test.each([
  ["2xx", 200, true],
  ["2xx", 299, true],
  ["2xx", 300, false],
  ["204", 204, true],
  ["204", 200, false],
  ["5xx", 999, false],
])("the pattern %s covers %i: %s", (pattern, status, covers) => {
  expect(matchesStatus(pattern, status)).toBe(covers);
});
