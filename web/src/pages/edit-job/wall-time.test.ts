import { describe, expect, test } from "vitest";
import { isKnownZone, localParts, offsetText, wallText } from "./wall-time.ts";

describe("times on the wall of a zone", () => {
  test("an instant is shown as the zone's clock shows it", () => {
    expect(wallText("2026-12-01T08:00:00.000Z", "Europe/Berlin")).toBe("2026-12-01T09:00");
    expect(wallText("2026-07-01T08:00:00Z", "Europe/Berlin")).toBe("2026-07-01T10:00");
    expect(wallText("2026-12-01T23:30:15+01:00", "America/New_York")).toBe("2026-12-01T17:30:15");
    expect(wallText("2026-12-01T00:00:00Z", "UTC")).toBe("2026-12-01T00:00");
  });

  test("what was written without an offset already is such a time", () => {
    expect(wallText("2026-12-01T09:00", "Asia/Tokyo")).toBe("2026-12-01T09:00");
    expect(wallText("2026-12-01T09:00:00.000", "Asia/Tokyo")).toBe("2026-12-01T09:00");
  });

  test("what is no time is shown as none", () => {
    expect(wallText("2026-13-45T99:00:00Z", "UTC")).toBe("");
  });

  test("the offset of a zone is the one of that day", () => {
    expect(offsetText("Europe/Berlin", new Date("2026-12-01T00:00:00Z"))).toBe("UTC+01:00");
    expect(offsetText("Europe/Berlin", new Date("2026-07-01T00:00:00Z"))).toBe("UTC+02:00");
    expect(offsetText("UTC", new Date(0))).toBe("UTC+00:00");
  });

  test("an instant of a schedule is told with its weekday and offset", () => {
    expect(localParts("2027-03-28T03:00:00+02:00")).toEqual({
      day: "Sun, 28 Mar 2027",
      clock: "03:00",
      offset: "UTC+02:00",
    });
    expect(localParts("2026-11-15T22:34:18.048+00:00").clock).toBe("22:34:18");
  });

  test("a zone that the browser does not know has none", () => {
    expect(isKnownZone("Europe/Berlin")).toBe(true);
    expect(isKnownZone("Middle/Earth")).toBe(false);
  });
});
