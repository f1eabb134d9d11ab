import { expect, test } from "vitest";
import { fieldText, momentOf } from "./zoned-time.ts";

test("a field is read as the clocks of the chosen zone show it", () => {
  expect(momentOf("2026-11-15T22:09", "Europe/Berlin")?.toISOString()).toBe("2026-11-15T21:09:00.000Z");
  expect(momentOf("2026-07-15T22:09", "Europe/Berlin")?.toISOString()).toBe("2026-07-15T20:09:00.000Z");
  expect(momentOf("2026-11-15T22:09", "Asia/Kathmandu")?.toISOString()).toBe("2026-11-15T16:24:00.000Z");
});

test("what was read can be shown again as it was written", () => {
  for (const zone of ["UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Kiritimati"])
    expect(fieldText(momentOf("2026-02-28T23:59", zone)!, zone)).toBe("2026-02-28T23:59");
});

test("of an hour that clocks show twice the earlier one is meant", () => {
  expect(momentOf("2026-10-25T02:30", "Europe/Berlin")?.toISOString()).toBe("2026-10-25T00:30:00.000Z");
});

test("an hour that clocks skip is read with the offset before the change", () => {
  expect(momentOf("2026-03-29T02:30", "Europe/Berlin")?.toISOString()).toBe("2026-03-29T01:30:00.000Z");
});

test("an empty field is no time", () => {
  expect(momentOf("", "UTC")).toBeNull();
});
