// F7 and F8: a node is cut off from its database, or stands still, for longer than its lease, and then goes on as if nothing
// had happened. The others have taken over by then; what it still believes must not count.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { beginFaultRun, type FaultRun } from "../support/fault-run.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const LEASE_MS = 3_000;

async function load(run: FaultRun): Promise<void> {
  await run.load(run.nodes[0]!, {
    jobs: 100,
    job: (index, dice) => ({
      schedule: { everyMs: dice.between(1_000, 2_000) },
      path: index % 2 === 0 ? `/slow/${dice.between(300, 900)}` : "/ok",
      overlap: index % 5 === 0 ? "skip" : "allow",
      misfire: { grace: "1m" },
    }),
  });
}

test("F8: a node that is frozen for longer than its lease has its late answers refused", async () => {
  const run = await beginFaultRun({ name: "F8 SIGSTOP beyond the lease", leaseMs: LEASE_MS });
  const [, victim] = await run.startNodes(3);
  await load(run);
  for (let freezes = 0; freezes < 2; freezes += 1) {
    await sleep(run.dice.between(500, 1_500));
    run.faultAt = await run.now();
    victim!.freeze();
    await sleep(LEASE_MS + 1_500);
    victim!.thaw();
  }
  const report = await run.judge();
  expect(victim!.running).toBe(true);
  expect(report.staleWrites).toBeGreaterThan(0);
  expect(report.skipped.misfire ?? 0).toBe(0);
});

test("F8: a node that is frozen for about as long as its lease leaves nothing behind that nobody cares for", async () => {
  const run = await beginFaultRun({ name: "F8 SIGSTOP around the lease", leaseMs: LEASE_MS });
  await run.startNodes(3);
  await load(run);
  // Its lease is over for itself a moment before it is over for the others: between the two it drops what it has just
  // claimed, renews, and is alive again.
  for (let freezes = 0; freezes < 4; freezes += 1) {
    await sleep(run.dice.between(200, 600));
    const victim = run.dice.pick(run.nodes);
    run.faultAt = await run.now();
    victim.freeze();
    await sleep(run.dice.between(Math.round(LEASE_MS * 0.6), Math.round(LEASE_MS * 1.3)));
    victim.thaw();
  }
  const report = await run.judge();
  expect(run.running).toHaveLength(3);
  expect(report.skipped.misfire ?? 0).toBe(0);
});

test("F7: a node cut off from its database stops starting anything before its lease is over, and comes back clean", async () => {
  const run = await beginFaultRun({ name: "F7 partition", leaseMs: LEASE_MS });
  const proxy = await startTcpProxy(run.databaseUrl);
  await run.startNodes(1);
  const [victim] = await run.startNodes(1, { databaseUrl: proxy.url() });
  await load(run);
  for (const beyondMs of [1_000, 2_000]) {
    await sleep(1_000);
    run.faultAt = await run.now();
    proxy.stall();
    await sleep(LEASE_MS + beyondMs);
    proxy.flow();
  }
  await run.judge();
  expect(victim!.running).toBe(true);
});

test("F7: a node that is alone and cut off for longer than its lease forgets nothing that it claimed", async () => {
  const run = await beginFaultRun({ name: "F7 partition of the only node", leaseMs: LEASE_MS });
  const proxy = await startTcpProxy(run.databaseUrl);
  await run.startNodes(1, { databaseUrl: proxy.url() });
  await load(run);
  // The claim that was on its way is committed when the wire works again, and answered when the lease is long over: nobody
  // else is there to take it back.
  for (let stalls = 0; stalls < 2; stalls += 1) {
    await sleep(1_000);
    run.faultAt = await run.now();
    proxy.stall();
    await sleep(LEASE_MS + 1_500);
    proxy.flow();
  }
  const report = await run.judge();
  expect(report.executed + (report.skipped.overlap ?? 0) + (report.skipped.edited ?? 0)).toBe(report.due);
});
