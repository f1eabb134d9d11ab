import { describe, expect, test } from "vitest";
import { dayBounds, instantAt, localParts, wallText, wallTextOf } from "./wall-time.ts";

describe("the instant of a time on the wall", () => {
  test("a time is read as the clock of the zone shows it", () => {
    expect(instantAt("2026-11-15T22:30", "Europe/Berlin")).toEqual(new Date("2026-11-15T21:30:00Z"));
    expect(instantAt("2026-07-15T22:30", "Europe/Berlin")).toEqual(new Date("2026-07-15T20:30:00Z"));
    expect(instantAt("2026-11-15T22:30", "Asia/Kathmandu")).toEqual(new Date("2026-11-15T16:45:00Z"));
    expect(instantAt("2026-11-15T22:30:15", "UTC")).toEqual(new Date("2026-11-15T22:30:15Z"));
  });

  test("a time that the clock shows twice is the first of the two", () => {
    expect(instantAt("2026-10-25T02:30", "Europe/Berlin")).toEqual(new Date("2026-10-25T00:30:00Z"));
  });

  test("a time that the clock leaves out is as long after the gap", () => {
    expect(instantAt("2026-03-29T02:30", "Europe/Berlin")).toEqual(new Date("2026-03-29T01:30:00Z"));
  });

  test("what is no time is null", () => {
    for (const text of ["", "tomorrow", "2026-11-15", "2026-13-45T99:00", "2026-02-30T09:00"])
      expect(instantAt(text, "UTC")).toBeNull();
  });

  test("a day is as long as it is in the zone", () => {
    const hours = (date: string, zone: string) => {
      const { from, to } = dayBounds(date, zone)!;
      return (to.getTime() - from.getTime()) / 3_600_000;
    };
    expect(dayBounds("2026-11-15", "Europe/Berlin")).toEqual({
      from: new Date("2026-11-14T23:00:00Z"),
      to: new Date("2026-11-15T23:00:00Z"),
    });
    expect(hours("2026-03-29", "Europe/Berlin")).toBe(23);
    expect(hours("2026-10-25", "Europe/Berlin")).toBe(25);
    expect(hours("2026-02-28", "UTC")).toBe(24);
    expect(hours("2026-12-31", "UTC")).toBe(24);
  });

  test("where midnight is skipped the day begins at its first moment", () => {
    // In Cairo the clocks went from 23:59:59 to 01:00:00 at the end of 23 April 2026.
    expect(dayBounds("2026-04-24", "Africa/Cairo")?.from).toEqual(new Date("2026-04-23T22:00:00Z"));
  });

  test("what is no date is not taken for one", () => {
    for (const text of ["2026-02-30", "15.11.2026", "2026-11", "today", ""]) expect(dayBounds(text, "UTC")).toBeNull();
  });
});

describe("the time on the wall at an instant", () => {
  test("an instant is written as the zone's clock shows it", () => {
    expect(wallText(new Date("2026-11-15T21:30:00Z"), "Europe/Berlin")).toBe("2026-11-15T22:30");
    expect(wallText(new Date("2026-11-15T21:30:59.999Z"), "UTC")).toBe("2026-11-15T21:30");
  });

  test("what was read is written again as it was", () => {
    for (const zone of ["UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Kiritimati"])
      expect(wallText(instantAt("2026-02-28T23:59", zone)!, zone)).toBe("2026-02-28T23:59");
  });

  test("an instant that somebody wrote keeps its seconds, if there are any", () => {
    expect(wallTextOf("2026-12-01T08:00:00.000Z", "Europe/Berlin")).toBe("2026-12-01T09:00");
    expect(wallTextOf("2026-07-01T08:00:00Z", "Europe/Berlin")).toBe("2026-07-01T10:00");
    expect(wallTextOf("2026-12-01T23:30:15+01:00", "America/New_York")).toBe("2026-12-01T17:30:15");
    expect(wallTextOf("2026-12-01T00:00:00Z", "UTC")).toBe("2026-12-01T00:00");
  });

  test("what was written without an offset already is such a time", () => {
    expect(wallTextOf("2026-12-01T09:00", "Asia/Tokyo")).toBe("2026-12-01T09:00");
    expect(wallTextOf("2026-12-01T09:00:00.000", "Asia/Tokyo")).toBe("2026-12-01T09:00");
  });

  test("what is no time is shown as none", () => {
    expect(wallTextOf("2026-13-45T99:00:00Z", "UTC")).toBe("");
  });

  test("an instant of a schedule is told with its weekday and offset", () => {
    expect(localParts("2027-03-28T03:00:00+02:00")).toEqual({
      day: "Sun, 28 Mar 2027",
      clock: "03:00",
      offset: "UTC+02:00",
    });
    expect(localParts("2026-11-15T22:34:18.048+00:00").clock).toBe("22:34:18");
  });
});
