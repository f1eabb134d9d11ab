import { describe, expect, test } from "vitest";
import { type Ended, settleSchema } from "../contract/worker.ts";
import { RESULT_BYTES_MAX } from "../contract/worker-rules.ts";
import { handlerResult } from "./handler-result.ts";

function said(written: object, overdue = false) {
  const item = { id: "0195501c-8400-7000-8000-00000000abcd", token: "t", ...written };
  return handlerResult(settleSchema.parse({ items: [item] }).items[0]! as Ended, overdue);
}

describe("a handler's success", () => {
  test("is the attempt's, with its result", () => {
    expect(said({ outcome: "succeeded", result: { rows: 7 } })).toMatchObject({
      outcome: "succeeded",
      error: null,
      result: { rows: 7 },
    });
  });

  test("with a result that is too large is a failure that is not tried again", () => {
    expect(said({ outcome: "succeeded", result: "x".repeat(RESULT_BYTES_MAX - 2) }).outcome).toBe("succeeded");
    const result = said({ outcome: "succeeded", result: "é".repeat(RESULT_BYTES_MAX / 2) });
    expect(result).toMatchObject({ outcome: "failed", cause: null, result: null, error: { code: "result_too_large" } });
  });

  test("with a result that the database cannot keep is a failure that says where", () => {
    expect(said({ outcome: "succeeded", result: { name: "a\u0000b" } })).toMatchObject({
      outcome: "failed",
      cause: null,
      error: { code: "result_not_storable", message: expect.stringMatching(/^the result at name contains/) },
    });
  });
});

describe("a handler's failure", () => {
  test("keeps code, message, stack and cause, and may be tried again", () => {
    const error = { code: "SMTP", message: "no", stack: "at send", cause: "refused" };
    expect(said({ outcome: "failed", error })).toMatchObject({ outcome: "failed", error, cause: { kind: "handler" } });
  });

  test("may be a text alone, or nothing", () => {
    expect(said({ outcome: "failed", error: "broken" }).error).toEqual({ code: "handler", message: "broken" });
    expect(said({ outcome: "failed" }).error).toMatchObject({ code: "handler" });
  });

  test("that it calls final is not tried again", () => {
    expect(said({ outcome: "failed", retryable: false }).cause).toBeNull();
  });

  test("says when to try again, as a duration or in seconds", () => {
    expect(said({ outcome: "failed", retryAfter: "5m" }).retryAfterMs).toBe(300_000);
    expect(said({ outcome: "failed", retryAfter: 1.5 }).retryAfterMs).toBe(1_500);
  });

  test("with text that the database cannot keep is mended, and cut where it is too long", () => {
    const { error } = said({ outcome: "failed", error: { message: `\u0000${"x".repeat(20_000)}`, stack: "\ud800" } });
    expect(error).toMatchObject({ code: "handler", stack: "\ufffd" });
    expect(error?.message).toMatch(/^\ufffdx+…$/);
    expect(error?.message.length).toBe(16_384);
  });

  test("is a timeout if it says so and its time is over, and only then", () => {
    const error = { code: "timeout", message: "too slow" };
    expect(said({ outcome: "failed", error }, true)).toMatchObject({
      outcome: "timed_out",
      error,
      cause: { kind: "timeout" },
      doubtful: true,
    });
    expect(said({ outcome: "failed", error }, false)).toMatchObject({ outcome: "failed", cause: { kind: "handler" } });
    expect(said({ outcome: "failed", error: "other" }, true)).toMatchObject({ outcome: "failed" });
  });
});

test("what a handler gave up because it was told to is cancelled", () => {
  expect(said({ outcome: "cancelled" })).toMatchObject({ outcome: "cancelled", cause: null });
});
