import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  claim,
  createJob,
  createTestStore,
  PROJECT,
  succeeded,
  type TestStore,
  triggerJob,
} from "../../../tests/support/store.ts";
import { claimAs, forHandler, joinWorker } from "../../../tests/support/workers.ts";

let t: TestStore;
let holder: string;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());
beforeEach(async () => {
  await t.pool.query("delete from punctual.queue; update punctual.gate set active = 0, waiting = 0");
  ({ holder } = await joinWorker(t.store, ["report", "mail"]));
});

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).toSorted();

describe("a worker's claim takes what is due for its handlers", () => {
  test("highest priority first, then the oldest, as many as the handler has free", async () => {
    const job = await createJob(t.store, forHandler("report"));
    const low = await triggerJob(t.store, job, { priority: 10 });
    const high = await triggerJob(t.store, job, { priority: 90 });
    const middle = await triggerJob(t.store, job);
    expect(ids((await claimAs(t.store, holder, { report: 2 })).claimed)).toEqual([high, middle].toSorted());
    expect(ids((await claimAs(t.store, holder, { report: 2 })).claimed)).toEqual([low]);
  });

  test("by age alone when it is the turn of the oldest", async () => {
    const job = await createJob(t.store, forHandler("report"));
    const old = await triggerJob(t.store, job, { priority: 0, runAt: new Date(Date.now() - 5_000) });
    await triggerJob(t.store, job, { priority: 100 });
    expect(ids((await claimAs(t.store, holder, { report: 1 }, { order: "oldest" })).claimed)).toEqual([old]);
  });

  test("of each handler no more than it has free, over all its priorities", async () => {
    const [report, mail] = [
      await createJob(t.store, forHandler("report")),
      await createJob(t.store, forHandler("mail")),
    ];
    for (let priority = 0; priority < 10; priority += 1)
      for (const job of [report, mail]) await triggerJob(t.store, job, { priority });
    for (const order of ["priority", "oldest"] as const) {
      const { claimed } = await claimAs(t.store, holder, { report: 1, mail: 3 }, { order });
      expect(claimed.map(({ lane }) => lane).toSorted()).toEqual(["@mail", "@mail", "@mail", "@report"]);
    }
  });

  test("of catch-up work too, within the same limit", async () => {
    const job = await createJob(t.store, forHandler("report"));
    for (let i = 0; i < 3; i += 1) await triggerJob(t.store, job);
    const late = [await triggerJob(t.store, job), await triggerJob(t.store, job)];
    await t.pool.query(
      "update punctual.queue set lane = '@report (catch-up)', run_at = run_at - interval '1 minute' where id = any($1)",
      [late],
    );
    expect(ids((await claimAs(t.store, holder, { report: 2 })).claimed)).toEqual(late.toSorted());
    expect((await claimAs(t.store, holder, { report: 5 })).claimed.length).toBe(3);
  });

  test("and nothing of handlers it did not name, of hosts, or of another project", async () => {
    const other = randomUUID();
    await t.pool.query("insert into punctual.project (id, name) values ($1::uuid, $1::text)", [other]);
    const [theirs, host] = [await createJob(t.store, forHandler("report")), await createJob(t.store)];
    const foreign = await triggerJob(t.store, theirs);
    await t.pool.query("update punctual.queue set project_id = $1 where id = $2", [other, foreign]);
    const plain = await triggerJob(t.store, host);
    await triggerJob(t.store, await createJob(t.store, forHandler("mail")));
    expect(await claimAs(t.store, holder, { report: 5 })).toMatchObject({ claimed: [], oldestDue: null });
    expect(ids((await claim(t.store, t.nodeId)).claimed)).toEqual([plain]);
    const stranger = await joinWorker(t.store, ["report"], { projectId: other });
    const got = await claimAs(t.store, stranger.holder, { report: 5 }, { projectId: other });
    expect(ids(got.claimed)).toEqual([foreign]);
  });

  test("once, however many claim at the same time", async () => {
    const job = await createJob(t.store, forHandler("report"));
    const items = Array.from({ length: 300 }, () => ({ job: job.id }));
    await t.store.triggers.trigger(job.projectId, items, { actor: "test" });
    const holders = await Promise.all([1, 2, 3].map(async () => (await joinWorker(t.store, ["report"])).holder));
    const got: string[] = [];
    for (let empty = 0; empty < 2; ) {
      const rounds = await Promise.all(holders.map((one) => claimAs(t.store, one, { report: 20 })));
      const taken = rounds.flatMap(({ claimed }) => ids(claimed));
      got.push(...taken);
      empty = taken.length === 0 ? empty + 1 : 0;
    }
    expect(got.length).toBe(300);
    expect(new Set(got).size).toBe(300);
  });
});

