// F2, F8, F15 and F21, for the users' own processes: workers are killed and frozen while they work, and a job kills each
// worker that takes it.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { PunctualClient } from "../../src/client/index.ts";
import { type LedgerRow, readLedger } from "../support/checker.ts";
import { beginFaultRun, type FaultRun } from "../support/fault-run.ts";
import { ADMIN_KEY, type TestNode } from "../support/nodes.ts";
import { WorkerProcesses } from "../support/worker-processes.ts";
import type { Handling } from "../support/worker-program.ts";

const LEASE_MS = 5_000;
const TRIGGERS = 10_000;
const BATCH = 1_000;
const WAIT = { timeout: 120_000, interval: 100 };

async function createJob(node: TestNode, handler: string, more: object = {}): Promise<void> {
  const retry = { maxAttempts: 5, initialDelay: "1ms", jitter: false };
  await node.insist("PUT", `/jobs/${handler}`, {
    target: { type: "worker", handler },
    overlap: "allow",
    retry,
    ...more,
  });
}

async function trigger(node: TestNode, items: object[]): Promise<string[]> {
  const answer = (await node.insist("POST", "/triggers", { items })) as { items: { executionId: string }[] };
  return answer.items.map(({ executionId }) => executionId);
}

/** Waits until nothing is left to do; what then stands in the ledger is final. */
async function settled(run: FaultRun, ids: string[]): Promise<Map<string, LedgerRow>> {
  await vi.waitUntil(async () => {
    const { rows } = await run.pool.query<{ n: string }>("select count(*) as n from punctual.queue");
    return Number(rows[0]!.n) === 0;
  }, WAIT);
  const ledger = new Map((await readLedger(run.pool)).map((row) => [row.id, row]));
  expect(ids.filter((id) => !ledger.has(id))).toEqual([]);
  return ledger;
}

/** What does not add up: every attempt in the ledger that had an end was handled once, and nothing else was handled. */
function discrepancies(ledger: Map<string, LedgerRow>, handlings: Handling[]): string[] {
  const found: string[] = [];
  const handled = new Map<string, number>();
  for (const { id, attempt, idempotencyKey } of handlings) {
    handled.set(`${id} ${attempt}`, (handled.get(`${id} ${attempt}`) ?? 0) + 1);
    if (idempotencyKey !== id) found.push(`${id} was handled under the key ${idempotencyKey}`);
    if (attempt > (ledger.get(id)?.attempt ?? 0))
      found.push(`${id} was handled in attempt ${attempt}, which never was`);
  }
  for (const { id, attempts } of ledger.values())
    for (const { number, outcome } of attempts) {
      const times = handled.get(`${id} ${number}`) ?? 0;
      // A lost attempt may have been lost before its handler began.
      if (times > 1 || (times === 0 && outcome !== "lost"))
        found.push(`${id} ${number} ${outcome}: handled ${times} times`);
    }
  return found;
}

test("F2, F8: of 10,000 executions on four workers, one killed and one frozen, each succeeds once, and only lost attempts are repeated", async () => {
  const run = await beginFaultRun({ name: "F2 and F8 workers", leaseMs: LEASE_MS });
  const [node] = await run.startNodes(1);
  const processes = new WorkerProcesses(node!.url);
  const workers = await Promise.all(
    Array.from({ length: 4 }, () => processes.start({ leaseMs: LEASE_MS, concurrency: 50 })),
  );
  const [killed, frozen] = workers;
  await createJob(node!, "work");
  const ids: string[] = [];
  const load = (async () => {
    for (let n = 0; n < TRIGGERS / BATCH; n += 1)
      ids.push(
        ...(await trigger(
          node!,
          Array.from({ length: BATCH }, () => ({ job: "work", payload: { ms: 40 } })),
        )),
      );
  })();
  const handledBy = (worker: { id: string }) => processes.handlings().some((handling) => handling.worker === worker.id);
  await vi.waitUntil(() => handledBy(killed!) && handledBy(frozen!), WAIT);
  await killed!.kill9();
  frozen!.freeze();
  await sleep(LEASE_MS + 3_000);
  frozen!.thaw();
  await load;

  const ledger = await settled(run, ids);
  const rows = ids.map((id) => ledger.get(id)!);
  expect(rows.filter(({ state }) => state !== "succeeded")).toEqual([]);
  expect(new Set(ids).size).toBe(TRIGGERS);
  expect(discrepancies(ledger, processes.handlings())).toEqual([]);
  const repeated = rows.filter(({ attempt }) => attempt > 1);
  for (const { attempts } of repeated)
    expect(attempts.slice(0, -1).map(({ outcome }) => outcome)).toEqual(attempts.slice(0, -1).map(() => "lost"));
  expect(repeated.length).toBeGreaterThan(0);
  // The one that was frozen is as good as new.
  expect(frozen!.running).toBe(true);
  const refused = await node!.metric("punctual_stale_writes_refused_total");
  console.log(`${repeated.length} executions were lost and repeated · ${refused} late answers refused`);
});

