import { expect, test } from "vitest";
import { NoRetry, RetryAfter } from "./retry.ts";

test("RetryAfter takes a duration, milliseconds or a moment", () => {
  expect(new RetryAfter("5m").afterMs).toBe(300_000);
  expect(new RetryAfter(1_500.4).afterMs).toBe(1_500);
  expect(new RetryAfter(new Date(Date.now() + 60_000)).afterMs).toBeGreaterThan(59_000);
  expect(new RetryAfter(new Date(0)).afterMs).toBe(0);
  expect(new RetryAfter("5m").message).toBe("the handler asked to be tried again in 5m");
  const cause = new Error("429");
  expect(new RetryAfter("1s", { message: "too many", cause })).toMatchObject({ message: "too many", cause });
});

test.each(["5 minutes", "", -1, Number.NaN, Number.POSITIVE_INFINITY, new Date("nonsense")])(
  "RetryAfter(%s) is refused where it is written",
  (delay) => {
    expect(() => new RetryAfter(delay)).toThrow(RangeError);
  },
);

test("NoRetry is an error with its message and cause", () => {
  const cause = new Error("410");
  const thrown = new NoRetry("the customer is gone", { cause });
  expect(thrown).toMatchObject({ name: "NoRetry", message: "the customer is gone", cause });
  expect(new NoRetry("x")).not.toHaveProperty("cause");
});
