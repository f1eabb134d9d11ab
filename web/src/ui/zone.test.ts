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
