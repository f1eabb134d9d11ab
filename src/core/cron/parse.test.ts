import { describe, expect, test } from "vitest";
import { atOrAfter } from "./bits.ts";
import type { CronExpression } from "./expression.ts";
import { parseCron } from "./parse.ts";
import { ANY_DAY, ANY_WEEKDAY, ELAPSED } from "./sets.ts";

function accepted(text: string): CronExpression {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.expression;
}

function refusal(text: string): string {
  const parsed = parseCron(text);
  return parsed.ok ? "accepted" : parsed.problem.message;
}

function minutes(field: string): number[] {
  const { minutesLow, minutesHigh } = accepted(`${field} * * * *`);
  const found: number[] = [];
  for (let at = atOrAfter(minutesLow, minutesHigh, 0); at >= 0; at = atOrAfter(minutesLow, minutesHigh, at + 1))
    found.push(at);
  return found;
}

function values(bits: number, first: number): number[] {
  return Array.from({ length: 31 }, (_, index) => index + first).filter((value) => (bits >>> (value - first)) & 1);
}

const hours = (field: string) => values(accepted(`0 ${field} * * *`).hours, 0);
const days = (field: string) => values(accepted(`0 0 ${field} * *`).days, 1);
const months = (field: string) => values(accepted(`0 0 1 ${field} *`).months, 1);
const weekdays = (field: string) => values(accepted(`0 0 * * ${field}`).weekdays, 0);

