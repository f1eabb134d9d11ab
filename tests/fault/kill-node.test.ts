// F1 and X9: nodes end as by a power cut while hundreds of jobs fire.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { readLedger } from "../support/checker.ts";
import { beginFaultRun } from "../support/fault-run.ts";
import { type Interference, startTcpProxy } from "../support/tcp-proxy.ts";

const LEASE_MS = 4_000;

test("F1: with nodes killed at random under load, no instant is lost or run twice, and every extra call has its reason", async () => {
  const run = await beginFaultRun({ name: "F1 random kill -9", leaseMs: LEASE_MS });
  await run.startNodes(3);
  await run.load(run.nodes[0]!, {
    jobs: 160,
    job: (index, dice) => ({
      schedule: index % 4 === 0 ? { cronSeconds: dice.between(1, 2) } : { everyMs: dice.between(1_000, 2_000) },
      // Calls of some length, so that every kill finds some under way.
      path: index % 3 === 0 ? `/slow/${dice.between(20, 400)}` : "/ok",
      overlap: dice.pick(["allow", "allow", "skip", "queue_one", "queue_all"]),
      misfire: { policy: dice.pick(["fire_once", "fire_all"]) },
    }),
  });
  for (let kills = 0; kills < 5; kills += 1) {
    await sleep(run.dice.between(500, 2_000));
    const victim = run.dice.pick(run.running);
    await victim.kill9();
    run.faultAt = await run.now();
    // Sometimes it comes back at once, sometimes when the others have been alone for a while.
    await sleep(run.dice.pick([0, 0, 1_500]));
    await run.startNodes(1);
  }
  const report = await run.judge();
  expect(report.executed).toBeGreaterThan(report.due / 2);
});

const POINTS: { point: string; statement: RegExp; interference: Interference }[] = [
  { point: "before its plan is committed", statement: /^write_(plans|fires)/, interference: "lose_request" },
  { point: "after its plan is committed", statement: /^write_(plans|fires)/, interference: "lose_answer" },
  { point: "after its claim is committed", statement: /^claim_/, interference: "lose_answer" },
  { point: "after its calls, before they are settled", statement: /^settle_/, interference: "lose_request" },
];

test("F1: a node killed before and after its plan, after its claim, and between call and settling loses and doubles nothing", async () => {
  const run = await beginFaultRun({ name: "F1 kill -9 at named points", leaseMs: LEASE_MS });
  const proxy = await startTcpProxy(run.databaseUrl);
  const [survivor] = await run.startNodes(1);
  await run.load(survivor!, {
    jobs: 100,
    job: (_, dice) => ({ schedule: { everyMs: dice.between(1_000, 1_500) }, misfire: { policy: "fire_all" } }),
  });
  for (const { point, statement, interference } of POINTS) {
    const [victim] = await run.startNodes(1, { databaseUrl: proxy.url() });
    // What was settled was claimed and called before: it is in full service then.
    let settled = false;
    proxy.interfere = (name) => {
      if (!settled || !statement.test(name)) {
        settled ||= name.startsWith("settle_");
        return "pass";
      }
      // The proxy holds what the node sent; the node itself is gone before the database sees it, or before it could hear.
      if (interference === "lose_request") victim!.process.kill("SIGKILL");
      else setTimeout(() => victim!.process.kill("SIGKILL"), 20);
      proxy.interfere = () => "pass";
      return interference;
    };
    await run.until(`the node was killed ${point}`, 15_000, () => !victim!.running);
    run.faultAt = await run.now();
  }
  const report = await run.judge();
  expect(proxy.interfered).toHaveLength(POINTS.length);
  // Only what had been called and not settled is called again; that is at most one batch.
  expect(report.extraCalls.explained).toBeLessThanOrEqual(100);
  expect(report.executed + (report.skipped.edited ?? 0)).toBe(report.due);
});

test("X9: what a killed node was doing runs elsewhere within lease + 1 s, and the crash counts as an attempt", async () => {
  const run = await beginFaultRun({ name: "X9 recovery", leaseMs: LEASE_MS });
  await run.startNodes(2);
  const [victim] = await run.startNodes(1, { roles: "api,dispatcher" });
  const url = `${run.target.url}/slow/3000`;
  const { id } = await victim!.insist("POST", "/jobs", {
    name: "long-call",
    target: { type: "http", url },
    overlap: "allow",
    retry: { initialDelay: "1ms", jitter: false },
  });
  const items = Array.from({ length: 300 }, () => ({ job: id }));
  const triggered = await victim!.api<{ items: { executionId: string }[] }>("POST", "/triggers", { items });
  run.triggered.push(...triggered.body.items.map(({ executionId }) => executionId));
  const held = async () => {
    const text = `select q.id from punctual.queue q join punctual.node n on n.id = q.holder where n.name = $1`;
    return (await run.pool.query<{ id: string }>(text, [victim!.name])).rows.map(({ id }) => id);
  };
  const running = async () => {
    const { rows } = await run.pool.query<{ n: number }>(
      "select count(*)::integer as n from punctual.queue where state = 'running'",
    );
    return rows[0]!.n;
  };
  await run.until("the victim has some of the executions", 10_000, async () => (await held()).length > 0);
  await run.until("what is claimed is called", 10_000, async () => (await run.target.underway()) >= (await running()));
  const [, lost] = await Promise.all([victim!.kill9(), held()]);
  run.faultAt = await run.now();
  await run.judge();

  const ledger = new Map((await readLedger(run.pool)).map((row) => [row.id, row]));
  const calls = run.target.calls();
  const again = lost.filter((id) => ledger.get(id)!.attempt > 1);
  expect(again.length).toBeGreaterThan(0);
  const afterMs = again.map((id) => calls.find((call) => call.id === id && call.attempt === 2)!.in - run.faultAt!);
  const first = again.map((id) => ledger.get(id)!.attempts[0]);
  expect(new Set(first.map((attempt) => attempt!.outcome))).toEqual(new Set(["lost"]));
  console.log(`X9 · ${again.length} executions taken over · called again after ${Math.max(...afterMs)} ms at most`);
  // The half second is the machine's: the promise is made for one that has time for its processes.
  expect(Math.max(...afterMs)).toBeLessThan(LEASE_MS + 1_000 + 500);
});
