import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  attemptOf,
  claim,
  createJob,
  createTestStore,
  failed,
  PROJECT,
  succeeded,
  type TestStore,
  triggerJob,
} from "../../../tests/support/store.ts";
import { claimAs, joinWorker } from "../../../tests/support/workers.ts";
import { FINAL_STATES } from "../../core/states.ts";
import { isDataError } from "./database.ts";

let t: TestStore;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());
beforeEach(async () => {
  await t.pool.query("delete from punctual.queue");
});

async function running(written: object = {}) {
  const job = await createJob(t.store, written);
  await triggerJob(t.store, job, { payload: { n: 1 } });
  const { claimed } = await claim(t.store, t.nodeId);
  return { job, claimed: claimed[0]! };
}

test("a holder that lost its claim cannot finish the execution", async () => {
  const { claimed } = await running();
  const stale = { ...succeeded(claimed), claim: "00000000-0000-4000-8000-000000000000" };
  expect(await t.store.queue.settleFinal([stale])).toEqual([]);
  expect(await t.store.executions.find(PROJECT, claimed.id)).toMatchObject({ state: "running" });
  expect((await t.store.queue.settleFinal([succeeded(claimed)])).length).toBe(1);
  expect(await t.store.queue.settleFinal([failed(claimed)])).toEqual([]);
  expect(await t.store.executions.find(PROJECT, claimed.id)).toMatchObject({ state: "succeeded" });
});

test("an execution ended when its attempt did, however much later that is written, and never after", async () => {
  const ended = async (ms: number) => {
    const { claimed } = await running();
    const finishedAt = new Date(claimed.startedAt.getTime() + ms).toISOString();
    const settlement = succeeded(claimed);
    await t.store.queue.settleFinal([{ ...settlement, attempt: { ...settlement.attempt, finishedAt } }]);
    const { startedAt, finishedAt: kept, durationMs } = (await t.store.executions.find(PROJECT, claimed.id))!;
    return { took: Date.parse(kept!) - Date.parse(startedAt!), durationMs };
  };
  expect(await ended(0)).toEqual({ took: 0, durationMs: 0 });
  expect(await ended(-5_000)).toEqual({ took: 0, durationMs: 0 });
  // A clock that runs ahead of the database's.
  expect((await ended(3_600_000)).durationMs).toBeLessThan(60_000);
});

const actor = { actor: "test" };
const HERE = { target: { type: "http", url: "http://Here:8080/x" } };

async function sendTo(handler: string, { id }: { id: string }): Promise<void> {
  const target = { type: "worker" as const, handler };
  await t.store.jobs.edit(PROJECT, id, (current) => ({ ...current!.spec, target }), actor);
}

test("the next attempt goes where its job goes now", async () => {
  const { job, claimed } = await running(HERE);
  await sendTo("there", job);
  await t.store.queue.settleRetry([{ ...claimed, delayMs: 0, attempt: attemptOf(claimed, "failed") }]);
  expect((await claim(t.store, t.nodeId)).claimed).toEqual([]);
  const { holder } = await joinWorker(t.store, ["there"]);
  expect((await claimAs(t.store, holder, { there: 1 })).claimed).toMatchObject([{ id: claimed.id, version: 2 }]);
});

test("a retry of the original version goes where that went, whatever becomes of the job", async () => {
  const { job, claimed } = await running(HERE);
  await t.store.queue.settleFinal([failed(claimed)]);
  await sendTo("there", job);
  await t.store.executions.retry(PROJECT, claimed.id, { ...actor, version: "original" });
  await sendTo("elsewhere", job);
  expect((await claim(t.store, t.nodeId)).claimed).toMatchObject([{ trigger: "retry", version: 1, lane: "here:8080" }]);
});

test("the ledger's row has every attempt, in order, and the payload of its creation", async () => {
  const { job, claimed } = await running();
  await t.store.queue.settleRetry([{ ...claimed, delayMs: 0, attempt: attemptOf(claimed, "failed") }]);
  await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, payload: "other" }), { actor: "test" });
  const again = (await claim(t.store, t.nodeId)).claimed[0]!;
  expect(again).toMatchObject({ id: claimed.id, attempt: 2, version: 2 });
  await t.store.queue.settleFinal([succeeded(again)]);
  const execution = await t.store.executions.find(PROJECT, claimed.id);
  expect(execution).toMatchObject({ state: "succeeded", attempt: 2, jobVersion: 2, payload: { n: 1 } });
  expect(execution!.attempts!.map(({ number, outcome, jobVersion }) => [number, outcome, jobVersion])).toEqual([
    [1, "failed", 1],
    [2, "succeeded", 2],
  ]);
  const { rows } = await t.pool.query("select count(*)::int as n from punctual.attempt where execution_id = $1", [
    claimed.id,
  ]);
  expect(rows[0].n).toBe(0);
});

