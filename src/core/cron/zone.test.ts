import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Zone, zoneNamed } from "./zone.ts";

function zone(name: string): Zone {
  const found = zoneNamed(name);
  if (found === null) throw new Error(`no zone ${name}`);
  return found;
}

const seconds = (text: string) => Date.parse(text) / 1_000;

/** What the clock shows, asked from Intl every time. */
function offsetByIntl(name: string, second: number): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(second * 1_000);
  const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value);
  const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return wall / 1_000 - second;
}

describe("a zone knows", () => {
  test.each([
    ["America/New_York", "2026-03-08T07:00:00Z", -5, -4],
    ["America/New_York", "2026-11-01T06:00:00Z", -4, -5],
    ["Europe/London", "2026-10-25T01:00:00Z", 1, 0],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z", 11, 10.5],
    ["Australia/Lord_Howe", "2026-10-03T15:30:00Z", 10.5, 11],
    ["America/Sao_Paulo", "2018-11-04T03:00:00Z", -3, -2],
    ["Asia/Kathmandu", "1985-12-31T18:30:00Z", 5.5, 5.75],
    ["Pacific/Apia", "2011-12-30T10:00:00Z", -10, 14],
    ["Pacific/Kiritimati", "1994-12-31T10:00:00Z", -10, 14],
    ["Africa/Casablanca", "2025-02-23T02:00:00Z", 1, 0],
    ["Africa/Casablanca", "2025-04-06T02:00:00Z", 0, 1],
    ["Asia/Beirut", "2024-03-30T22:00:00Z", 2, 3],
    ["America/Havana", "2024-11-03T05:00:00Z", -4, -5],
  ])("that the clock of %s changes at %s from %f to %f hours", (name, at, before, after) => {
    const change = zone(name).at(seconds(at));
    expect(change.start).toBe(seconds(at));
    expect(change.offset / 3_600).toBe(after);
    expect(zone(name).at(seconds(at) - 1).offset / 3_600).toBe(before);
    expect(change.reached).toBe(seconds(at) + before * 3_600);
  });

  test("local mean times to the second", () => {
    expect(zone("Africa/Monrovia").at(seconds("1971-06-01T00:00:00Z")).offset).toBe(-(44 * 60 + 30));
    expect(zone("Europe/Amsterdam").at(seconds("1700-06-01T00:00:00Z")).offset).toBe(
      offsetByIntl("Europe/Amsterdam", seconds("1700-06-01T00:00:00Z")),
    );
  });

  test("that UTC never changes, without asking", () => {
    expect(zone("UTC").at(seconds("2026-06-01T00:00:00Z"))).toBe(zone("UTC").at(seconds("1600-01-01T00:00:00Z")));
    expect(zone("Etc/UTC").changes(seconds("2000-01-01T00:00:00Z"), seconds("2030-01-01T00:00:00Z"))).toEqual([]);
  });

  test("the same as Intl at any time of any zone", () => {
    const names = [...Intl.supportedValuesOf("timeZone"), "Asia/Kolkata", "US/Eastern"];
    const recent = fc.integer({ min: seconds("1970-01-01T00:00:00Z"), max: seconds("2040-01-01T00:00:00Z") });
    const ever = fc.integer({ min: seconds("1800-01-01T00:00:00Z"), max: seconds("9999-12-31T00:00:00Z") });
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.oneof(recent, ever), (name, second) => {
        expect(zone(name).at(second).offset).toBe(offsetByIntl(name, second));
      }),
      { numRuns: 800 },
    );
  });

  test("stretches that join without a hole", () => {
    for (const name of ["Europe/Berlin", "Africa/Casablanca", "Pacific/Apia", "Asia/Gaza"]) {
      let stretch = zone(name).at(seconds("1890-01-01T00:00:00Z"));
      while (stretch.end < seconds("2200-01-01T00:00:00Z")) {
        const next = zone(name).at(stretch.end);
        expect(next.start).toBe(stretch.end);
        expect(next.reached).toBe(stretch.end + stretch.offset);
        stretch = next;
      }
    }
  });
});

describe("wall times", () => {
  const wall = (text: string) => Date.parse(`${text}Z`) / 1_000;

  test.each([
    ["Europe/Berlin", "2026-06-01T12:00:00", "2026-06-01T10:00:00Z"],
    ["Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"],
    ["America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:00:00Z"],
    ["Pacific/Apia", "2011-12-29T23:59:59", "2011-12-30T09:59:59Z"],
    ["Pacific/Apia", "2011-12-31T00:00:00", "2011-12-30T10:00:00Z"],
    ["UTC", "2026-06-01T12:00:00", "2026-06-01T12:00:00Z"],
  ])("in %s at %s it is %s", (name, text, instant) => {
    expect(zone(name).secondOf(wall(text))).toBe(seconds(instant));
  });

  test("of a day that was left out do not exist", () => {
    expect(zone("Pacific/Apia").secondOf(wall("2011-12-30T12:00:00"))).toBe(null);
  });
});

describe("names", () => {
  test("are compared without case, and share what is known of them", () => {
    expect(zoneNamed("europe/BERLIN")).toBe(zoneNamed("Europe/Berlin"));
  });

  test.each([
    "",
    "Europe/Berln",
    "Mars/Olympus",
    "+02:00",
    "-05",
    "GMT+2",
    "../../etc/passwd",
    "BST",
    "IST",
    "PST",
    "SystemV/AST4",
  ])("%j is none", (name) => {
    expect(zoneNamed(name)).toBe(null);
  });

  test.each(["UTC", "GMT", "EST", "CET", "US/Pacific", "Etc/GMT+5", "America/Argentina/Ushuaia"])(
    "%j is one",
    (name) => {
      expect(zoneNamed(name)).not.toBe(null);
    },
  );
});
