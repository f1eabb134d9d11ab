import { expect, test } from "vitest";
import { scheduleWords } from "./schedule-words.ts";

test("a job that runs once says when in the zone of the page", () => {
  expect(scheduleWords("Once, at 2030-06-01T23:30:00.000Z", "Asia/Kolkata")).toBe("Once, at 02 Jun 2030, 05:00:00");
});

test("words without an instant stay as they are", () => {
  expect(scheduleWords("At 02:30, Europe/Berlin time", "Asia/Kolkata")).toBe("At 02:30, Europe/Berlin time");
});
