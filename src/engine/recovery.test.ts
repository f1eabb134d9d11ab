import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestEngine, type TestEngine, until } from "../../tests/support/engine.ts";
import { createJob, createTestStore, PROJECT, type TestStore, triggerJob } from "../../tests/support/store.ts";
import { claimAs, forHandler, joinWorker } from "../../tests/support/workers.ts";
import type { PunctualEvent } from "../contract/events.ts";

let t: TestStore;
let running: TestEngine;
const told: PunctualEvent[] = [];

beforeAll(async () => {
  t = await createTestStore();
  t.store.events.subscribe(
    (event) => void told.push(event),
    () => {},
  );
  const node = { id: t.nodeId, name: "test", roles: ["api", "planner", "dispatcher"], version: "0", concurrency: 10 };
  running = await startTestEngine(t, { node, leaseMs: 3_000 });
});
afterAll(async () => {
  await running.stop();
  await t.close();
});

test("what a dead worker held goes to another, and the death counts as an attempt", async () => {
  const job = await createJob(t.store, forHandler("mortal", { retry: { initialDelay: "10ms", jitter: false } }));
  const [dead, living] = [
    await joinWorker(t.store, ["mortal"], { leaseMs: 1_000 }),
    await joinWorker(t.store, ["mortal"]),
  ];
  const id = await triggerJob(t.store, job);
  expect((await claimAs(t.store, dead.holder, { mortal: 1 })).claimed.map((one) => one.id)).toEqual([id]);
  const again = await until("the other gets it", async () => {
    const { claimed } = await claimAs(t.store, living.holder, { mortal: 1 });
    return claimed[0];
  });
  expect(again).toMatchObject({ id, attempt: 2 });
  expect(await t.store.executions.find(PROJECT, id)).toMatchObject({
    state: "running",
    attempts: [
      {
        outcome: "lost",
        worker: dead.id,
        node: null,
        error: { code: "lost", message: "the worker that ran it was lost" },
      },
      { outcome: null, worker: living.id },
    ],
  });
});

test("the fires of a handler that nobody serves do not pile up, and each is in the ledger", async () => {
  const job = await createJob(t.store, forHandler("nobody", { schedule: { every: "1s" } }));
  const skipped = await until("three are given up", async () => {
    const { items } = await t.store.executions.list(
      PROJECT,
      { jobIds: [job.id], states: ["skipped"] },
      { order: "asc", after: null, limit: 10, include: [] },
    );
    return items.length >= 3 ? items : null;
  });
  expect(skipped[0]!.reason).toEqual({ code: "misfire", message: "no worker took it within its grace" });
  await until("no more than the latest waits beyond its grace", async () => {
    const { rows } = await t.pool.query(
      "select count(*)::integer as n from punctual.queue where job_id = $1 and scheduled_at < now() - interval '3 seconds'",
      [job.id],
    );
    return rows[0].n <= 1;
  });
  await t.store.jobs.delete(PROJECT, job.id, { actor: "test" });
});

test("a worker that has been dead for a minute is forgotten, and that is told", async () => {
  const { id, holder } = await joinWorker(t.store, []);
  await t.pool.query("update punctual.worker set lease_until = now() - interval '2 minutes' where holder = $1", [
    holder,
  ]);
  await until("it is told", () => told.some(({ type, data }) => type === "worker.left" && data.worker === id));
  expect(await t.store.workers.find(PROJECT, id)).toBeNull();
});