describe("what is understood", () => {
  test("values, lists, ranges and steps", () => {
    expect(minutes("7")).toEqual([7]);
    expect(minutes("07,3,59,3")).toEqual([3, 7, 59]);
    expect(minutes("28-31")).toEqual([28, 29, 30, 31]);
    expect(minutes("*/20")).toEqual([0, 20, 40]);
    expect(minutes("5/20")).toEqual([5, 25, 45]);
    expect(minutes("10-30/10")).toEqual([10, 20, 30]);
    expect(minutes("4-4")).toEqual([4]);
    expect(minutes("1,30-32,*/25")).toEqual([0, 1, 25, 30, 31, 32, 50]);
    expect(minutes("*")).toHaveLength(60);
    expect(minutes("?")).toHaveLength(60);
    expect(days("*/10")).toEqual([1, 11, 21, 31]);
  });

  test("names, short and long, in any case", () => {
    expect(months("jan,MAR,May,sePTember")).toEqual([1, 3, 5, 9]);
    expect(weekdays("mon,WEDNESDAY,Sat")).toEqual([1, 3, 6]);
    expect(months("FEB-april")).toEqual([2, 3, 4]);
  });

  test("Sunday is 0 and 7", () => {
    expect(weekdays("0")).toEqual([0]);
    expect(weekdays("7")).toEqual([0]);
    expect(weekdays("5-7")).toEqual([0, 5, 6]);
    expect(weekdays("0-7")).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(weekdays("7-2")).toEqual([0, 1, 2]);
    expect(weekdays("7/3")).toEqual([0, 3, 6]);
    expect(weekdays("1/3")).toEqual([1, 4]);
  });

  test("ranges that pass the end of their field", () => {
    expect(hours("22-2")).toEqual([0, 1, 2, 22, 23]);
    expect(weekdays("FRI-MON")).toEqual([0, 1, 5, 6]);
    expect(months("NOV-feb")).toEqual([1, 2, 11, 12]);
    expect(days("30-2")).toEqual([1, 2, 30, 31]);
    expect(minutes("30-29")).toHaveLength(60);
  });

  test("steps across the end of a field count on between numbers, and start anew between names", () => {
    expect(hours("21-4/3")).toEqual([0, 3, 21]);
    expect(months("10-4/2")).toEqual([2, 4, 10, 12]);
    expect(months("OCT-APR/2")).toEqual([1, 3, 10, 12]);
    expect(weekdays("WED-TUE/2")).toEqual([0, 2, 3, 5]);
  });

  test("special days", () => {
    expect(values(accepted("0 0 L,l-3,15 * *").daysBeforeLast, 0)).toEqual([0, 3]);
    expect(values(accepted("0 0 1W,31w * *").nearestWeekdays, 1)).toEqual([1, 31]);
    expect(values(accepted("0 0 * * friL,0#L").lastWeekdays, 0)).toEqual([0, 5]);
    expect(values(accepted("0 0 * * MON#2").nthWeekdays, 0)).toEqual([8]);
    expect(values(accepted("0 0 * * SAT-SUN#5").fifthWeekdays, 0)).toEqual([0, 6]);
  });

  test("six fields begin with seconds; five mean second 0", () => {
    expect(accepted("30 5 * * * *").secondsHigh).toBe(1);
    expect(accepted("5 * * * *").secondsLow).toBe(1);
  });

  test("macros, in any case, and spaces and tabs around fields", () => {
    expect(accepted(" @Daily ")).toEqual(accepted("0 0 * * *"));
    expect(accepted("@annually")).toEqual(accepted("0 0 1 JAN ?"));
    expect(accepted("@weekly")).toEqual(accepted("0\t0  *   *\t\tSUN"));
    expect(accepted("@monthly")).toEqual(accepted("0 0 1 * *"));
    expect(accepted("@hourly")).toEqual(accepted("0 * * * *\n"));
    expect(accepted("@midnight")).toEqual(accepted("@DAILY"));
    expect(accepted("@yearly")).toEqual(accepted("@annually"));
  });

  test("a star or question mark leaves the day to the other field; a step that leaves days out does not", () => {
    const flags = (text: string) => accepted(text).flags & (ANY_DAY | ANY_WEEKDAY);
    expect(flags("0 0 * * MON")).toBe(ANY_DAY);
    expect(flags("0 0 ? * MON")).toBe(ANY_DAY);
    expect(flags("0 0 */1 * MON")).toBe(ANY_DAY);
    expect(flags("0 0 13 * *,5")).toBe(ANY_WEEKDAY);
    expect(flags("0 0 */2 * MON")).toBe(0);
    expect(flags("0 0 1-31 * MON")).toBe(0);
    expect(flags("0 0 L * 0-6")).toBe(0);
  });

  test("elapsed time counts if second, minute or hour begins with a star", () => {
    const elapsed = (text: string) => (accepted(text).flags & ELAPSED) !== 0;
    expect(
      ["* 2 * * *", "0 * * * *", "*/5 2 * * *", "* 0 2 * * *", "0 0 */2 * * *", "*,3 2 * * *", "? 2 * * *"].filter(
        elapsed,
      ),
    ).toHaveLength(7);
    expect(["0 2 * * *", "0-59 2 * * *", "0/5 0-23 * * *", "30 2 * * *", "3,* 2 * * *"].filter(elapsed)).toEqual([]);
  });
});