describe("a claim that is made again", () => {
  test("answers what is still held under its tokens, and takes nothing new", async () => {
    const job = await createJob(t.store, forHandler("report"));
    for (let i = 0; i < 4; i += 1) await triggerJob(t.store, job);
    const tokens = [randomUUID(), randomUUID()];
    const first = await claimAs(t.store, holder, { report: 2 }, { tokens });
    expect(first.claimed.length).toBe(2);
    const again = await claimAs(t.store, holder, { report: 2 }, { tokens });
    expect(again.claimed.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      first.claimed.toSorted((a, b) => a.id.localeCompare(b.id)),
    );
    await t.store.queue.settleFinal([succeeded(first.claimed[0]!)]);
    expect(ids((await claimAs(t.store, holder, { report: 2 }, { tokens })).claimed)).toEqual([first.claimed[1]!.id]);
    expect((await claimAs(t.store, holder, { report: 5 })).claimed.length).toBe(2);
  });

  test("does not answer what another holds under the same tokens", async () => {
    const job = await createJob(t.store, forHandler("report"));
    const [mine, yours] = [await triggerJob(t.store, job), await triggerJob(t.store, job)];
    const tokens = [randomUUID()];
    const other = await joinWorker(t.store, ["report"]);
    const got = [
      ...(await claimAs(t.store, holder, { report: 1 }, { tokens })).claimed,
      ...(await claimAs(t.store, other.holder, { report: 1 }, { tokens })).claimed,
    ];
    expect(ids(got)).toEqual([mine, yours].toSorted());
  });
});

describe("a claim gives nothing to a worker", () => {
  test("that is to drain", async () => {
    const { id, holder } = await joinWorker(t.store, ["report"]);
    await triggerJob(t.store, await createJob(t.store, forHandler("report")));
    await t.store.workers.drain(PROJECT, id);
    const { claimed, oldestDue } = await claimAs(t.store, holder, { report: 1 });
    expect(claimed).toEqual([]);
    expect(oldestDue).not.toBeNull();
  });

  test("that has left", async () => {
    const { id, holder } = await joinWorker(t.store, ["report"]);
    await triggerJob(t.store, await createJob(t.store, forHandler("report")));
    await t.store.workers.leave(PROJECT, id);
    for (const order of ["priority", "oldest"] as const)
      expect((await claimAs(t.store, holder, { report: 1 }, { order })).claimed).toEqual([]);
  });

  test("whose lease is over", async () => {
    await triggerJob(t.store, await createJob(t.store, forHandler("report")));
    await t.pool.query("update punctual.worker set lease_until = now() where holder = $1", [holder]);
    expect((await claimAs(t.store, holder, { report: 1 })).claimed).toEqual([]);
  });
});

test("the answer says when the next of the named handlers is due, and since when the oldest waits that was left", async () => {
  const [report, mail] = [await createJob(t.store, forHandler("report")), await createJob(t.store, forHandler("mail"))];
  const now = Date.now();
  await triggerJob(t.store, mail, { runAt: new Date(now + 300) });
  await triggerJob(t.store, report, { runAt: new Date(now + 1_500) });
  expect(await claimAs(t.store, holder, { report: 1 })).toMatchObject({
    nextRunAt: new Date(now + 1_500),
    oldestDue: null,
  });
  expect(await claimAs(t.store, holder, { report: 1, mail: 1 })).toMatchObject({ nextRunAt: new Date(now + 300) });
  await triggerJob(t.store, report, { runAt: new Date(now - 9_000) });
  await triggerJob(t.store, report, { runAt: new Date(now - 8_000) });
  await triggerJob(t.store, report, { runAt: new Date(now - 7_000) });
  expect(await claimAs(t.store, holder, { report: 1 }, { order: "oldest" })).toMatchObject({
    oldestDue: new Date(now - 8_000),
    moreIsDue: true,
  });
});

