import { describe, expect, test } from "vitest";
import { type DstPolicy, Occurrences } from "./occurrences.ts";
import { parseCron } from "./parse.ts";
import { zoneNamed } from "./zone.ts";

function occurrences(text: string, zone = "UTC", dst: Partial<DstPolicy> = {}): Occurrences {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return new Occurrences(parsed.expression, zoneNamed(zone)!, { gap: "shift", fold: "first", ...dst });
}

/** The instants after a time, up to and including another. */
function between(table: Occurrences, after: string, until: string): string[] {
  const found: string[] = [];
  for (let at = table.next(Date.parse(after)); at !== null && at <= Date.parse(until); at = table.next(at)) {
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

function next(text: string, after: string, zone?: string): string | null {
  const at = occurrences(text, zone).next(Date.parse(after));
  return at === null ? null : new Date(at).toISOString();
}

describe("days", () => {
  test.each([
    ["0 0 */5 * *", "2026-02-27T00:00:00Z", "2026-03-01T00:00:00.000Z"],
    ["0 0 31 * *", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00.000Z"],
    ["0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00.000Z"],
    ["0 0 L * *", "2028-02-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 L-2 * *", "2026-02-01T00:00:00Z", "2026-02-26T00:00:00.000Z"],
    ["0 0 L-30 * *", "2026-01-15T00:00:00Z", "2026-03-01T00:00:00.000Z"],
    ["0 0 LW * *", "2026-05-15T00:00:00Z", "2026-05-29T00:00:00.000Z"],
    ["0 0 1W * *", "2026-07-15T00:00:00Z", "2026-08-03T00:00:00.000Z"],
    ["0 0 15W * *", "2026-08-01T00:00:00Z", "2026-08-14T00:00:00.000Z"],
    ["0 0 15W * *", "2026-11-01T00:00:00Z", "2026-11-16T00:00:00.000Z"],
    ["0 0 31W * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00.000Z"],
    ["0 0 31W * *", "2026-06-01T00:00:00Z", "2026-07-31T00:00:00.000Z"],
    ["0 0 * * FRI#2", "2026-05-01T00:00:00Z", "2026-05-08T00:00:00.000Z"],
    ["0 0 * * FRI#5", "2026-06-01T00:00:00Z", "2026-07-31T00:00:00.000Z"],
    ["0 0 * * SUNL", "2026-05-01T00:00:00Z", "2026-05-31T00:00:00.000Z"],
    ["0 0 * 2 MON#5", "2026-01-01T00:00:00Z", "2044-02-29T00:00:00.000Z"],
    ["0 0 * 2 SUN#5", "2088-01-01T00:00:00Z", "2088-02-29T00:00:00.000Z"],
    ["0 0 * 2 SUN#5", "2088-03-01T00:00:00Z", "2128-02-29T00:00:00.000Z"],
  ])("%s after %s comes at %s", (text, after, expected) => {
    expect(next(text, after)).toBe(expected);
  });

  test("with both day fields given, either may match", () => {
    expect(between(occurrences("0 0 13 * FRI"), "2026-03-07T00:00:00Z", "2026-04-14T00:00:00Z")).toEqual([
      "2026-03-13T00:00Z",
      "2026-03-20T00:00Z",
      "2026-03-27T00:00Z",
      "2026-04-03T00:00Z",
      "2026-04-10T00:00Z",
      "2026-04-13T00:00Z",
    ]);
    expect(between(occurrences("0 0 30 2 MON"), "2026-02-15T00:00:00Z", "2026-03-15T00:00:00Z")).toEqual([
      "2026-02-16T00:00Z",
      "2026-02-23T00:00Z",
    ]);
  });

  test("a star in one of them leaves it to the other", () => {
    expect(between(occurrences("0 0 ? * MON"), "2026-03-01T00:00:00Z", "2026-03-10T00:00:00Z")).toEqual([
      "2026-03-02T00:00Z",
      "2026-03-09T00:00Z",
    ]);
    expect(between(occurrences("0 0 */1 * MON"), "2026-03-01T00:00:00Z", "2026-03-05T00:00:00Z")).toEqual([
      "2026-03-02T00:00Z",
    ]);
  });
});

describe("where the clock goes forward", () => {
  // In Berlin 02:00 to 03:00 is missing on 29 March 2026.
  const night = ["2026-03-28T22:00:00Z", "2026-03-29T03:00:00Z"] as const;

  test("fixed times in the gap run once, together, when it is over", () => {
    expect(between(occurrences("0,15,45 2 * * *", "Europe/Berlin"), ...night)).toEqual(["2026-03-29T01:00Z"]);
    expect(between(occurrences("30 2,3 * * *", "Europe/Berlin"), ...night)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
    ]);
  });

  test("and together with a time that is due at that moment anyway", () => {
    const table = occurrences("0,30 2,3 * * *", "Europe/Berlin");
    expect(between(table, ...night)).toEqual(["2026-03-29T01:00Z", "2026-03-29T01:30Z"]);
    expect(table.count(Date.parse(night[0]), Date.parse(night[1]))).toBe(2);
  });

  test("or not at all, if the job says so", () => {
    expect(between(occurrences("30 1,2,3 * * *", "Europe/Berlin", { gap: "skip" }), ...night)).toEqual([
      "2026-03-29T00:30Z",
      "2026-03-29T01:30Z",
    ]);
  });

  test("jobs that begin with a star just go on", () => {
    expect(
      between(occurrences("*/30 * * * *", "Europe/Berlin"), "2026-03-29T00:00:00Z", "2026-03-29T02:00:00Z"),
    ).toEqual(["2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z", "2026-03-29T02:00Z"]);
    expect(between(occurrences("*/30 2 * * *", "Europe/Berlin"), ...night)).toEqual([]);
  });

  test("midnight itself may be missing", () => {
    expect(
      between(occurrences("0 0 * * *", "America/Sao_Paulo"), "2018-11-03T12:00:00Z", "2018-11-05T12:00:00Z"),
    ).toEqual(["2018-11-04T03:00Z", "2018-11-05T02:00Z"]);
    expect(next("30 0 31 3 *", "2024-03-30T12:00:00Z", "Asia/Beirut")).toBe("2024-03-30T22:00:00.000Z");
    expect(next("0 0 * * SUN", "2024-03-09T12:00:00Z", "America/Havana")).toBe("2024-03-10T05:00:00.000Z");
  });

  test("half an hour may be missing", () => {
    expect(
      between(occurrences("15 2 * * *", "Australia/Lord_Howe"), "2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z"),
    ).toEqual(["2026-10-03T15:30Z", "2026-10-04T15:15Z"]);
  });

  test("a day that is missing whole has no runs, not even late ones", () => {
    const days = ["2011-12-29T00:00:00Z", "2012-01-01T12:00:00Z"] as const;
    expect(between(occurrences("0 12 * * *", "Pacific/Apia"), ...days)).toEqual([
      "2011-12-29T22:00Z",
      "2011-12-30T22:00Z",
      "2011-12-31T22:00Z",
    ]);
    expect(between(occurrences("0 12 30 12 *", "Pacific/Apia"), ...days)).toEqual([]);
    expect(next("0 12 30 12 *", days[0], "Pacific/Apia")).toBe("2012-12-29T22:00:00.000Z");
  });

  test("a time that lies in the gap every year, and is left out by policy, never comes", () => {
    const table = occurrences("30 2 * 3 SUN#2", "America/New_York", { gap: "skip" });
    expect(table.next(Date.parse("2026-01-01T00:00:00Z"))).toBe(null);
    expect(table.count(Date.parse("2026-01-01T00:00:00Z"), Date.parse("2500-01-01T00:00:00Z"))).toBe(0);
    // Before 2007 the clock was changed in April.
    expect(table.previous(Date.parse("2026-01-01T00:00:00Z"))).toBe(Date.parse("2006-03-12T07:30:00Z"));
    expect(table.previous(Date.parse("9000-01-01T00:00:00Z"))).toBe(Date.parse("2006-03-12T07:30:00Z"));
  });
});

describe("where the clock goes back", () => {
  // In Berlin 02:00 to 03:00 comes twice on 25 October 2026, from 00:00 and from 01:00 UTC.
  const night = ["2026-10-24T22:00:00Z", "2026-10-25T03:00:00Z"] as const;

  test("fixed times run in the first pass", () => {
    expect(between(occurrences("30 1,2,3 * * *", "Europe/Berlin"), ...night)).toEqual([
      "2026-10-24T23:30Z",
      "2026-10-25T00:30Z",
      "2026-10-25T02:30Z",
    ]);
  });

  test("also when the search begins in the second", () => {
    expect(next("30 2 * * *", "2026-10-25T01:10:00Z", "Europe/Berlin")).toBe("2026-10-26T01:30:00.000Z");
    expect(occurrences("30 2 * * *", "Europe/Berlin").previous(Date.parse("2026-10-25T01:40:00Z"))).toBe(
      Date.parse("2026-10-25T00:30:00Z"),
    );
  });

  test("up to its last second", () => {
    expect(next("30 59 2 * * *", "2026-10-25T01:59:10Z", "Europe/Berlin")).toBe("2026-10-26T01:59:30.000Z");
    expect(next("0 0 3 * * *", "2026-10-25T01:59:59Z", "Europe/Berlin")).toBe("2026-10-25T02:00:00.000Z");
  });

  test("or in both, if the job says so", () => {
    expect(between(occurrences("30 2 * * *", "Europe/Berlin", { fold: "both" }), ...night)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-25T01:30Z",
    ]);
  });

  test("jobs that begin with a star run in both", () => {
    expect(between(occurrences("0 * * * *", "Europe/Berlin"), ...night)).toHaveLength(5);
    expect(between(occurrences("*/30 2 * * *", "Europe/Berlin"), ...night)).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T00:30Z",
      "2026-10-25T01:00Z",
      "2026-10-25T01:30Z",
    ]);
  });

  test("the day before may come back", () => {
    expect(
      between(occurrences("30 23 * * *", "America/Sao_Paulo"), "2018-02-17T12:00:00Z", "2018-02-19T12:00:00Z"),
    ).toEqual(["2018-02-18T01:30Z", "2018-02-19T02:30Z"]);
    expect(between(occurrences("0 0 * * *", "America/Havana"), "2024-11-02T12:00:00Z", "2024-11-04T12:00:00Z")).toEqual(
      ["2024-11-03T04:00Z", "2024-11-04T05:00Z"],
    );
  });
});

