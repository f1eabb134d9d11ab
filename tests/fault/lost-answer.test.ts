// F6: the node sent a statement, and the connection broke before it heard what became of it. The node goes on living, so
// nobody else will clean up after it: it has to find out by itself.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { beginFaultRun, type FaultRun } from "../support/fault-run.ts";
import { type Interference, startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const KINDS = { plan: /^write_(plans|fires)/, claim: /^claim_/, settle: /^settle_/ };

test.each([
  ["the answer to a committed statement is lost", "lose_answer"],
  ["a statement is lost on its way", "lose_request"],
  ["a statement is committed after its sender has given it up", "delay_request"],
] as const)("F6: when %s, nothing is lost, doubled or called again", async (_, interference) => {
  const run = await beginFaultRun({ name: `F6 ${interference}`, leaseMs: 4_000 });
  const proxies = [await startTcpProxy(run.databaseUrl), await startTcpProxy(run.databaseUrl)];
  for (const proxy of proxies) await run.startNodes(1, { databaseUrl: proxy.url() });
  await run.load(run.nodes[0]!, {
    jobs: 100,
    job: (index, dice) => ({
      schedule: { everyMs: dice.between(1_000, 2_000) },
      path: index % 10 === 0 ? "/fail/1" : "/ok",
      overlap: index % 5 === 0 ? "queue_all" : "allow",
      misfire: { grace: "1m" },
    }),
  });
  run.faultAt = await run.now();
  for (const proxy of proxies) proxy.interfere = nowAndThen(run, interference);
  await sleep(6_000);
  for (const proxy of proxies) proxy.interfere = () => "pass";
  const report = await run.judge();
  for (const [kind, pattern] of Object.entries(KINDS))
    expect(hits(proxies, pattern), `interferences with a ${kind}`).toBeGreaterThan(0);
  // The target's own refusals are the only reason for a second call: no attempt may be lost while its node lives.
  const { rows } = await run.pool.query(
    "select id from punctual.execution where attempts::jsonb @? '$[*].outcome ? (@ == \"lost\")'",
  );
  expect(rows).toEqual([]);
  expect(report.executed + (report.skipped.edited ?? 0)).toBe(report.due);
});

test("F6: a request whose commit was lost takes effect once when it is repeated under its key", async () => {
  const run = await beginFaultRun({ name: "F6 requests", leaseMs: 4_000 });
  const proxy = await startTcpProxy(run.databaseUrl);
  const [node] = await run.startNodes(1, { databaseUrl: proxy.url() });
  const job = await node!.api("POST", "/jobs", {
    name: "manual",
    target: { type: "http", url: `${run.target.url}/ok` },
  });
  expect(job.status).toBe(201);
  for (let n = 0; n < 20; n += 1) {
    const trigger = () =>
      node!.api<{ id: string; error?: { code: string } }>(
        "POST",
        "/jobs/manual/trigger",
        { payload: { n } },
        { "idempotency-key": `run-${n}` },
      );
    let interfered = false;
    proxy.interfere = (statement, previous) => {
      if (interfered || statement !== "commit" || !previous.startsWith("answer_idempotency_key")) return "pass";
      interfered = true;
      return n % 2 === 0 ? "lose_answer" : "lose_request";
    };
    expect((await trigger()).status).toBe(503);
    let again = await trigger();
    // The database has not noticed yet that the first sender is gone.
    while (again.body.error?.code === "request_in_progress") again = await trigger();
    expect(again.status).toBe(201);
    run.triggered.push(again.body.id);
  }
  proxy.interfere = () => "pass";
  await run.until("all of them have run", 20_000, () => run.target.calls().length >= 20);
  await run.judge();
  expect(
    run.target
      .calls()
      .map(({ body }) => (JSON.parse(body) as { n: number }).n)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

/** The first statement of each kind, and then one in ten. */
function nowAndThen(run: FaultRun, interference: Interference): (statement: string) => Interference {
  const met = new Set<RegExp>();
  return (statement) => {
    const kind = Object.values(KINDS).find((pattern) => pattern.test(statement));
    if (kind === undefined) return "pass";
    const first = !met.has(kind);
    met.add(kind);
    return first || run.dice.next() < 0.1 ? interference : "pass";
  };
}

function hits(proxies: TcpProxy[], pattern: RegExp): number {
  return proxies.flatMap(({ interfered }) => interfered).filter(({ statement }) => pattern.test(statement)).length;
}
