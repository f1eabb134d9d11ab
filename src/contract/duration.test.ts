import { describe, expect, test } from "vitest";
import { DURATION_MAX_MS, formatDuration, parseDuration } from "./duration.ts";
import { duration, durationWithin } from "./duration-schema.ts";

describe("durations", () => {
  test.each([
    ["250ms", 250],
    ["90s", 90_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["0s", 0],
    ["3650d", DURATION_MAX_MS],
  ])("%s is %i milliseconds, and stays a string in requests", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(duration.parse(text)).toBe(text);
  });

  test.each([
    "",
    "5",
    "5 m",
    "5M",
    "-5m",
    "+5m",
    "1.5h",
    "1h30m",
    "m",
    "5min",
    "0x5s",
    "５m",
    "1e3s",
    "5m\n",
    "9".repeat(40),
  ])("%j is refused with an example of what is meant", (text) => {
    const parsed = duration.safeParse(text);
    expect(parsed.error?.issues[0]?.message).toContain('such as "250ms"');
    expect(parsed.error?.issues[0]?.message).toContain(text.slice(0, 10).trim());
    expect(() => parseDuration(text)).toThrow(RangeError);
  });

  test("what is not a string is refused with the value seen", () => {
    expect(duration.safeParse(90).error?.issues[0]?.message).toContain("90 is not a duration");
    expect(duration.safeParse(null).error?.issues[0]?.message).toContain("null is not a duration");
  });

  test("more than ten years are a slip of the keyboard", () => {
    expect(duration.safeParse("3651d").error?.issues[0]?.message).toBe('"3651d" is longer than the most, 3650d');
    expect(() => parseDuration("999999999999d")).toThrow(RangeError);
  });

  test("a field may set limits of its own, both of them allowed", () => {
    const timeout = durationWithin({ min: "1s", max: "1h" });
    expect(timeout.safeParse("1s").success).toBe(true);
    expect(timeout.safeParse("60m").success).toBe(true);
    expect(timeout.safeParse("999ms").error?.issues[0]?.message).toBe('"999ms" is shorter than the least, 1s');
    expect(timeout.safeParse("61m").error?.issues[0]?.message).toBe('"61m" is longer than the most, 1h');
  });

  test.each([
    [0, "0s"],
    [1, "1ms"],
    [1_500, "1500ms"],
    [90_000, "90s"],
    [5_400_000, "90m"],
    [7_200_000, "2h"],
    [172_800_000, "2d"],
  ])("%i milliseconds are written %s, and read back the same", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
    expect(parseDuration(text)).toBe(ms);
  });

  test("only whole milliseconds can be written", () => {
    expect(() => formatDuration(0.5)).toThrow(RangeError);
    expect(() => formatDuration(-1)).toThrow(RangeError);
  });
});
