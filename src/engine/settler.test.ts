import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../tests/support/engine.ts";
import { attemptOf, claim, createJob, createTestStore, PROJECT, type TestStore } from "../../tests/support/store.ts";
import type { AttemptResult } from "../core/attempt.ts";
import { type CompiledJob, compileJob } from "../core/compiled-job.ts";
import type { Claimed } from "../store/port/queue.ts";
import { isDataError } from "../store/postgres/database.ts";
import { createLog } from "../telemetry/log.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { Finished } from "./settlement.ts";
import { Settler } from "./settler.ts";

let t: TestStore;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());

const written = async () => Number((await t.pool.query("select count(*) from punctual.execution")).rows[0].count);

async function claimMany(count: number): Promise<{ job: CompiledJob; claimed: Claimed[] }> {
  const job = await createJob(t.store, { overlap: "allow" });
  for (let left = count; left > 0; left -= 1_000) {
    const triggers = Array.from({ length: Math.min(left, 1_000) }, () => ({ job: job.id }));
    await t.store.triggers.trigger(PROJECT, triggers, { actor: "test" });
  }
  const { claimed } = await claim(t.store, t.nodeId, { slots: count });
  expect(claimed.length).toBe(count);
  return { job: compileJob(job, job.version, job.spec), claimed };
}

function newSettler(): Settler {
  const log = createLog({ level: "silent" });
  return new Settler({ store: t.store, log, metrics: new Metrics(), random: () => 0, isDataError });
}

const SUCCESS: AttemptResult = {
  outcome: "succeeded",
  error: null,
  cause: null,
  doubtful: false,
  retryAfterMs: null,
  request: null,
  response: null,
  timings: null,
  result: null,
};
const succeededAt = (claimed: Claimed, job: CompiledJob): Finished => ({
  claimed,
  job,
  attempt: attemptOf(claimed, "succeeded"),
  result: SUCCESS,
});

test("a full batch of results does not wait for one whose write hangs, and nothing is lost of either", async () => {
  const { job, claimed } = await claimMany(2_000);
  const before = await written();
  const other = await t.pool.connect();
  await other.query("begin");
  await other.query("select from punctual.queue where id = $1 for update", [claimed[0]!.id]);
  const settler = newSettler();
  const fates: string[] = [];
  for (const one of claimed) settler.add(succeededAt(one, job), (fate) => fates.push(fate));
  await until("the second batch is written", async () => (await written()) === before + 1_000);
  expect(settler.claims().length).toBe(1_000);
  expect(settler.claims()).toContain(claimed[0]!.claim);
  await other.query("rollback");
  other.release();
  await settler.flushed();
  expect(await written()).toBe(before + 2_000);
  expect(settler.claims()).toEqual([]);
  expect(new Set(fates)).toEqual(new Set(["written"]));
  expect(fates.length).toBe(2_000);
});

test("who waits for what is unwritten does not wait for what comes after it", async () => {
  const { job, claimed } = await claimMany(500);
  const settler = newSettler();
  let told = 0;
  // Each that is written brings the next: there is always one that is not.
  const addNext = () => {
    const next = claimed.pop();
    if (next === undefined) return;
    settler.add(succeededAt(next, job), () => {
      told += 1;
      addNext();
    });
  };
  addNext();
  await settler.flushed();
  expect(told).toBe(1);
  expect(settler.claims().length).toBe(1);
  claimed.length = 0;
  await settler.flushed();
});

test("who waits for the retry of a job that was deleted waits until it is cancelled", async () => {
  const { job, claimed } = await claimMany(1);
  await t.store.jobs.delete(PROJECT, job.id, { actor: "test" });
  const [one] = claimed as [Claimed];
  const settler = newSettler();
  const error = { code: "http_status", message: "answered 500" };
  settler.add({
    claimed: one,
    job,
    attempt: { ...attemptOf(one, "failed"), error },
    result: { ...SUCCESS, outcome: "failed", error, cause: { kind: "network" } },
  });
  await settler.flushed();
  expect(settler.claims()).toEqual([]);
  expect(await t.store.executions.find(PROJECT, one.id)).toMatchObject({
    state: "cancelled",
    reason: { code: "job_deleted" },
  });
});
