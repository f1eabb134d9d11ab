import type { Job } from "punctual/client";
import { expect, test } from "vitest";
import { presetWindow } from "./preset-window.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");

function preset(last: string | null, next: string | null) {
  return presetWindow(
    { lastExecution: last === null ? null : ({ runAt: last } as Job["lastExecution"]), nextFireAt: next },
    NOW,
  );
}

test("the window holds a few runs of the job, however often it runs", () => {
  expect(preset("2026-11-15T11:59:00Z", "2026-11-15T12:01:00Z")).toBe("24h");
  expect(preset("2026-11-15T02:00:00Z", "2026-11-16T02:00:00Z")).toBe("7d");
  expect(preset("2026-11-09T02:00:00Z", "2026-11-16T02:00:00Z")).toBe("30d");
});

test("a job that has not run for long, or not at all, has one too", () => {
  expect(preset("2026-11-15T02:00:00Z", null)).toBe("7d");
  expect(preset(null, "2026-11-16T02:00:00Z")).toBe("24h");
});
