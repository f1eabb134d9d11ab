import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCron } from "./parse.ts";
import { describeCron } from "./words.ts";

describe("an expression in words", () => {
  test.each([
    ["0 2 * * *", "At 02:00"],
    ["*/5 * * * *", "Every 5 minutes"],
    ["* * * * * *", "Every second"],
    ["@hourly", "Every hour"],
    ["30 9 * * MON-FRI", "At 09:30, on Monday through Friday"],
    ["0 0 1 * MON", "At 00:00, on day 1 of the month or on Monday"],
    ["0 0 FRI * *", "0 0 FRI * *"],
    ["0 0 * * FRI-MON", "At 00:00, on Friday through Monday"],
    ["0 0 * * 0,7", "At 00:00, on Sunday"],
    ["0 0 * 11-2 ?", "At 00:00, in November through February"],
    ["0 0 1 january *", "At 00:00, on day 1 of the month, in January"],
    ["0 0 */10 * *", "At 00:00, on days 1, 11, 21 and 31 of the month"],
    ["0 0 1-5,20 * *", "At 00:00, on days 1 through 5 and 20 of the month"],
    ["0 0 L * *", "At 00:00, on the last day of the month"],
    ["0 0 L-1,15 * *", "At 00:00, on day 15 and the second last day of the month"],
    ["0 0 L-3 * *", "At 00:00, on the day 3 days before the last day of the month"],
    ["0 0 LW * *", "At 00:00, on the last weekday of the month"],
    ["0 0 1W,15W * *", "At 00:00, on the weekday nearest to day 1 and the weekday nearest to day 15 of the month"],
    ["0 0 * * FRI#2", "At 00:00, on the second Friday of the month"],
    ["0 0 * * MON#1,FRIL", "At 00:00, on the first Monday and the last Friday of the month"],
    ["0 0 * * SAT#5", "At 00:00, on the fifth Saturday of the month"],
    ["0 22-2 * * *", "Every hour, between 22:00 and 02:00"],
    ["? ? ? ? ?", "Every minute"],
  ])("%s: %s", (text, words) => {
    expect(describeCron(text)).toBe(words);
  });

  test("is the same when it is asked for again, also after thousands of others", () => {
    const texts = Array.from(
      { length: 6_000 },
      (_, n) => `${n % 60} ${Math.floor(n / 60) % 24} ${(n % 28) + 1} ${(n % 12) + 1} *`,
    );
    const first = texts.map(describeCron);
    expect(texts.map(describeCron)).toEqual(first);
    expect(first[61]).toBe("At 01:01, on day 6 of the month, in February");
  });

  test("there is one for every expression that is accepted", () => {
    const item = (max: number) =>
      fc.oneof(fc.integer({ min: 1, max }).map(String), fc.constantFrom("*", "*/2", "3-1", "2-5/2", "?", "*,2"));
    const time = fc.tuple(item(59), item(59), item(23)).map((fields) => fields.join(" "));
    fc.assert(
      fc.property(time, fc.constantFrom("1 * *", "* * *", "LW 2 1#5", "1-31 * 0-7"), (start, end) => {
        const text = `${start} ${end}`;
        fc.pre(parseCron(text).ok);
        expect(describeCron(text)).toMatch(/^[A-Z][a-z]+ .*[a-z0-9]$/);
      }),
      { numRuns: 300 },
    );
  });
});
