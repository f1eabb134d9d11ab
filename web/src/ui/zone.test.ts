import { afterEach, expect, test, vi } from "vitest";
import { isKnownZone, offsetText } from "./zone.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test("the zone that was chosen last time is the zone again", async () => {
  vi.resetModules();
  vi.stubGlobal("localStorage", { getItem: (key: string) => (key === "punctual.zone" ? "Europe/Berlin" : null) });
  const { zoneChoice } = await import("./zone.ts");
  expect(zoneChoice.value).toBe("Europe/Berlin");
});

test("the offset of a zone is the one of that day", () => {
  expect(offsetText("Europe/Berlin", new Date("2026-12-01T00:00:00Z"))).toBe("UTC+01:00");
  expect(offsetText("Europe/Berlin", new Date("2026-07-01T00:00:00Z"))).toBe("UTC+02:00");
  expect(offsetText("UTC", new Date(0))).toBe("UTC+00:00");
});

test("a zone that the browser does not know has no offset", () => {
  expect(isKnownZone("Europe/Berlin")).toBe(true);
  expect(isKnownZone("Middle/Earth")).toBe(false);
  expect(offsetText("Middle/Earth", new Date(0))).toBe("");
});

test("a zone is found by the name that it has today, whichever the browser lists", async () => {
  const { ALL_ZONES } = await import("./zone.ts");
  expect(ALL_ZONES).toEqual(expect.arrayContaining(["UTC", "Asia/Kolkata", "Europe/Kyiv", "America/St_Johns"]));
  expect(ALL_ZONES).not.toContain("Asia/Calcutta");
  expect(new Set(ALL_ZONES).size).toBe(ALL_ZONES.length);
});