describe("limits", () => {
  test("instants are in the years 1 to 9999", () => {
    const table = occurrences("0 0 * * *");
    expect(table.next(Date.parse("9999-12-31T00:00:00Z"))).toBe(null);
    expect(table.next(Number.POSITIVE_INFINITY)).toBe(null);
    expect(table.previous(Date.parse("0001-01-01T00:00:00Z"))).toBe(null);
    expect(table.previous(Number.NEGATIVE_INFINITY)).toBe(null);
    expect(table.next(Number.NEGATIVE_INFINITY)).toBe(Date.parse("0001-01-01T00:00:00Z"));
    expect(table.previous(Number.POSITIVE_INFINITY)).toBe(Date.parse("9999-12-31T00:00:00Z"));
    expect(table.next(Number.NaN)).toBe(null);
    expect(table.count(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(3_652_059);
  });

  test("fractions of a second are passed over", () => {
    const table = occurrences("* * * * * *");
    expect(table.next(999)).toBe(1_000);
    expect(table.next(1_000)).toBe(2_000);
    expect(table.previous(1_001)).toBe(1_000);
    expect(table.previous(1_000)).toBe(0);
    expect(table.count(999, 1_000)).toBe(1);
    expect(table.count(1_000, 1_999)).toBe(0);
    expect(table.count(5_000, 1_000)).toBe(0);
  });

  test("a year of seconds is counted, not walked, also where the clock changes", () => {
    const year = [Date.parse("2026-01-01T00:00:00Z") - 1, Date.parse("2027-01-01T00:00:00Z") - 1] as const;
    expect(occurrences("* * * * * *").count(...year)).toBe(31_536_000);
    expect(occurrences("* * * * * *", "Europe/Berlin").count(...year)).toBe(31_536_000);
    // The same minutes, but named one by one: those that come twice count once.
    expect(occurrences("0 0-59 0-23 * * *", "Europe/Berlin").count(...year)).toBe(525_600 - 60);
  });
});
