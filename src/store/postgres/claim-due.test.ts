import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  claim,
  createJob,
  createTestStore,
  failed,
  PROJECT,
  succeeded,
  type TestStore,
  triggerJob,
} from "../../../tests/support/store.ts";

let t: TestStore;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());
beforeEach(async () => {
  await t.pool.query("delete from punctual.queue; update punctual.gate set active = 0, waiting = 0");
});

const on = (host: string) => ({ target: { type: "http", url: `http://${host}/` } });

describe("a claim takes what is due", () => {
  test("highest priority first, then the oldest, as many as there are slots", async () => {
    const job = await createJob(t.store);
    const low = await triggerJob(t.store, job, { priority: 10 });
    const high = await triggerJob(t.store, job, { priority: 90 });
    const middle = await triggerJob(t.store, job);
    const first = await claim(t.store, t.nodeId, { slots: 2 });
    expect(first.claimed.map(({ id }) => id).toSorted()).toEqual([high, middle].toSorted());
    const second = await claim(t.store, t.nodeId, { slots: 2 });
    expect(second.claimed.map(({ id }) => id)).toEqual([low]);
  });

  test("by age alone when it is the turn of the oldest", async () => {
    const job = await createJob(t.store);
    const old = await triggerJob(t.store, job, { priority: 0, runAt: new Date(Date.now() - 5_000) });
    await triggerJob(t.store, job, { priority: 100 });
    const { claimed } = await claim(t.store, t.nodeId, { slots: 1, order: "oldest" });
    expect(claimed.map(({ id }) => id)).toEqual([old]);
  });

  test("and tells whether more is, of the same group or of another, until all is taken", async () => {
    const job = await createJob(t.store);
    const runAt = new Date(Date.now() - 5_000);
    for (let i = 0; i < 3; i += 1) await triggerJob(t.store, job, { runAt });
    expect(await claim(t.store, t.nodeId, { slots: 2 })).toMatchObject({ moreIsDue: true });
    expect(await claim(t.store, t.nodeId, { slots: 2 })).toMatchObject({ moreIsDue: false, oldestDue: null });
    await triggerJob(t.store, job, { runAt, priority: 10 });
    await triggerJob(t.store, job, { priority: 90 });
    expect(await claim(t.store, t.nodeId, { slots: 1 })).toMatchObject({ moreIsDue: true, oldestDue: runAt });
  });

  test("and from where the last one left off, if it is told to: what lies before is left to another", async () => {
    const job = await createJob(t.store);
    const ago = (ms: number) => new Date(Date.now() - ms);
    const [first, second, third] = [
      await triggerJob(t.store, job, { runAt: ago(5_000) }),
      await triggerJob(t.store, job, { runAt: ago(4_000) }),
      await triggerJob(t.store, job, { runAt: ago(3_000) }),
    ];
    const one = await claim(t.store, t.nodeId, { slots: 1 });
    expect(one.claimed.map(({ id }) => id)).toEqual([first]);
    expect(one.onward).toMatchObject({ id: first });
    const older = await triggerJob(t.store, job, { runAt: ago(9_000) });
    const next = await claim(t.store, t.nodeId, { slots: 9, from: one.onward });
    expect(next.claimed.map(({ id }) => id)).toEqual([second, third]);
    expect(next).toMatchObject({ moreIsDue: false, onward: null });
    expect((await claim(t.store, t.nodeId, { slots: 9, from: next.onward })).claimed.map(({ id }) => id)).toEqual([
      older,
    ]);
  });

  test("also what was due so long ago that its lateness is no longer a number that can be kept", async () => {
    const id = await triggerJob(t.store, await createJob(t.store), { runAt: new Date("2001-01-01T00:00:00Z") });
    expect((await claim(t.store, t.nodeId)).claimed.map((one) => one.id)).toEqual([id]);
    expect(await t.store.executions.find(PROJECT, id)).toMatchObject({ latenessMs: 2 ** 31 - 1 });
  });

  test("and nothing that is due a moment later", async () => {
    const job = await createJob(t.store);
    await triggerJob(t.store, job, { delayMs: 1_500 });
    expect((await claim(t.store, t.nodeId)).claimed).toEqual([]);
  });

  test("of each lane no more than its limit, and nothing of a lane that is full", async () => {
    const [a, b, c] = [
      await createJob(t.store, on("a")),
      await createJob(t.store, on("b")),
      await createJob(t.store, on("c")),
    ];
    for (const job of [a, a, a, a, b, b, b, b, c, c, c, c]) await triggerJob(t.store, job!);
    for (const order of ["priority", "oldest"] as const) {
      const lanes = [
        { name: "a", limit: 0 },
        { name: "b", limit: 1 },
      ];
      const { claimed } = await claim(t.store, t.nodeId, { lanes, laneLimit: 2, order });
      expect(claimed.map(({ lane }) => lane).toSorted()).toEqual(["b", "c", "c"]);
    }
  });

  test("with a limit that counts a lane over all its priorities", async () => {
    const job = await createJob(t.store, on("wide"));
    for (let priority = 0; priority < 20; priority += 1) await triggerJob(t.store, job, { priority });
    const { claimed } = await claim(t.store, t.nodeId, { laneLimit: 5 });
    expect(claimed.map(({ priority }) => priority).toSorted()).toEqual([15, 16, 17, 18, 19]);
  });

  test("once, however many claim at the same time", async () => {
    const job = await createJob(t.store);
    await t.store.triggers.trigger(
      PROJECT,
      Array.from({ length: 600 }, () => ({ job: job.id })),
      { actor: "test" },
    );
    const nodes = [t, t.another(), t.another()];
    const got: string[] = [];
    let empty = 0;
    while (empty < 3) {
      const rounds = await Promise.all(nodes.map(({ store, nodeId }) => claim(store, nodeId, { slots: 50 })));
      const ids = rounds.flatMap(({ claimed }) => claimed.map(({ id }) => id));
      got.push(...ids);
      empty = ids.length === 0 ? empty + 1 : 0;
    }
    expect(got.length).toBe(600);
    expect(new Set(got).size).toBe(600);
  });

  test("and can be read back by its tokens when the answer was lost", async () => {
    const job = await createJob(t.store);
    await triggerJob(t.store, job);
    const { claimed } = await claim(t.store, t.nodeId);
    expect(await t.store.queue.readClaims(t.nodeId, [claimed[0]!.claim])).toEqual(claimed);
    expect(await t.store.queue.readClaims(t.nodeId, ["0195501c-8400-7000-8000-00000000abcd"])).toEqual([]);
  });

  test("quickly too when the statement was first used on an empty queue", async () => {
    // A plan made for an empty table and kept would read the whole queue for every claim.
    for (let i = 0; i < 10; i += 1) expect((await claim(t.store, t.nodeId)).claimed).toEqual([]);
    const job = await createJob(t.store);
    for (let i = 0; i < 10; i += 1)
      await t.store.triggers.trigger(
        PROJECT,
        Array.from({ length: 1_000 }, () => ({ job: job.id })),
        { actor: "test" },
      );
    const before = await sequentialReads();
    let drained = 0;
    while (drained < 10_000) {
      const { claimed } = await claim(t.store, t.nodeId, { slots: 500 });
      drained += claimed.length;
      await t.store.queue.settleFinal(claimed.map(succeeded));
    }
    expect((await sequentialReads()) - before).toBeLessThan(10_000);
  });
});