describe("whether more is due is told", () => {
  test("of what lies behind the last that was claimed, and no more once all of it was", async () => {
    const job = await createJob(t.store, forHandler("report"));
    for (const ago of [9_000, 8_000, 8_000, 7_000])
      await triggerJob(t.store, job, { runAt: new Date(Date.now() - ago) });
    expect(await claimAs(t.store, holder, { report: 2 })).toMatchObject({ moreIsDue: true });
    expect(await claimAs(t.store, holder, { report: 2 })).toMatchObject({ moreIsDue: false, oldestDue: null });
  });

  test("of what is older and less urgent, with the time since when it waits", async () => {
    const runAt = new Date(Date.now() - 9_000);
    await triggerJob(t.store, await createJob(t.store, forHandler("report", { priority: 10 })), {
      runAt,
      priority: 10,
    });
    await triggerJob(t.store, await createJob(t.store, forHandler("report", { priority: 90 })), { priority: 90 });
    const { claimed, ...rest } = await claimAs(t.store, holder, { report: 1 });
    expect(claimed).toMatchObject([{ priority: 90 }]);
    expect(rest).toMatchObject({ moreIsDue: true, oldestDue: runAt });
  });

  test("of a handler whose slots are all taken, so that the next that becomes free is for it", async () => {
    await triggerJob(t.store, await createJob(t.store, forHandler("report")));
    const tokens = [randomUUID()];
    const answer = await claimAs(t.store, holder, { report: 0, mail: 1 }, { tokens });
    expect(answer).toMatchObject({ claimed: [], moreIsDue: true });
  });

  test("of another handler's lane, when the first one has nothing left", async () => {
    const runAt = new Date(Date.now() - 9_000);
    for (const name of ["report", "mail"])
      await triggerJob(t.store, await createJob(t.store, forHandler(name)), { runAt });
    const tokens = [randomUUID()];
    const { claimed, ...rest } = await claimAs(t.store, holder, { report: 1, mail: 1 }, { tokens });
    expect(claimed.length).toBe(1);
    expect(rest).toMatchObject({ moreIsDue: true, oldestDue: runAt });
  });
});

test("a claim begins where the last one left off, if it is told to: what lies before is left to another", async () => {
  const job = await createJob(t.store, forHandler("report"));
  const ago = (ms: number) => new Date(Date.now() - ms);
  const [first, second, third] = [
    await triggerJob(t.store, job, { runAt: ago(5_000) }),
    await triggerJob(t.store, job, { runAt: ago(4_000) }),
    await triggerJob(t.store, job, { runAt: ago(3_000) }),
  ];
  const one = await claimAs(t.store, holder, { report: 1 });
  expect(one.claimed.map(({ id }) => id)).toEqual([first]);
  expect(one.onward).toMatchObject({ id: first });
  const older = await triggerJob(t.store, job, { runAt: ago(9_000) });
  const next = await claimAs(t.store, holder, { report: 9 }, { from: one.onward });
  expect(next.claimed.map(({ id }) => id)).toEqual([second, third]);
  expect(next).toMatchObject({ moreIsDue: false, onward: null });
  expect((await claimAs(t.store, holder, { report: 9 }, { from: next.onward })).claimed.map(({ id }) => id)).toEqual([
    older,
  ]);
});

test("two fires of a job that must not overlap are not handed out together, and the second is told as blocked", async () => {
  const job = await createJob(t.store, forHandler("report", { overlap: "queue_one" }));
  const first = await triggerJob(t.store, job, { overlap: "queue_one", runAt: new Date(Date.now() - 10) });
  const second = await triggerJob(t.store, job, { overlap: "queue_one" });
  const { claimed, blocked } = await claimAs(t.store, holder, { report: 5 });
  expect(ids(claimed)).toEqual([first]);
  expect(blocked).toMatchObject([{ id: second, cause: "overlap" }]);
});

test("a fire later than its grace is told as late and not handed out", async () => {
  const job = await createJob(t.store, forHandler("report"));
  const id = await triggerJob(t.store, job);
  await t.pool.query("update punctual.queue set late_after = now() - interval '1 second' where id = $1", [id]);
  expect(await claimAs(t.store, holder, { report: 5 })).toMatchObject({
    claimed: [],
    blocked: [{ id, cause: "late" }],
  });
  expect(await t.store.queue.readUntaken(10)).toMatchObject([{ id, jobId: job.id, cause: "late" }]);
});

test("what is held can be listed, and what became of the rest is known", async () => {
  const job = await createJob(t.store, forHandler("report"));
  for (let i = 0; i < 4; i += 1) await triggerJob(t.store, job);
  const { claimed } = await claimAs(t.store, holder, { report: 4 });
  const [kept, done, cancelled, retried] = claimed as [(typeof claimed)[0], ...typeof claimed];
  await t.store.queue.settleFinal([succeeded(done!)]);
  await t.store.executions.cancel(job.projectId, cancelled!.id, { actor: "test" });
  await t.store.queue.settleRetry([{ ...retried!, delayMs: 0, attempt: succeeded(retried!).attempt }]);
  expect(await t.store.queue.held(holder)).toEqual([kept]);
  expect(await t.store.queue.endedAs(PROJECT, [done!, cancelled!, retried!])).toEqual(
    new Map([
      [done!.id, "succeeded"],
      [cancelled!.id, "cancelled"],
      [retried!.id, null],
    ]),
  );
});