describe("what is refused", () => {
  test.each([
    ["60 * * * *", 'minute: "60" is out of range 0-59'],
    ["* 24 * * *", 'hour: "24" is out of range 0-23'],
    ["0 0 0 * *", 'day of month: "0" is out of range 1-31'],
    ["0 0 * 13 *", 'month: "13" is out of range 1-12'],
    ["0 0 * * 8", 'day of week: "8" is out of range 0-7'],
    ["60 * * * * *", 'second: "60" is out of range 0-59'],
    ["5-70 * * * *", 'minute: "70" is out of range 0-59'],
    ["-5 * * * *", 'minute: "-5" is out of range 0-59'],
    ["007 * * * *", 'minute: "007" is out of range 0-59'],
    ["x * * * *", 'minute: "x" is not 0-59'],
    ["1-x * * * *", 'minute: "1-x" contains "x", which is not 0-59'],
    ["0 0 * Foo *", 'month: "Foo" is not 1-12 or a name such as JAN'],
    ["0 0 * * MONDAYS", 'day of week: "MONDAYS" is not 0-7 or a name such as MON'],
    ["*/0 * * * *", 'minute: "*/0" has the step "0", allowed are 1-59'],
    ["*/60 * * * *", 'minute: "*/60" has the step "60", allowed are 1-59'],
    ["0 1/24 * * *", 'hour: "1/24" has the step "24", allowed are 1-23'],
    ["0 0 */32 * *", 'day of month: "*/32" has the step "32", allowed are 1-31'],
    ["0 0 * */13 *", 'month: "*/13" has the step "13", allowed are 1-12'],
    ["0 0 * * */8", 'day of week: "*/8" has the step "8", allowed are 1-7'],
    ["*/ * * * *", 'minute: "*/" has no step after the slash, allowed are 1-59'],
    ["*/5/5 * * * *", 'minute: "*/5/5" has the step "5/5", allowed are 1-59'],
    ["1,,2 * * * *", 'minute: "1,,2" has nothing on one side of a comma'],
    ["1- * * * *", 'minute: "1-" lacks a number; allowed are 0-59'],
    ["L * * * *", 'minute: "L" is for the day of the month only; allowed are 0-59'],
    ["0 0 * * W", 'day of week: "W" is for the day of the month only; allowed are 0-7 or a name such as MON'],
    ["0 0 FRI#2 * *", 'day of month: "FRI#2" is for the day of the week only; allowed are 1-31'],
    ["0 0 * * FRI#6", 'day of week: "FRI#6" does not end in #1 to #5, or #L for the last one'],
    ["0 0 * * *#2", 'day of week: "*#2" needs a day before the #, such as MON#1'],
    ["0 0 1-5W * *", 'day of month: "1-5W" is not one of 1W to 31W and LW'],
    ["0 0 L-31 * *", 'day of month: "L-31" is not one of L-0 to L-30'],
    ["0 0 L-x * *", 'day of month: "L-x" is not one of L-0 to L-30'],
    ["?,5 * * * *", 'minute: "?" has a "?" that does not stand alone; allowed are 0-59'],
    ["H * * * *", 'minute: "H" is a hashed value, which is not supported; allowed are 0-59'],
    ["0 H(2-4) * * *", 'hour: "H(2-4)" is a hashed value, which is not supported; allowed are 0-23'],
    ["", '"" is empty: write five fields, such as "0 2 * * *"'],
    ["* * * *", '"* * * *" has 4 fields, not five (or six with seconds first)'],
    [
      "0 0 0 1 1 * 2027",
      '"0 0 0 1 1 * 2027" has 7 fields, not five (or six with seconds first); there is no field for years, use "startsAt" and "endsAt"',
    ],
    [
      "@every 5m",
      '"@every 5m" is not one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly; for intervals use "every" instead of "cron"',
    ],
    ["@reboot", '"@reboot" is not one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
  ])("%j: %s", (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test("a problem names field and token apart from the message", () => {
    const parsed = parseCron("0 0 * feb-foo *");
    expect(parsed).toMatchObject({ ok: false, problem: { field: "month", token: "feb-foo" } });
  });

  test("letters of other scripts that turn into ours in upper case", () => {
    expect(refusal("0 0 * * ſun")).toContain('contains "ſ"');
    expect(refusal("0 0 * * frı")).toContain('contains "ı"');
    expect(refusal("0 0 * * *\u00a0*")).toContain("which is not allowed anywhere");
    expect(refusal("0 0 * * *\n* * * * *")).toContain('contains "\\n"');
  });

  test("long texts, without looking at them", () => {
    expect(refusal("* ".repeat(1_000_000))).toContain("has 2000000 characters, at most 256 are allowed");
    expect(refusal(`${"0,".repeat(122)}0 * * * *`)).toBe("accepted");
  });
});