/** Rows of the queue read by sequential scans so far, over all sessions. */
async function sequentialReads(): Promise<number> {
  await t.pool.query("select pg_stat_force_next_flush()");
  const { rows } = await t.pool.query(
    "select seq_tup_read::float8 as n from pg_stat_user_tables where schemaname = 'punctual' and relname = 'queue'",
  );
  return rows[0].n;
}

describe("overlap", () => {
  const withPolicy = async (overlap: string) => await createJob(t.store, { overlap });
  const fire = async (job: { id: string }, overlap: string, agoMs: number) => {
    const id = await triggerJob(t.store, job as never, { overlap, runAt: new Date(Date.now() - agoMs) });
    return id;
  };
  const claimAndResolve = async (node = { store: t.store, nodeId: t.nodeId }) => {
    const { claimed, blocked } = await claim(node.store, node.nodeId);
    const overlapping = blocked.filter(({ cause }) => cause === "overlap").map(({ id }) => id);
    const resolved =
      overlapping.length > 0
        ? await node.store.queue.resolveOverlaps(overlapping)
        : { skipped: [], held: 0, cancelled: [] };
    return { claimed, ...resolved };
  };
  const gate = async (jobId: string) =>
    (await t.pool.query("select active, waiting from punctual.gate where job_id = $1", [jobId])).rows[0];

  test("allow starts all at once", async () => {
    const job = await withPolicy("allow");
    for (let i = 0; i < 3; i += 1) await fire(job, "allow", i);
    expect((await claimAndResolve()).claimed.length).toBe(3);
    expect(await gate(job.id)).toEqual({ active: 0, waiting: 0 });
  });

  test("skip starts the first of a batch and skips the others, and one node's run blocks another's", async () => {
    const job = await withPolicy("skip");
    const [old, newer] = [await fire(job, "skip", 20), await fire(job, "skip", 10)];
    const first = await claimAndResolve();
    expect(first.claimed.map(({ id }) => id)).toEqual([old]);
    expect(first.skipped).toEqual([newer]);
    const late = await fire(job, "skip", 0);
    const second = await claimAndResolve(t.another());
    expect(second.claimed).toEqual([]);
    expect(second.skipped).toEqual([late]);
    await t.store.queue.settleFinal(first.claimed.map(succeeded));
    await fire(job, "skip", 0);
    expect((await claimAndResolve()).claimed.length).toBe(1);
    const execution = await t.store.executions.find(PROJECT, newer);
    expect(execution).toMatchObject({ state: "skipped", reason: { code: "overlap" } });
  });

  test("two nodes that claim at the same moment never start two", async () => {
    const nodes = [t, t.another(), t.another(), t.another()];
    for (let round = 0; round < 25; round += 1) {
      const job = await withPolicy("skip");
      for (let i = 0; i < 4; i += 1) await fire(job, "skip", i);
      const results = await Promise.all(nodes.map((node) => claim(node.store, node.nodeId, { slots: 1 })));
      expect(results.flatMap(({ claimed }) => claimed).length).toBeLessThanOrEqual(1);
      expect((await gate(job.id)).active).toBe(results.flatMap(({ claimed }) => claimed).length);
      await t.pool.query("delete from punctual.queue where job_id = $1", [job.id]);
    }
  });

  test("a run that waits for its retry still counts", async () => {
    const job = await withPolicy("skip");
    await fire(job, "skip", 0);
    const { claimed } = await claimAndResolve();
    await t.store.queue.settleRetry(claimed.map((one) => ({ ...one, delayMs: 60_000, attempt: failed(one).attempt })));
    const next = await fire(job, "skip", 0);
    expect((await claimAndResolve()).skipped).toEqual([next]);
  });

  test("queue_one keeps one waiting and lets it go when the run ends", async () => {
    const job = await withPolicy("queue_one");
    const [first, second, third] = [
      await fire(job, "queue_one", 30),
      await fire(job, "queue_one", 20),
      await fire(job, "queue_one", 10),
    ];
    const started = await claimAndResolve();
    expect(started.claimed.map(({ id }) => id)).toEqual([first]);
    expect(started.held).toBe(1);
    expect(started.skipped).toEqual([third]);
    expect((await claimAndResolve()).claimed).toEqual([]);
    const [settled] = await t.store.queue.settleFinal(started.claimed.map(succeeded));
    expect(settled!.waiting).toBe(true);
    expect(await t.store.queue.releaseWaiting([job.id])).toBe(1);
    expect((await claimAndResolve()).claimed.map(({ id }) => id)).toEqual([second]);
    expect(await gate(job.id)).toEqual({ active: 1, waiting: 0 });
  });

  test("queue_all keeps a hundred waiting, in order, and skips more", async () => {
    const job = await withPolicy("queue_all");
    await t.store.triggers.trigger(
      PROJECT,
      Array.from({ length: 104 }, (_, i) => ({
        job: job.id,
        overlap: "queue_all" as const,
        runAt: new Date(Date.now() - 1_000 + i),
      })),
      { actor: "test" },
    );
    const started = await claimAndResolve();
    const more = await claimAndResolve();
    expect(started.claimed.length).toBe(1);
    expect(started.held + more.held).toBe(100);
    expect(started.skipped.length + more.skipped.length).toBe(3);
    await t.store.queue.settleFinal(started.claimed.map(succeeded));
    await t.store.queue.releaseWaiting([job.id]);
    const next = await claimAndResolve();
    expect(next.claimed.length).toBe(1);
    expect(next.claimed[0]!.runAt > started.claimed[0]!.runAt).toBe(true);
  });

  test("cancel_previous cancels the run and starts the new one", async () => {
    const job = await withPolicy("cancel_previous");
    const old = await fire(job, "cancel_previous", 10);
    const first = await claimAndResolve();
    const next = await fire(job, "cancel_previous", 0);
    expect((await claimAndResolve()).cancelled).toEqual([old]);
    expect((await claimAndResolve()).claimed.map(({ id }) => id)).toEqual([next]);
    expect(await t.store.queue.settleFinal(first.claimed.map(succeeded))).toEqual([]);
    expect(await t.store.executions.find(PROJECT, old)).toMatchObject({
      state: "cancelled",
      reason: { code: "overlap" },
    });
    expect(await gate(job.id)).toEqual({ active: 1, waiting: 0 });
  });

  test("what a crash left waiting is let go by the next pass of recovery", async () => {
    const job = await withPolicy("queue_one");
    await fire(job, "queue_one", 10);
    await fire(job, "queue_one", 0);
    const { claimed } = await claimAndResolve();
    await t.store.queue.settleFinal(claimed.map(succeeded));
    expect(await t.store.queue.releaseStuck(100)).toBe(1);
    expect((await claimAndResolve()).claimed.length).toBe(1);
  });

  test("a job that gets an overlap policy counts the runs that were started without one", async () => {
    const job = await withPolicy("allow");
    await fire(job, "allow", 0);
    const { claimed } = await claimAndResolve();
    await t.store.jobs.edit(PROJECT, job.id, (current) => ({ ...current!.spec, overlap: "skip" }), { actor: "test" });
    expect(await gate(job.id)).toEqual({ active: 1, waiting: 0 });
    const next = await fire(job, "skip", 0);
    expect((await claimAndResolve()).skipped).toEqual([next]);
    await t.store.queue.settleFinal(claimed.map(succeeded));
    expect(await gate(job.id)).toEqual({ active: 0, waiting: 0 });
  });
});

