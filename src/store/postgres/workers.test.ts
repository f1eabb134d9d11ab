import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { createJob, PROJECT, triggerJob, useTestStore } from "../../../tests/support/store.ts";
import { claimAs, forHandler, joinWorker } from "../../../tests/support/workers.ts";

const t = useTestStore();
beforeEach(async () => {
  await t.pool.query(
    "delete from punctual.queue; delete from punctual.worker; delete from punctual.handler; delete from punctual.node; update punctual.job set state = 'deleted'",
  );
});

const expire = (holder: string, seconds: number) =>
  t.pool.query("update punctual.worker set lease_until = now() - $2::integer * interval '1 second' where holder = $1", [
    holder,
    seconds,
  ]);

async function holding(handler: string): Promise<{ id: string; holder: string; executionId: string }> {
  const worker = await joinWorker(t.store, [handler]);
  const executionId = await triggerJob(t.store, await createJob(t.store, forHandler(handler)));
  expect((await claimAs(t.store, worker.holder, { [handler]: 1 })).claimed.length).toBe(1);
  return { ...worker, executionId };
}

describe("a worker", () => {
  test("is known from its registration on, under the same holder for ever", async () => {
    const first = await joinWorker(t.store, ["report"], { id: "w" });
    const again = await t.store.workers.register({
      projectId: PROJECT,
      id: "w",
      name: "Wanda",
      kind: "remote",
      handlers: [{ name: "mail", slots: 3 }],
      leaseMs: 60_000,
    });
    expect(again).toEqual({ holder: first.holder, joined: false });
    expect(await t.store.workers.find(PROJECT, "w")).toMatchObject({
      name: "Wanda",
      handlers: [{ name: "mail", slots: 3 }],
      leaseMs: 60_000,
      alive: true,
      draining: false,
      running: 0,
    });
    expect((await t.store.workers.list(PROJECT)).map(({ id }) => id)).toEqual(["w"]);
    expect(await t.store.workers.list(randomUUID())).toEqual([]);
  });

  test("joins anew when its lease was over, also if it was to drain before", async () => {
    const { id, holder } = await joinWorker(t.store, []);
    expect(await t.store.workers.drain(PROJECT, id)).toBe(true);
    const identity = { projectId: PROJECT, id, name: id, kind: "remote" as const, handlers: [], leaseMs: 30_000 };
    expect(await t.store.workers.register(identity)).toMatchObject({ joined: false });
    expect(await t.store.workers.renew(PROJECT, id)).toMatchObject({ holder, draining: true, leaseMs: 30_000 });
    await expire(holder, 1);
    expect(await t.store.workers.register(identity)).toMatchObject({ joined: true });
    expect(await t.store.workers.renew(PROJECT, id)).toMatchObject({ draining: false });
  });

  test("that nobody knows cannot renew, drain or leave", async () => {
    expect(await t.store.workers.renew(PROJECT, "nobody")).toBeNull();
    expect(await t.store.workers.drain(PROJECT, "nobody")).toBe(false);
    expect(await t.store.workers.leave(PROJECT, "nobody")).toBe(false);
  });

  test("that leaves is gone, unless it holds something: then its lease is over", async () => {
    const idle = await joinWorker(t.store, []);
    expect(await t.store.workers.leave(PROJECT, idle.id)).toBe(true);
    expect(await t.store.workers.find(PROJECT, idle.id)).toBeNull();
    const busy = await holding("report");
    expect(await t.store.workers.leave(PROJECT, busy.id)).toBe(true);
    expect(await t.store.workers.find(PROJECT, busy.id)).toMatchObject({ alive: false, running: 1 });
  });

  test("that is dead is forgotten after a minute, unless it holds something", async () => {
    const [fresh, old, busy] = [
      await joinWorker(t.store, []),
      await joinWorker(t.store, ["gone"]),
      await holding("report"),
    ];
    await expire(fresh.holder, 30);
    await expire(old.holder, 90);
    await expire(busy.holder, 90);
    expect(await t.store.workers.forgetDead()).toEqual([{ projectId: PROJECT, id: old.id, name: old.id }]);
    expect(await t.store.workers.forgetDead()).toEqual([]);
  });
});

describe("a dead worker's executions are found", () => {
  const lostTo = async (heardMs: number) => {
    const lost = await t.store.queue.readLost({ limit: 10, heardMs });
    return lost.map(({ claimed, holder, holderKind }) => [claimed.id, holder, holderKind]);
  };
  const apiNode = (startedAgo: string) =>
    t.pool.query(
      `insert into punctual.node (id, name, roles, version, concurrency, started_at, renewed_at, lease_until)
       values ($1, 'api', '{api}', '0', 1, now() - $2::interval, now(), now() + interval '15 seconds')`,
      [randomUUID(), startedAgo],
    );

  test("when it could have been heard for longer than its lease, and was not", async () => {
    const { id, holder, executionId } = await holding("report");
    await apiNode("1 hour");
    expect(await lostTo(60_000)).toEqual([]);
    await expire(holder, 1);
    expect(await lostTo(60_000)).toEqual([[executionId, id, "worker"]]);
  });

  test("but not while those who could have heard it were away themselves", async () => {
    const { holder } = await holding("report");
    await expire(holder, 1);
    expect(await lostTo(60_000)).toEqual([]);
    await apiNode("10 seconds");
    expect(await lostTo(60_000)).toEqual([]);
    await apiNode("1 hour");
    expect(await lostTo(20_000)).toEqual([]);
    expect((await lostTo(31_000)).length).toBe(1);
    expect((await lostTo(365 * 86_400_000)).length).toBe(1);
  });

  test("of an instance of the library without that: it renews its lease itself", async () => {
    const { holder } = await joinWorker(t.store, ["report"], { kind: "library" });
    await triggerJob(t.store, await createJob(t.store, forHandler("report")));
    await claimAs(t.store, holder, { report: 1 });
    await expire(holder, 1);
    expect((await lostTo(0)).length).toBe(1);
  });
});

