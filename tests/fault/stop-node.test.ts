// F3: a rolling restart, as every upgrade is one.
import { expect, test } from "vitest";
import { beginFaultRun } from "../support/fault-run.ts";

test("F3: a rolling restart of all nodes loses nothing and calls nothing twice", async () => {
  const run = await beginFaultRun({ name: "F3 rolling SIGTERM", leaseMs: 4_000 });
  const first = await run.startNodes(3);
  await run.load(first[0]!, {
    jobs: 120,
    job: (index, dice) => ({
      schedule: { everyMs: dice.between(1_000, 2_000) },
      path: index % 2 === 0 ? `/slow/${dice.between(50, 900)}` : "/ok",
      // Nothing is so late that it may be left out: all of it has to be run.
      misfire: { grace: "1m" },
    }),
  });
  for (const node of first) {
    run.faultAt = await run.now();
    await run.noteStaleWrites(node);
    const { code, ms } = await node.stop();
    expect(code).toBe(0);
    // The longest call takes less than a second.
    expect(ms).toBeLessThan(10_000);
    expect(node.complaints()).toEqual([]);
    await run.startNodes(1);
  }
  const report = await run.judge();
  // The end of the run finds some that are due and not started yet.
  expect(report.executed + (report.skipped.edited ?? 0)).toBe(report.due);
  expect(report.staleWrites).toBe(0);
  expect(report.extraCalls).toEqual({ explained: 0, unexplained: [] });
});
