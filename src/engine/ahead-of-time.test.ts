import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTarget, startTestEngine, type TestTarget, until } from "../../tests/support/engine.ts";
import { createJob, createTestStore, PROJECT, type TestStore, triggerJob } from "../../tests/support/store.ts";
import { START_WITHIN_MS } from "../core/start-within.ts";
import type { ClaimResult } from "../store/port/queue.ts";

let t: TestStore;
let target: TestTarget;

beforeAll(async () => {
  t = await createTestStore();
  target = await startTarget();
});
afterAll(async () => {
  await target.close();
  await t.close();
});
beforeEach(async () => {
  target.calls.length = 0;
});

/** An engine, and who is told of what it claims ahead of time. */
async function startEngine(
  onAhead: (claimed: ClaimResult["claimed"]) => void,
  options: { concurrency?: number; onClaims?: (underWay: number) => void } = {},
) {
  const { queue } = t.store;
  const { onClaims = () => {}, ...rest } = options;
  let underWay = 0;
  const store = {
    ...t.store,
    queue: {
      ...queue,
      claimDue: async (options: Parameters<typeof queue.claimDue>[0]) => {
        onClaims(++underWay);
        const result = await queue.claimDue(options).finally(() => {
          underWay -= 1;
        });
        const early = result.claimed.filter(({ runAt }) => runAt > result.decidedAt);
        if (options.aheadMs && early.length > 0) onAhead(early);
        else expect(early).toEqual([]);
        return result;
      },
    },
  };
  return await startTestEngine({ store, nodeId: t.nodeId }, rest);
}

/** Many that are due at one moment. */
async function triggerCrowd(count: number, inMs: number): Promise<{ ids: string[]; runAt: Date }> {
  const job = await createJob(t.store, { target: { type: "http", url: target.url } });
  const runAt = new Date((await t.store.now()).getTime() + inMs);
  const items = Array.from({ length: count }, () => ({ job: job.id, runAt }));
  const results = await t.store.triggers.trigger(PROJECT, items, { actor: "test" });
  t.store.events.wake();
  return { ids: results.map((result) => (result.kind === "triggered" ? result.executionId : "")), runAt };
}

/** Each was called once, at its time or after, by its first attempt. */
async function calledOnce({ ids, runAt }: { ids: string[]; runAt: Date }): Promise<void> {
  await until("all have ended", async () => {
    const { rows } = await t.pool.query(
      "select count(*)::integer as n from punctual.execution where id = any($1) and state = 'succeeded' and attempt = 1",
      [ids],
    );
    return rows[0].n === ids.length;
  });
  const called = target.calls.map(({ headers }) => headers["punctual-execution-id"]);
  expect(called.toSorted()).toEqual(ids.toSorted());
  expect(target.calls.every(({ at }) => at >= runAt.getTime())).toBe(true);
}

/** Triggers that are due so many milliseconds from now, by their ids. */
async function triggerAt(moments: number[]): Promise<Map<string, Date>> {
  const job = await createJob(t.store, { target: { type: "http", url: target.url } });
  const now = (await t.store.now()).getTime();
  const due = moments.map((ms) => new Date(now + ms));
  const triggered = await Promise.all(
    due.map(async (runAt) => [await triggerJob(t.store, job, { runAt }), runAt] as const),
  );
  t.store.events.wake();
  return new Map(triggered);
}

const find = async (id: string) => (await t.store.executions.find(PROJECT, id))!;
const callsOf = (id: string) => target.calls.filter(({ headers }) => headers["punctual-execution-id"] === id);

test("what is due at a moment is claimed before it, and called at it, never before", async () => {
  const ahead = new Set<string>();
  const { stop } = await startEngine((claimed) => {
    for (const { id, startedAt, runAt } of claimed) {
      expect(startedAt).toEqual(runAt);
      ahead.add(id);
    }
  });
  const due = await triggerAt(Array.from({ length: 20 }, (_, nth) => 600 + nth * 50));
  for (const [id, runAt] of due) {
    const { startedAt, latenessMs } = await until(`${id} has ended`, async () => {
      const execution = await find(id);
      return execution.state === "succeeded" ? execution : null;
    });
    expect(callsOf(id).length).toBe(1);
    expect(callsOf(id)[0]!.at).toBeGreaterThanOrEqual(runAt.getTime());
    expect(Date.parse(startedAt!) - runAt.getTime()).toBe(latenessMs);
  }
  await stop();
  expect(ahead.size).toBeGreaterThan(0);
});

test("what is cancelled between its claim and its time is not called", async () => {
  const cancel = async (id: string) => {
    await t.store.executions.cancel(PROJECT, id, { actor: "test" });
    t.store.events.wake();
  };
  const { stop } = await startEngine((claimed) => {
    for (const { id } of claimed) setTimeout(() => void cancel(id), 5);
  });
  const due = await triggerAt([700, 1_400, 2_100]);
  const last = [...due.keys()].at(-1)!;
  await until("the last is cancelled", async () => (await find(last)).state === "cancelled");
  await stop();
  // A machine that stands still for a quarter of a second may call one before it hears of it.
  expect([...due.keys()].some((id) => callsOf(id).length === 0)).toBe(true);
});

test("a stop between a claim and its time waits for it, and loses nothing", async () => {
  let isClaimed = false;
  const { stop } = await startEngine(() => {
    isClaimed = true;
  });
  const [[id, runAt]] = [...(await triggerAt([900]))] as [[string, Date]];
  await until("it is claimed", () => isClaimed);
  await stop();
  expect(await find(id)).toMatchObject({ state: "succeeded", attempt: 1 });
  expect(callsOf(id).map(({ at }) => at >= runAt.getTime())).toEqual([true]);
});

test("a crowd is claimed by two claims at once, and each of it is called once", async () => {
  let most = 0;
  let ahead = 0;
  const { stop } = await startEngine(
    (claimed) => {
      ahead += claimed.length;
    },
    { concurrency: 12_000, onClaims: (underWay) => (most = Math.max(most, underWay)) },
  );
  await calledOnce(await triggerCrowd(3_500, 2_500));
  await stop();
  expect(ahead).toBeGreaterThan(0);
  expect(most).toBe(2);
});

test("what could not be started soon after its time is given back, and called when there is time", async () => {
  let late = 0;
  const { stop, metrics } = await startEngine(
    (claimed) => {
      late += claimed.length;
      // A process that does something else for so long.
      while (Date.now() < claimed[0]!.runAt.getTime() + START_WITHIN_MS + 150);
    },
    { concurrency: 2_000 },
  );
  // A machine that stands still may claim nothing ahead.
  while (late === 0) {
    target.calls.length = 0;
    await calledOnce(await triggerCrowd(300, 1_500));
  }
  await stop();
  const givenBack = await metrics.registry.getSingleMetricAsString("punctual_claims_given_back_total");
  expect(givenBack.split("\n").at(-1)).toBe(`punctual_claims_given_back_total ${late}`);
  const [last] = target.calls.toSorted((one, other) => other.at - one.at);
  const { latenessMs } = await find(String(last!.headers["punctual-execution-id"]));
  expect(latenessMs).toBeGreaterThan(START_WITHIN_MS);
});
