import { expect, test } from "vitest";
import type { Schedule } from "../../contract/schedule.ts";
import { crowdNote } from "./crowd.ts";

const MIDNIGHT = Date.parse("2026-11-16T00:00:00Z");
const cron = (text: string): Schedule => ({ cron: text, timezone: "UTC", dst: { gap: "shift", fold: "first" } });

test("a crowd at the coming instant is told from ten on, with a way out that fits the schedule", () => {
  expect(crowdNote(cron("0 0 * * *"), MIDNIGHT, 9)).toBeNull();
  expect(crowdNote(cron("0 0 * * *"), MIDNIGHT, 212)).toBe(
    "212 other jobs fire at the same instant, 2026-11-16 00:00 UTC; a minute other than :00 spreads the load",
  );
  expect(crowdNote(cron("*/5 * * * *"), MIDNIGHT, 10)).toBe(
    "10 other jobs fire at the same instant, 2026-11-16 00:00 UTC; another minute or second spreads the load",
  );
  expect(crowdNote({ every: "1h" }, MIDNIGHT + 7_000, 1_000)).toBe(
    "1,000 or more other jobs fire at the same instant, 2026-11-16 00:00:07 UTC; a startsAt of its own spreads the load",
  );
  expect(crowdNote({ at: "2026-11-16T00:00:00.250Z" }, MIDNIGHT + 250, 10)).toContain("2026-11-16 00:00:00.250 UTC");
});
