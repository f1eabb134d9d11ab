import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../tests/support/engine.ts";
import {
  attemptOf,
  createJob,
  createTestStore,
  PROJECT,
  type TestStore,
  triggerJob,
} from "../../tests/support/store.ts";
import { startTestDesk, type TestDesk } from "../../tests/support/worker-desk.ts";
import { forHandler } from "../../tests/support/workers.ts";
import type { HandedOut, Settlement } from "../contract/worker.ts";
import { holderId } from "../core/ids.ts";
import type { Asker } from "./waiting-polls.ts";
import type { WorkerDesk } from "./worker-desk.ts";

let t: TestStore;
let here: TestDesk;
/** Another node's. */
let there: TestDesk;
let nowMs = 0;

beforeAll(async () => {
  t = await createTestStore();
  here = startTestDesk(t.store, { monotonic: () => nowMs });
  there = startTestDesk(t.another().store);
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await t.close();
});
beforeEach(async () => {
  await t.pool.query("delete from punctual.queue; delete from punctual.worker");
});

/** A client that does not go away, and whose key stays valid. */
const stays = (): Asker => ({ signal: new AbortController().signal, stillAllowed: async () => {} });
const find = (id: string) => t.store.executions.find(PROJECT, id);

const succeeded = ({ id, token }: HandedOut): Settlement => {
  return { id, token, outcome: "succeeded", result: null, error: null, retryable: true, retryAfter: null };
};

class TestWorker {
  readonly key = { projectId: PROJECT, id: `w-${randomUUID()}` };

  async join(handlers = ["report"], lease = "30s"): Promise<this> {
    await here.desk.register(this.key, {
      name: "anna",
      handlers: handlers.map((name) => ({ name, slots: 10 })),
      lease,
    });
    return this;
  }

  async claim(
    options: { free?: number; waitMs?: number; requestId?: string; desk?: WorkerDesk } & Partial<Asker> = {},
  ): Promise<HandedOut[]> {
    const { free = 10, waitMs = 0, requestId = randomUUID(), desk = here.desk } = options;
    const claim = { requestId, waitMs, handlers: [{ name: "report", free }] };
    const answer = await desk.claim(this.key, claim, { ...stays(), ...options });
    if (answer.kind !== "executions") throw new Error(answer.kind);
    return answer.executions;
  }

  async heartbeat(executions: (Pick<HandedOut, "id" | "token"> & { progress?: unknown })[]) {
    const answer = await here.desk.heartbeat(this.key, executions);
    return { statuses: answer!.items.map(({ status }) => status), drain: answer!.drain };
  }

  async settle(execution: HandedOut, said: Partial<Settlement> = {}, desk = here.desk) {
    const [settled] = await desk.settle(this.key, [{ ...succeeded(execution), ...said }]);
    return settled!.accepted ? "accepted" : settled!.reason;
  }
}

class TestKey {
  revoked = false;
  looks = 0;

  readonly look = async (): Promise<void> => {
    this.looks += 1;
    if (this.revoked) throw new Error("the key was revoked");
  };
}

const anna = async () => await new TestWorker().join();

/** The claim with this key was looked for, and in vain: one that comes later is served by a later pass. */
async function waits(key: TestKey): Promise<void> {
  await until("the key is looked at", () => key.looks > 0);
  await (await anna()).claim();
}

const job = async (more: object = {}) => await createJob(t.store, forHandler("report", more));
const quick = { retry: { initialDelay: "10ms", jitter: false } };

