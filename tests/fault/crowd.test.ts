// The load at which people judge a scheduler: a thousand jobs, each of them every second, for a minute. It takes the machine
// for two minutes, so it runs only when asked: PUNCTUAL_FAULT_LONG=1 npx vitest run --project fault tests/fault/crowd.test.ts
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { beginFaultRun } from "../support/fault-run.ts";

test.runIf(process.env.PUNCTUAL_FAULT_LONG)(
  "F1 and F8: a thousand jobs every second over three nodes, one killed and one frozen, lose and double nothing",
  async () => {
    const run = await beginFaultRun({ name: "a thousand jobs", leaseMs: 15_000 });
    await run.startNodes(3);
    await run.load(run.nodes[0]!, { jobs: 1_000, job: () => ({ schedule: { everyMs: 1_000 }, overlap: "skip" }) });
    await sleep(15_000);
    await run.nodes[1]!.kill9();
    run.faultAt = await run.now();
    await sleep(5_000);
    run.nodes[2]!.freeze();
    await sleep(20_000);
    run.nodes[2]!.thaw();
    await sleep(20_000);
    const report = await run.judge();
    expect(report.executed).toBeGreaterThan(0);
  },
);