test("F8: the answer of a worker whose lease ended is refused when others have done the work, and changes nothing", async () => {
  const run = await beginFaultRun({ name: "F8 stale answer", leaseMs: LEASE_MS });
  const [node] = await run.startNodes(1);
  const { workers } = new PunctualClient({ url: node!.url, key: ADMIN_KEY });
  await createJob(node!, "work");
  const [id] = await trigger(node!, [{ job: "work" }]);
  // One that takes the execution and is not heard of until somebody else has done it.
  const handlers = [{ name: "work", slots: 1 }];
  await workers.register("silent", { handlers, lease: `${LEASE_MS}ms` });
  const asked = [{ name: "work", free: 1 }];
  const [stale] = await workers.claim("silent", { requestId: "only", handlers: asked, waitMs: 10_000 });
  expect(stale).toMatchObject({ id, attempt: 1 });
  const processes = new WorkerProcesses(node!.url);
  const other = await processes.start({ leaseMs: LEASE_MS });
  const done = (await settled(run, [id!])).get(id!)!;
  expect(done).toMatchObject({ state: "succeeded", attempt: 2 });
  expect(done.attempts.map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);

  const held = { id: id!, token: stale!.token };
  const late = [{ ...held, outcome: "succeeded" as const, result: { worker: "silent" } }];
  expect(await workers.settle("silent", late)).toEqual([{ id, accepted: false, reason: "claim_lost" }]);
  const { items } = await workers.heartbeat("silent", { executions: [held] });
  expect(items).toEqual([{ id, status: "lost" }]);
  expect((await settled(run, [id!])).get(id!)).toEqual(done);
  expect((await node!.api("GET", `/executions/${id}`)).body).toMatchObject({ result: { worker: other.id } });
  expect(await node!.metric("punctual_stale_writes_refused_total")).toBeGreaterThan(0);
});

test("F15: a job that kills its worker every time ends failed with a dead letter after its attempts, and others go on", async () => {
  const run = await beginFaultRun({ name: "F15 poison", leaseMs: LEASE_MS });
  const [node] = await run.startNodes(1);
  const processes = new WorkerProcesses(node!.url);
  await createJob(node!, "work");
  await createJob(node!, "poison", { retry: { maxAttempts: 2, initialDelay: "1ms", jitter: false } });
  await processes.start({ leaseMs: LEASE_MS });
  const [poison] = await trigger(node!, [{ job: "poison" }]);
  const others = await trigger(
    node!,
    Array.from({ length: 50 }, () => ({ job: "work", payload: { ms: 20 } })),
  );
  const attempts = () => processes.handlings().filter(({ id }) => id === poison).length;
  await vi.waitUntil(() => attempts() === 1, WAIT);
  // Somebody starts it again, as supervisors do.
  await processes.start({ leaseMs: LEASE_MS });
  await vi.waitUntil(() => attempts() === 2, WAIT);
  await processes.start({ leaseMs: LEASE_MS });

  const ledger = await settled(run, [poison!, ...others]);
  expect(ledger.get(poison!)).toMatchObject({ state: "failed", attempt: 2 });
  expect(ledger.get(poison!)!.attempts.map(({ outcome }) => outcome)).toEqual(["lost", "lost"]);
  expect(others.map((id) => ledger.get(id)!.state).filter((state) => state !== "succeeded")).toEqual([]);
  expect(discrepancies(ledger, processes.handlings())).toEqual([]);
  const { body } = await node!.api<{ items: { id: string }[] }>("GET", "/dead-letters");
  expect(body.items.map(({ id }) => id)).toEqual([poison]);
});