test("of an attempt that succeeded at once no more is kept than what it sent and received, and it is read whole", async () => {
  const { claimed } = await running();
  const exchange = {
    request: { method: "POST" as const, url: "http://here/" },
    response: { status: 200, headers: {}, body: "ok", truncated: false },
    timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 1, totalMs: 2 },
  };
  const attempt = { ...attemptOf(claimed, "succeeded"), finishedAt: claimed.startedAt.toISOString(), ...exchange };
  await t.store.queue.settleFinal([{ ...succeeded(claimed), attempt }]);
  expect((await t.store.executions.find(PROJECT, claimed.id))!.attempts).toEqual([attempt]);
  expect(await keptAttempts(claimed.id)).toEqual([exchange]);
});

test("the error that an execution ended with is kept once, and told of its last attempt as well", async () => {
  const { job, claimed } = await running();
  const first = { ...attemptOf(claimed, "failed"), error: { code: "EBUSY", message: "busy" } };
  await t.store.queue.settleRetry([{ ...claimed, delayMs: 0, attempt: first }]);
  const again = (await claim(t.store, t.nodeId)).claimed[0]!;
  const error = { code: "ENOSPC", message: "no disk", stack: "at once" };
  const attempt = { ...attemptOf(again, "failed"), error };
  await t.store.queue.settleFinal([{ ...failed(again), error, attempt }]);
  expect((await keptAttempts(claimed.id)).map((kept) => kept.error)).toEqual([first.error, true]);
  const { items } = await t.store.deadLetters.list(PROJECT, { jobIds: [job.id] }, { after: null, limit: 10 });
  for (const execution of [await t.store.executions.find(PROJECT, claimed.id), items[0]!.execution]) {
    expect(execution).toMatchObject({ state: "failed", error });
    expect(execution!.attempts).toEqual([first, attempt]);
  }
});

async function keptAttempts(id: string): Promise<Record<string, unknown>[]> {
  const { rows } = await t.pool.query("select attempts from punctual.execution where id = $1", [id]);
  return rows[0].attempts;
}

test("of many attempts only the last three keep their bodies", async () => {
  let { claimed } = await running();
  const withBody = (outcome: "failed" | "succeeded") => ({
    ...attemptOf(claimed, outcome),
    response: { status: 500, headers: {}, body: `body ${claimed.attempt}`, truncated: false },
  });
  for (let i = 0; i < 4; i += 1) {
    await t.store.queue.settleRetry([{ ...claimed, delayMs: 0, attempt: withBody("failed") }]);
    claimed = (await claim(t.store, t.nodeId)).claimed[0]!;
  }
  await t.store.queue.settleFinal([{ ...succeeded(claimed), attempt: withBody("succeeded") }]);
  const execution = await t.store.executions.find(PROJECT, claimed.id);
  expect(execution!.attempts!.map(({ response }) => response!.body)).toEqual([
    null,
    null,
    "body 3",
    "body 4",
    "body 5",
  ]);
});

test("a failure becomes a dead letter with everything needed to try it again", async () => {
  const { job, claimed } = await running();
  await t.store.queue.settleFinal([failed(claimed)]);
  const { items } = await t.store.deadLetters.list(PROJECT, { jobIds: [job.id] }, { after: null, limit: 10 });
  expect(items).toMatchObject([{ id: claimed.id, status: "open", execution: { state: "failed", payload: { n: 1 } } }]);
  await t.pool.query("delete from punctual.execution where id = $1", [claimed.id]);
  const [retried] = await t.store.deadLetters.retry(PROJECT, [claimed.id], { actor: "test" });
  const execution = await t.store.executions.find(PROJECT, retried!.executionId);
  expect(execution).toMatchObject({ state: "scheduled", trigger: "retry", retryOf: claimed.id, payload: { n: 1 } });
  expect(await t.store.deadLetters.retry(PROJECT, [claimed.id], { actor: "test" })).toEqual([]);
});