describe("handlers", () => {
  test("are shown as served, unserved, unknown or unused", async () => {
    for (const handler of ["both", "wanted", "away"]) await createJob(t.store, forHandler(handler));
    const job = await createJob(t.store, forHandler("both"));
    await joinWorker(t.store, ["both", "offered"]);
    await joinWorker(t.store, ["both"]);
    const gone = await joinWorker(t.store, ["away"]);
    await t.store.workers.leave(PROJECT, gone.id);
    for (let i = 0; i < 3; i += 1) await triggerJob(t.store, job);
    await t.pool.query(
      "update punctual.queue set lane = '@both (catch-up)' where id = (select max(id::text)::uuid from punctual.queue)",
    );
    expect(await t.store.workers.handlers(PROJECT)).toEqual([
      { ...any, name: "away", status: "unserved", workers: 0, slots: 0, jobs: 1, waiting: 0, oldestDueAt: null },
      {
        ...any,
        name: "both",
        status: "served",
        workers: 2,
        slots: 20,
        jobs: 2,
        waiting: 3,
        oldestDueAt: expect.any(String),
      },
      { ...any, name: "offered", status: "unused", workers: 1, slots: 10, jobs: 0, waiting: 0, oldestDueAt: null },
      {
        lastSeenAt: null,
        name: "wanted",
        status: "unknown",
        workers: 0,
        slots: 0,
        jobs: 1,
        waiting: 0,
        oldestDueAt: null,
      },
    ]);
  });
  const any = { lastSeenAt: expect.any(String) };

  test("that a draining worker offers are not served by it", async () => {
    const { id } = await joinWorker(t.store, ["report"]);
    await createJob(t.store, forHandler("report"));
    expect(await t.store.workers.servedBy(PROJECT, ["report", "other"])).toEqual(
      new Map([
        ["report", "served"],
        ["other", "unknown"],
      ]),
    );
    await t.store.workers.drain(PROJECT, id);
    expect((await t.store.workers.servedBy(PROJECT, ["report"])).get("report")).toBe("unserved");
    expect(await t.store.workers.handlers(PROJECT)).toMatchObject([{ status: "unserved", workers: 0 }]);
  });

  test("with due work that nobody offers are watched, over all projects", async () => {
    const [served, unserved] = [await createJob(t.store, forHandler("a")), await createJob(t.store, forHandler("b"))];
    await joinWorker(t.store, ["a"]);
    await triggerJob(t.store, served);
    await triggerJob(t.store, await createJob(t.store, forHandler("c")), { delayMs: 1_500 });
    for (let i = 0; i < 3; i += 1) await triggerJob(t.store, unserved);
    await t.pool.query(
      "update punctual.queue set lane = '@b (catch-up)' where id = (select max(id::text)::uuid from punctual.queue)",
    );
    expect(await t.store.workers.watch()).toEqual({
      active: 1,
      unserved: [{ projectId: PROJECT, handler: "b", waiting: 3 }],
    });
  });
});

test("what waits for handlers counts as depth of the queue", async () => {
  await triggerJob(t.store, await createJob(t.store, forHandler("a")), { priority: 55 });
  await triggerJob(t.store, await createJob(t.store), { priority: 50 });
  expect(await t.store.queue.depth()).toEqual([{ priorityBand: "50-59", due: 2 }]);
});

test("of handlers that are waited for, those with something due are told, and when the next is due", async () => {
  const [a, b] = [await createJob(t.store, forHandler("a")), await createJob(t.store, forHandler("b"))];
  const next = new Date(Date.now() + 1_500);
  await triggerJob(t.store, a);
  await triggerJob(t.store, b, { runAt: next });
  const wanted = ["a", "b", "c"].map((handler) => ({ projectId: PROJECT, handler }));
  const { due, nextRunAt } = await t.store.queue.dueHandlers(wanted);
  expect(due).toEqual([{ projectId: PROJECT, handler: "a" }]);
  expect(nextRunAt).toEqual(next);
});

test("handlers that nobody has offered for as long as history is kept are swept, unless a worker still offers them", async () => {
  const leaves = await joinWorker(t.store, ["kept", "old"]);
  await joinWorker(t.store, ["kept"]);
  await t.pool.query(
    "update punctual.handler set last_seen_at = now() - interval '60 days'; update punctual.worker set renewed_at = now() - interval '60 days'",
  );
  const sweep = async () => (await t.store.retention.sweep({ retentionMs: 30 * 86_400_000, limit: 100 })).handlers;
  expect(await sweep()).toBe(0);
  await t.store.workers.leave(PROJECT, leaves.id);
  expect(await sweep()).toBe(1);
  expect((await t.store.workers.servedBy(PROJECT, ["old"])).get("old")).toBe("unknown");
});
