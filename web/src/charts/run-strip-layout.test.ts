import { expect, test } from "vitest";
import { barHeights, type StripRun, stripSentence } from "./run-strip-layout.ts";

function run(state: StripRun["state"], durationMs: number | null = 10, count = 1): StripRun {
  const scheduledAt = "2026-11-15T12:00:00.000Z";
  return { executionId: crypto.randomUUID(), state, scheduledAt, durationMs, latenessMs: 0, attempt: 1, count };
}

test("runs of equal length fill the strip", () => {
  expect(barHeights([run("succeeded", 40), run("failed", 40)])).toEqual([1, 1]);
});

test("the longest run fills the strip and the shortest is still seen", () => {
  const [second, minute, hour] = barHeights([
    run("succeeded", 1_000),
    run("succeeded", 60_000),
    run("succeeded", 3_600_000),
  ]);
  expect(hour).toBe(1);
  expect(second).toBeGreaterThan(0.2);
  expect(minute).toBeGreaterThan(second!);
  expect(minute).toBeLessThan(1);
});

test("a few milliseconds more or less leave the bars near each other", () => {
  const [shorter, longer] = barHeights([run("succeeded", 100), run("succeeded", 110)]);
  expect(longer! - shorter!).toBeLessThan(0.05);
});

test("a run without a length stands low, and one of no time at all does too", () => {
  const [skipped, instant, long] = barHeights([run("skipped", null), run("succeeded", 0), run("succeeded", 500)]);
  expect(skipped).toBe(0.4);
  expect(instant).toBeCloseTo(0.25);
  expect(long).toBe(1);
  expect(barHeights([run("skipped", null)])).toEqual([0.4]);
});

test("the sentence counts the results and names the newest", () => {
  expect(stripSentence([])).toBe("No runs yet");
  expect(stripSentence([run("failed")])).toBe("One run so far: failed");
  const runs = [...Array.from({ length: 18 }, () => run("succeeded")), run("failed"), run("failed")];
  expect(stripSentence(runs)).toBe("Last 20 runs: 18 succeeded, 2 failed; the newest failed");
});

test("a skipped stretch counts as the runs it stands for", () => {
  expect(stripSentence([run("skipped", null, 12), run("succeeded")])).toBe(
    "Last 13 runs: 12 skipped, 1 succeeded; the newest succeeded",
  );
});
