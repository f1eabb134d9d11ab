// F4: the database itself ends as by a power cut and comes back some seconds later.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { readLedger } from "../support/checker.ts";
import { beginFaultRun, faultCluster } from "../support/fault-run.ts";

const POLICIES = ["fire_once", "fire_all", "skip"] as const;

test("F4: nodes outlive their database and catch up as each job's misfire policy says", async () => {
  const cluster = await faultCluster();
  const run = await beginFaultRun({ name: "F4 kill -9 of PostgreSQL", leaseMs: 4_000, cluster });
  const nodes = await run.startNodes(3);
  await run.load(nodes[0]!, {
    jobs: 100,
    job: (index, dice) => ({
      schedule: { everyMs: dice.between(1_000, 2_000) },
      path: index % 2 === 0 ? `/slow/${dice.between(50, 900)}` : "/ok",
      misfire: { policy: POLICIES[index % 3] },
    }),
  });
  await sleep(2_000);
  await cluster.kill9();
  run.faultAt = Date.now();
  await sleep(5_000);
  await cluster.start();
  const backAt = Date.now();
  await run.until("calls are made again", 15_000, () => run.target.calls().some((call) => call.in > backAt));
  const report = await run.judge();
  expect(nodes.map((node) => node.running)).toEqual([true, true, true]);

  const policies = new Map(run.jobs.map(({ id, name }) => [id, POLICIES[Number(name.slice("job-".length)) % 3]!]));
  const skipped = new Map<string, number>(POLICIES.map((policy) => [policy, 0]));
  for (const { reason, jobId, count } of await readLedger(run.pool)) {
    const policy = policies.get(jobId)!;
    if (reason === "misfire") skipped.set(policy, skipped.get(policy)! + count);
  }
  // Of `fire_all` nothing is left out. `fire_once` runs the latest of those that were missed, `skip` not even that.
  expect(skipped.get("fire_all")).toBe(0);
  expect(skipped.get("fire_once")).toBeGreaterThan(0);
  expect(skipped.get("skip")).toBeGreaterThan(skipped.get("fire_once")!);
  expect(report.executed + (report.skipped.misfire ?? 0) + (report.skipped.edited ?? 0)).toBe(report.due);
});
