import { expect, test } from "vitest";
import { shifted, windowOf } from "./timeline-window.ts";

const NOW = Date.parse("2026-11-15T22:32:10Z");
const texts = ({ from, to }: { from: number; to: number }) => [from, to].map((each) => new Date(each).toISOString());

test("what is shown without being asked for is mostly past, and moves on in whole steps", () => {
  expect(texts(windowOf("24h", undefined, NOW))).toEqual(["2026-11-15T04:30:00.000Z", "2026-11-16T04:30:00.000Z"]);
  expect(windowOf("24h", undefined, NOW + 60_000)).toEqual(windowOf("24h", undefined, NOW));
});

test("the address names the middle, and a time that is none is as if there were none", () => {
  expect(texts(windowOf("6h", "2026-11-01T12:00:00Z", NOW))).toEqual([
    "2026-11-01T09:00:00.000Z",
    "2026-11-01T15:00:00.000Z",
  ]);
  expect(windowOf("6h", "yesterday", NOW)).toEqual(windowOf("6h", undefined, NOW));
});

test("earlier and later move by half of what is shown, and lead back to where one was", () => {
  const window = windowOf("24h", "2026-11-15T12:00:00Z", NOW);
  expect(shifted(window, -1)).toBe("2026-11-15T00:00:00.000Z");
  expect(windowOf("24h", shifted(windowOf("24h", shifted(window, -1), NOW), 1), NOW)).toEqual(window);
});