describe("a claim ahead of time", () => {
  const AHEAD = { aheadMs: 60_000 };
  const later = (ms: number) => new Date(Date.now() + ms);
  const ids = (result: { claimed: { id: string }[] }) => result.claimed.map(({ id }) => id);

  test("takes what is due soon, to be started at its time, and tells what is next", async () => {
    const job = await createJob(t.store);
    const [soon, sooner, next] = [later(50_000), later(40_000), later(61_500)];
    const second = await triggerJob(t.store, job, { runAt: soon });
    const first = await triggerJob(t.store, job, { runAt: sooner });
    await triggerJob(t.store, job, { runAt: next });
    await t.pool.query("update punctual.queue set hold = null");
    expect(await claim(t.store, t.nodeId)).toMatchObject({ claimed: [], nextRunAt: sooner });
    const ahead = await claim(t.store, t.nodeId, AHEAD);
    expect(ahead).toMatchObject({ claimed: [{ id: first }, { id: second }], nextRunAt: next, onward: null });
    expect(ahead.claimed.map(({ startedAt }) => startedAt)).toEqual([sooner, soon]);
    expect(ahead.claimed.map(({ firstStartedAt }) => firstStartedAt)).toEqual([sooner, soon]);
    expect(await t.store.executions.find(PROJECT, first)).toMatchObject({
      startedAt: sooner.toISOString(),
      latenessMs: 0,
    });
    expect(ids(await claim(t.store, t.nodeId, AHEAD))).toEqual([]);
  });

  test("goes on where it left off, and no claim is told of what another has", async () => {
    const job = await createJob(t.store);
    const moments = [10_000, 20_000, 30_000].map(later);
    const all = [];
    for (const runAt of moments) all.push(await triggerJob(t.store, job, { runAt }));
    await t.pool.query("update punctual.queue set hold = null");
    const one = await claim(t.store, t.nodeId, { ...AHEAD, slots: 1 });
    expect(one).toMatchObject({ claimed: [{ id: all[0] }], onward: { id: all[0] }, nextRunAt: moments[1] });
    const two = await claim(t.store, t.nodeId, { ...AHEAD, slots: 1, from: one.onward });
    expect(two).toMatchObject({ claimed: [{ id: all[1] }], nextRunAt: moments[2] });
    expect(await claim(t.store, t.nodeId)).toMatchObject({ claimed: [], moreIsDue: false, nextRunAt: moments[2] });
  });

  test("leaves alone what may not start yet: by its time it may", async () => {
    const job = await createJob(t.store);
    const running = await triggerJob(t.store, job, { overlap: "skip" });
    expect(ids(await claim(t.store, t.nodeId))).toEqual([running]);
    const runAt = later(30_000);
    const waiting = await triggerJob(t.store, job, { runAt, overlap: "skip" });
    await t.pool.query("update punctual.queue set hold = null");
    expect(await claim(t.store, t.nodeId, AHEAD)).toMatchObject({ claimed: [], blocked: [], nextRunAt: runAt });
    const [{ active }] = (await t.pool.query("select active from punctual.gate where job_id = $1", [job.id])).rows;
    expect(active).toBe(1);
    await t.pool.query("update punctual.gate set active = 0 where job_id = $1", [job.id]);
    expect(ids(await claim(t.store, t.nodeId, AHEAD))).toEqual([waiting]);
  });

  test("settles with the time at which it really started", async () => {
    const runAt = later(-5_000);
    const [scheduled, retried] = [
      await triggerJob(t.store, await createJob(t.store), { runAt }),
      await triggerJob(t.store, await createJob(t.store), { runAt }),
    ];
    const { claimed } = await claim(t.store, t.nodeId);
    // As if both had been claimed ahead.
    await t.pool.query(
      "update punctual.queue set started_at = run_at, first_started_at = run_at, lateness_ms = 0 where id in ($1, $2)",
      [scheduled, retried],
    );
    const held = (id: string) => ({ ...claimed.find((one) => one.id === id)!, startedLateMs: 70 });
    await t.store.queue.settleFinal([{ ...succeeded(held(scheduled)), startedLateMs: 70 }]);
    await t.store.queue.settleRetry([{ ...held(retried), delayMs: 0, attempt: failed(held(retried)).attempt }]);
    const really = { startedAt: new Date(runAt.getTime() + 70).toISOString(), latenessMs: 70 };
    const ended = await t.store.executions.find(PROJECT, scheduled);
    expect(ended).toMatchObject({ ...really, state: "succeeded" });
    expect(ended!.durationMs).toBe(Date.parse(ended!.finishedAt!) - Date.parse(really.startedAt));
    await t.store.queue.settleFinal((await claim(t.store, t.nodeId)).claimed.map(succeeded));
    expect(await t.store.executions.find(PROJECT, retried)).toMatchObject({ ...really, attempt: 2 });
  });
});