describe("a claim", () => {
  test("hands out all that running it needs", async () => {
    const worker = await anna();
    const made = await job({ payload: { format: "pdf" }, timeout: "2m" });
    const id = await triggerJob(t.store, made, { payload: { format: "txt" } });
    const scheduled = await triggerJob(t.store, made, { priority: 90 });
    const [first, second] = await worker.claim();
    expect(first).toMatchObject({ id: scheduled, payload: { format: "pdf" } });
    expect(second).toMatchObject({
      id,
      attempt: 1,
      handler: "report",
      payload: { format: "txt" },
      job: { id: made.id, name: made.spec.name, version: 1 },
      trigger: "manual",
      timeoutMs: 120_000,
      idempotencyKey: id,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    const { attempts } = (await find(id))!;
    expect(Date.parse(second!.deadline) - Date.parse(attempts![0]!.startedAt)).toBe(120_000);
    expect(attempts).toMatchObject([{ outcome: null, worker: "anna", node: null }]);
  });

  test("waits until something is due, and gets it then and not before", async () => {
    const worker = await anna();
    const id = await triggerJob(t.store, await job(), { delayMs: 700 });
    const [execution] = await worker.claim({ waitMs: 20_000 });
    expect(execution!.id).toBe(id);
    const { runAt, startedAt } = (await find(id))!;
    expect(Date.parse(startedAt!)).toBeGreaterThanOrEqual(Date.parse(runAt));
  });

  test("is woken by another node", async () => {
    const worker = await anna();
    const made = await job();
    const answer = worker.claim({ waitMs: 20_000, desk: there.desk });
    const id = await triggerJob(t.store, made);
    t.store.events.wake();
    expect((await answer).map((one) => one.id)).toEqual([id]);
  });

  test("of a worker among many that wait costs one claim, not one for each of them", async () => {
    let claims = 0;
    const { store } = t.another();
    const counting = (options: Parameters<typeof store.queue.claimHandlers>[0]) => {
      claims += 1;
      return store.queue.claimHandlers(options);
    };
    const node = startTestDesk({ ...store, queue: { ...store.queue, claimHandlers: counting } });
    const workers = await Promise.all(Array.from({ length: 40 }, anna));
    const answers = workers.map((worker) => worker.claim({ waitMs: 20_000, desk: node.desk }));
    await until("each has been looked for once", () => claims === 40);
    const id = await triggerJob(t.store, await job());
    store.events.wake();
    expect((await Promise.race(answers)).map((one) => one.id)).toEqual([id]);
    node.desk.closePolls();
    expect((await Promise.all(answers)).flat().length).toBe(1);
    expect(claims).toBeLessThan(50);
    await node.stop();
  });

  test("ends with nothing when its time is up", async () => {
    expect(await (await anna()).claim({ waitMs: 50 })).toEqual([]);
  });

  test("ends when its client goes away, and takes nothing for it", async () => {
    const worker = await anna();
    const client = new AbortController();
    const answer = worker.claim({ waitMs: 60_000, signal: client.signal });
    await worker.claim();
    client.abort();
    expect(await answer).toEqual([]);
    const id = await triggerJob(t.store, await job());
    expect(await find(id)).toMatchObject({ state: "scheduled" });
  });

  test("ends when its client goes away while it is being claimed for, too", async () => {
    const worker = await anna();
    const { store } = t.another();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let claims = 0;
    const slow = async (options: Parameters<typeof store.queue.claimHandlers>[0]) => {
      claims += 1;
      const result = await store.queue.claimHandlers(options);
      if (claims === 1) await held;
      return result;
    };
    const node = startTestDesk({ ...store, queue: { ...store.queue, claimHandlers: slow } });
    const client = new AbortController();
    const answer = worker.claim({ waitMs: 60_000, signal: client.signal, desk: node.desk });
    await until("it is being claimed for", () => claims === 1);
    client.abort();
    release();
    expect(await answer).toEqual([]);
    const id = await triggerJob(t.store, await job());
    expect((await worker.claim({ waitMs: 20_000, desk: node.desk })).map((one) => one.id)).toEqual([id]);
    await node.stop();
  });

  test("that waits is refused once its key is, and nothing is taken for it", async () => {
    const worker = await anna();
    const key = new TestKey();
    const answer = worker.claim({ waitMs: 60_000, stillAllowed: key.look });
    answer.catch(() => {});
    await waits(key);
    key.revoked = true;
    const id = await triggerJob(t.store, await job());
    t.store.events.wake();
    await expect(answer).rejects.toThrow("revoked");
    expect(await find(id)).toMatchObject({ state: "scheduled" });
  });

  test("is answered whoever asks with a valid key, also when another who asks the same is refused", async () => {
    const worker = await anna();
    const [old, fresh] = [new TestKey(), new TestKey()];
    const requestId = randomUUID();
    const refused = worker.claim({ waitMs: 60_000, requestId, stillAllowed: old.look });
    refused.catch(() => {});
    await waits(old);
    old.revoked = true;
    const answer = worker.claim({ waitMs: 60_000, requestId, stillAllowed: fresh.look });
    const id = await triggerJob(t.store, await job());
    // Whether or not the second has joined the first by now, it gets what there is, and the first does not.
    t.store.events.wake();
    expect((await answer).map((one) => one.id)).toEqual([id]);
    await expect(refused).rejects.toThrow("revoked");
  });

  test("of a worker that has left while it waits takes nothing", async () => {
    const worker = await anna();
    const [key, client] = [new TestKey(), new AbortController()];
    const answer = worker.claim({ waitMs: 60_000, stillAllowed: key.look, signal: client.signal });
    await waits(key);
    await here.desk.leave(worker.key);
    const { looks } = key;
    const id = await triggerJob(t.store, await job());
    t.store.events.wake();
    await until("it was claimed for, in vain, and is again", () => key.looks > looks + 1);
    expect(await find(id)).toMatchObject({ state: "scheduled" });
    client.abort();
    expect(await answer).toEqual([]);
  });

  test("ends when the node stops", async () => {
    const worker = await anna();
    const node = startTestDesk(t.another().store);
    const key = new TestKey();
    const answer = worker.claim({ waitMs: 20_000, desk: node.desk, stillAllowed: key.look });
    await until("it is looked for", () => key.looks > 0);
    node.desk.closePolls();
    expect(await answer).toEqual([]);
    await expect(worker.claim({ waitMs: 20_000, desk: node.desk })).rejects.toMatchObject({ code: "unavailable" });
    await node.stop();
  });

  test("made again under its id is answered the same, on whichever node, also for nothing new", async () => {
    const worker = await anna();
    const made = await job();
    for (let i = 0; i < 3; i += 1) await triggerJob(t.store, made);
    const requestId = randomUUID();
    const first = await worker.claim({ free: 2, requestId });
    expect(first.length).toBe(2);
    const tokens = (executions: HandedOut[]) => executions.map(({ token }) => token).toSorted();
    expect(tokens(await worker.claim({ free: 2, requestId, desk: there.desk }))).toEqual(tokens(first));
    expect(tokens(await worker.claim({ free: 0, requestId }))).toEqual(tokens(first));
    expect((await worker.claim()).length).toBe(1);
  });

  test("made twice at once is one claim", async () => {
    const worker = await anna();
    const requestId = randomUUID();
    const answers = [worker.claim({ waitMs: 20_000, requestId }), worker.claim({ waitMs: 20_000, requestId })];
    const id = await triggerJob(t.store, await job());
    t.store.events.wake();
    for (const answer of answers) expect((await answer).map((one) => one.id)).toEqual([id]);
  });

  test("finds what stood behind a fire that came too late", async () => {
    const worker = await anna();
    const late = await triggerJob(t.store, await job({ misfire: { policy: "skip" } }), { priority: 90 });
    await t.pool.query("update punctual.queue set late_after = now() - interval '1 second', trigger = 'schedule'");
    const id = await triggerJob(t.store, await job());
    expect((await worker.claim({ waitMs: 20_000, free: 1 })).map((one) => one.id)).toEqual([id]);
    expect(await find(late)).toMatchObject({ state: "skipped", reason: { code: "misfire" } });
  });

  test("of a worker that is not known is refused, and of a handler that it does not offer", async () => {
    const claim = { requestId: "r", waitMs: 0, handlers: [{ name: "mail", free: 1 }] };
    expect(await here.desk.claim({ projectId: PROJECT, id: "nobody" }, claim, stays())).toEqual({ kind: "unknown" });
    expect(await here.desk.claim((await anna()).key, claim, stays())).toEqual({ kind: "not_offered", handler: "mail" });
  });
});

describe("a result", () => {
  test("ends the execution, under the worker's name", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job());
    const [execution] = await worker.claim();
    expect(await worker.settle(execution!, { result: { rows: 7 } })).toBe("accepted");
    expect(await find(execution!.id)).toMatchObject({
      state: "succeeded",
      result: { rows: 7 },
      attempts: [{ number: 1, outcome: "succeeded", worker: "anna", node: "test" }],
    });
  });

  test("handed in again is accepted again, on whichever node", async () => {
    const worker = await anna();
    for (let i = 0; i < 2; i += 1) await triggerJob(t.store, await job(quick));
    const [one, two] = await worker.claim();
    const failed = { outcome: "failed", error: { code: "handler", message: "no" } } as const;
    for (const desk of [here.desk, there.desk, here.desk]) {
      expect(await worker.settle(one!, {}, desk)).toBe("accepted");
      expect(await worker.settle(two!, failed, desk)).toBe("accepted");
    }
    expect((await find(one!.id))!.attempts!.length).toBe(1);
  });

  test("that is another than the first is refused", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job());
    const [execution] = await worker.claim();
    await worker.settle(execution!);
    expect(await worker.settle(execution!, { outcome: "failed" })).toBe("claim_lost");
  });

  test("of a worker that lost its lease is refused and counted", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job(quick));
    const [execution] = await worker.claim();
    const [claimed] = await t.store.queue.held(holderId(PROJECT, worker.key.id));
    await t.store.queue.settleRetry([{ ...claimed!, delayMs: 0, attempt: attemptOf(claimed!, "lost") }]);
    const before = (await here.metrics.staleWritesRefused.get()).values[0]?.value ?? 0;
    expect(await worker.settle(execution!)).toBe("claim_lost");
    expect((await here.metrics.staleWritesRefused.get()).values[0]!.value).toBe(before + 1);
    expect(await find(execution!.id)).toMatchObject({ state: "retrying" });
  });

  test("about another worker's execution, or under a token that is none, is refused", async () => {
    const [worker, other] = [await anna(), await anna()];
    await triggerJob(t.store, await job());
    const [execution] = await worker.claim();
    expect(await other.settle(execution!)).toBe("claim_lost");
    expect(await worker.settle({ ...execution!, token: "nonsense" })).toBe("claim_lost");
    expect(await worker.settle(execution!)).toBe("accepted");
  });

  test("under an older token of the same execution is refused beside the one that counts", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job());
    const [execution] = await worker.claim();
    const { id, token } = execution!;
    const said = { id, result: null, error: null, retryable: true, retryAfter: null };
    const settled = await here.desk.settle(worker.key, [
      { ...said, token: randomUUID(), outcome: "failed" },
      { ...said, token, outcome: "succeeded" },
    ]);
    expect(settled.map(({ accepted }) => accepted)).toEqual([false, true]);
    expect(await find(id)).toMatchObject({ state: "succeeded" });
  });

  test("that says when to try again is tried again then, and one that is final is not", async () => {
    const worker = await anna();
    for (let i = 0; i < 2; i += 1) await triggerJob(t.store, await job());
    const [one, two] = await worker.claim();
    await worker.settle(one!, { outcome: "failed", retryAfter: "1h" });
    await worker.settle(two!, {
      outcome: "failed",
      retryable: false,
      error: { code: "E", message: "never", stack: "s" },
    });
    const retried = (await find(one!.id))!;
    expect(retried.state).toBe("retrying");
    expect(Date.parse(retried.runAt) - Date.parse(retried.attempts![0]!.finishedAt!)).toBeGreaterThan(3_590_000);
    expect(await find(two!.id)).toMatchObject({
      state: "failed",
      reason: { code: "not_retryable" },
      error: { code: "E", message: "never", stack: "s" },
    });
  });

  test("that is too large fails its own execution and no other", async () => {
    const worker = await anna();
    const made = await job();
    for (let i = 0; i < 2; i += 1) await triggerJob(t.store, made);
    const [one, two] = await worker.claim();
    const settled = await here.desk.settle(
      worker.key,
      [one!, two!].map(({ id, token }, index) => ({
        id,
        token,
        outcome: "succeeded",
        result: index === 0 ? "x".repeat(300_000) : "y",
        error: null,
        retryable: true,
        retryAfter: null,
      })),
    );
    expect(settled.map(({ accepted }) => accepted)).toEqual([true, true]);
    expect(await find(one!.id)).toMatchObject({ state: "failed", error: { code: "result_too_large" } });
    expect(await find(two!.id)).toMatchObject({ state: "succeeded", result: "y" });
  });

  test("of a cancelled handler is a cancelled execution", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job());
    const [execution] = await worker.claim();
    expect(await worker.settle(execution!, { outcome: "cancelled" })).toBe("accepted");
    expect(await find(execution!.id)).toMatchObject({ state: "cancelled" });
  });

  test("that was not begun is returned: others may have it at once, and no attempt was made", async () => {
    const [worker, other] = [await anna(), await anna()];
    for (let i = 0; i < 2; i += 1) await triggerJob(t.store, await job());
    const [one, two] = await worker.claim();
    const settled = await here.desk.settle(worker.key, [{ ...succeeded(two!), outcome: "returned" }, succeeded(one!)]);
    expect(settled).toEqual([two, one].map((item) => ({ id: item!.id, accepted: true, reason: null })));
    expect(await find(one!.id)).toMatchObject({ state: "succeeded" });
    expect(await find(two!.id)).toMatchObject({ state: "scheduled", attempt: 0, attempts: [] });
    expect(await worker.heartbeat([two!])).toMatchObject({ statuses: ["lost"] });
    expect(await other.claim()).toMatchObject([{ id: two!.id, attempt: 1 }]);
    // Once more, because the answer was lost: it is not theirs any more, and there is nothing to do.
    expect(await worker.settle(two!, { outcome: "returned" })).toBe("accepted");
    expect(await find(two!.id)).toMatchObject({ state: "running" });
  });

  test("that was not begun and whose job was deleted is cancelled", async () => {
    const worker = await anna();
    const made = await job();
    await triggerJob(t.store, made);
    const [execution] = await worker.claim();
    await t.store.jobs.delete(PROJECT, made.id, { actor: "test" });
    expect(await worker.settle(execution!, { outcome: "returned" })).toBe("accepted");
    expect(await find(execution!.id)).toMatchObject({ state: "cancelled" });
  });
});