test("the counters equal the ledger, whatever wrote it", async () => {
  const count = async () =>
    (
      await t.pool.query(
        "select state, (select coalesce(sum(n), 0)::int from punctual.minute_count where measure = state) as counted, sum(count)::int as written from punctual.execution group by state",
      )
    ).rows;
  const { claimed } = await running();
  await t.store.queue.settleFinal([succeeded(claimed)]);
  const { job } = await running();
  await t.store.jobs.delete(PROJECT, job.id, { actor: "test" });
  const every = await createJob(t.store, { schedule: { every: "1s" } });
  await t.store.jobs.pause(PROJECT, every.id, { actor: "test", reason: null, until: null });
  await triggerJob(t.store, every, { delayMs: 50_000 });
  await t.store.executions.cancel(
    PROJECT,
    (
      await t.store.executions.list(
        PROJECT,
        { jobIds: [every.id] },
        { order: "desc", after: null, limit: 1, include: [] },
      )
    ).items[0]!.id,
    { actor: "test" },
  );
  for (const row of await count()) expect(row.counted).toBe(row.written + (row.state === "failed" ? 1 : 0));
});

test("a value the database refuses fails the batch as such, so that the rows can be settled one by one", async () => {
  const { claimed } = await running();
  const error = { code: "odd", message: "a\u0000b" };
  const refused = await t.store.queue.settleFinal([{ ...failed(claimed), error }]).catch((caught) => caught);
  expect(isDataError(refused)).toBe(true);
  expect(await t.store.executions.find(PROJECT, claimed.id)).toMatchObject({ state: "running" });
});

test("the states that the ledger accepts are the final ones, and the queue the others", async () => {
  const accepted = async (table: string) => {
    const { rows } = await t.pool.query(
      "select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2",
      [`punctual.${table}`, `${table}_state_check`],
    );
    return [...rows[0].text.matchAll(/'(\w+)'/g)].map((match) => match[1]).toSorted();
  };
  expect(await accepted("execution")).toEqual(FINAL_STATES.toSorted());
  expect(await accepted("queue")).toEqual(["retrying", "running", "scheduled"]);
});

test("a settlement whose answer was lost is found where it was written", async () => {
  const [one, two] = [await running(), await running()];
  await t.store.queue.settleFinal([succeeded(one.claimed)]);
  await t.store.queue.settleRetry([{ ...two.claimed, delayMs: 0, attempt: attemptOf(two.claimed, "failed") }]);
  const third = await running();
  const looked = [
    { ...one.claimed, outcome: "succeeded" as const },
    { ...two.claimed, outcome: "failed" as const },
    { ...third.claimed, outcome: "failed" as const },
  ];
  expect((await t.store.queue.settledBefore(looked)).toSorted()).toEqual([one.claimed.id, two.claimed.id].toSorted());
});

test("a settlement is not taken for one that was made for a holder that was given up", async () => {
  const { claimed } = await running();
  await t.store.queue.settleRetry([{ ...claimed, delayMs: 0, attempt: attemptOf(claimed, "lost") }]);
  expect(await t.store.queue.settledBefore([{ ...claimed, outcome: "succeeded" }])).toEqual([]);
});

test("the claims of a node whose lease is over are found, those of a living one are not", async () => {
  const { claimed } = await running();
  expect(await t.store.queue.readLost({ limit: 10, heardMs: 0 })).toEqual([]);
  await t.pool.query("update punctual.node set lease_until = now() - interval '1 second' where id = $1", [t.nodeId]);
  expect(await t.store.queue.readLost({ limit: 10, heardMs: 0 })).toMatchObject([
    { claimed: { id: claimed.id }, holder: "test", cause: "holder_lost" },
  ]);
});

test("an execution that waits for its callback outlives its node, and ends with its deadline", async () => {
  const { claimed } = await running({ target: { type: "http", url: "http://a/", completion: "callback" } });
  expect(
    await t.store.queue.awaitCallback({ ...claimed, timeoutMs: 60_000, attempt: attemptOf(claimed, "failed") }),
  ).toBe("waiting");
  await t.pool.query("update punctual.node set lease_until = now() - interval '1 second' where id = $1", [t.nodeId]);
  expect(await t.store.queue.readLost({ limit: 10, heardMs: 0 })).toEqual([]);
  expect(await t.store.queue.findCallback(claimed.id, claimed.claim)).toMatchObject({
    kind: "waiting",
    claimed: { id: claimed.id },
  });
  await t.pool.query("update punctual.queue set deadline = now() - interval '1 second' where id = $1", [claimed.id]);
  expect(await t.store.queue.readLost({ limit: 10, heardMs: 0 })).toMatchObject([
    { claimed: { id: claimed.id }, cause: "callback_timeout" },
  ]);
});
