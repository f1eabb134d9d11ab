import { afterEach, expect, test, vi } from "vitest";

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

test("a zone is found by the name that it has today, whichever the browser lists", async () => {
  const { ALL_ZONES } = await import("./zone.ts");
  expect(ALL_ZONES).toEqual(expect.arrayContaining(["UTC", "Asia/Kolkata", "Europe/Kyiv", "America/St_Johns"]));
  expect(ALL_ZONES).not.toContain("Asia/Calcutta");
  expect(new Set(ALL_ZONES).size).toBe(ALL_ZONES.length);
});