describe("a heartbeat", () => {
  test("says of each execution whether it is still the worker's, was cancelled, or is lost", async () => {
    const [worker, other] = [await anna(), await anna()];
    const made = await job(quick);
    for (let i = 0; i < 3; i += 1) await triggerJob(t.store, made);
    const [one, two, three] = await worker.claim();
    await t.store.executions.cancel(PROJECT, two!.id, { actor: "test" });
    await worker.settle(three!, { outcome: "failed" });
    await until("another has it", async () => (await other.claim()).length > 0);
    expect(await worker.heartbeat([one!, two!, three!, { id: one!.id, token: "nonsense" }])).toEqual({
      statuses: ["ok", "cancel", "lost", "lost"],
      drain: false,
    });
  });

  test("keeps how far each is, and what is no small value is left out", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job(quick));
    const [execution] = await worker.claim();
    await worker.heartbeat([{ ...execution!, progress: { done: 0.4 } }]);
    await worker.heartbeat([{ ...execution!, progress: "x".repeat(100_000) }]);
    expect(await find(execution!.id)).toMatchObject({ state: "running", progress: { done: 0.4 } });
    await worker.settle(execution!);
    expect(await find(execution!.id)).toMatchObject({ state: "succeeded", progress: { done: 0.4 } });
  });

  test("ends what has taken longer than its timeout, which counts as such", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job({ timeout: "1m", retry: { maxAttempts: 1 } }));
    const [execution] = await worker.claim();
    await t.pool.query("update punctual.queue set started_at = now() - interval '63 seconds'");
    expect((await worker.heartbeat([execution!])).statuses).toEqual(["ok"]);
    await t.pool.query("update punctual.queue set started_at = now() - interval '70 seconds'");
    expect((await worker.heartbeat([execution!])).statuses).toEqual(["lost"]);
    expect(await find(execution!.id)).toMatchObject({ state: "failed", attempts: [{ outcome: "timed_out" }] });
    expect(await worker.settle(execution!)).toBe("claim_lost");
  });

  test("gives up what the worker has not spoken of for as long as its lease", async () => {
    const worker = await anna();
    await triggerJob(t.store, await job(quick));
    const [execution] = await worker.claim();
    await worker.heartbeat([]);
    nowMs += 29_000;
    await worker.heartbeat([]);
    expect(await find(execution!.id)).toMatchObject({ state: "running" });
    nowMs += 2_000;
    await worker.heartbeat([]);
    expect(await find(execution!.id)).toMatchObject({
      state: "retrying",
      attempts: [{ outcome: "lost", worker: "anna" }],
    });
  });

  test("gives up what the worker does not speak of, also under the token of something that it does", async () => {
    const worker = await anna();
    const made = await job(quick);
    for (let i = 0; i < 2; i += 1) await triggerJob(t.store, made);
    const [known, unknown] = await worker.claim();
    // As when the same request takes work at two nodes at once.
    await t.pool.query("update punctual.queue set claim = $1", [known!.token]);
    await worker.heartbeat([known!]);
    nowMs += 31_000;
    expect((await worker.heartbeat([known!])).statuses).toEqual(["ok"]);
    expect(await find(unknown!.id)).toMatchObject({ state: "retrying", attempts: [{ outcome: "lost" }] });
  });

  test("tells a worker to drain, which then gets nothing more", async () => {
    const worker = await anna();
    await t.store.workers.drain(PROJECT, worker.key.id);
    await triggerJob(t.store, await job());
    expect((await worker.heartbeat([])).drain).toBe(true);
    expect(await worker.claim()).toEqual([]);
  });

  test("of a worker that is not known is refused", async () => {
    expect(await here.desk.heartbeat({ projectId: PROJECT, id: "nobody" }, [])).toBeNull();
  });
});

test("lines are kept for what the worker holds, and dropped for the rest", async () => {
  const [worker, other] = [await anna(), await anna()];
  await triggerJob(t.store, await job());
  const [execution] = await worker.claim();
  const lines = [{ seq: 1, level: "info" as const, message: "begun", fields: null }];
  const items = [{ id: execution!.id, token: execution!.token, lines }];
  expect(await other.heartbeat([])).toBeDefined();
  expect(await here.desk.logs(other.key, items)).toEqual({ accepted: 0, dropped: 1 });
  expect(await here.desk.logs(worker.key, items)).toEqual({ accepted: 1, dropped: 0 });
});

test("what a worker holds when it leaves is given to others at once", async () => {
  const [worker, other] = [await anna(), await anna()];
  await triggerJob(t.store, await job(quick));
  const [execution] = await worker.claim();
  await here.desk.leave(worker.key);
  expect(await t.store.workers.find(PROJECT, worker.key.id)).toBeNull();
  expect((await other.claim({ waitMs: 20_000 })).map(({ id, attempt }) => [id, attempt])).toEqual([[execution!.id, 2]]);
  expect(await worker.settle(execution!)).toBe("claim_lost");
});
