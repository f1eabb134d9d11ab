import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import {
  attemptOf,
  claim,
  createJob,
  PROJECT,
  succeeded,
  triggerJob,
  useTestStore,
} from "../../../tests/support/store.ts";
import { claimAs, forHandler, joinWorker } from "../../../tests/support/workers.ts";

const t = useTestStore();

beforeEach(async () => {
  await t.pool.query("truncate punctual.queue, punctual.claim_batch");
});

async function claimSome(count: number) {
  const job = await createJob(t.store, { overlap: "allow" });
  for (let n = 0; n < count; n += 1) await triggerJob(t.store, job);
  return (await claim(t.store, t.nodeId, { slots: count * 2 })).claimed;
}

/** A moment passes. */
async function shelve(): Promise<number> {
  await t.pool.query("update punctual.claim_batch set claimed_at = claimed_at - interval '2 seconds'");
  return await t.store.queue.shelveClaims(100);
}

/** The node's lease was over so long ago. */
async function died(ago: string): Promise<void> {
  await t.pool.query("update punctual.node set lease_until = now() - $2::interval where id = $1", [t.nodeId, ago]);
}

async function holds(): Promise<Record<string, string | null>> {
  const { rows } = await t.pool.query<{ id: string; hold: string | null }>("select id, hold from punctual.queue");
  return Object.fromEntries(rows.map(({ id, hold }) => [id, hold]));
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id).sort();

test("a claim changes nothing that an index of the queue looks at", async () => {
  const { rows } = await t.pool.query<{ column: string; indexes: string[] }>(
    `select a.attname as column, array_agg(i.indexrelid::regclass::text) as indexes
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid
     where i.indrelid = 'punctual.queue'::regclass
       and (a.attnum = any(i.indkey::smallint[]) or pg_get_expr(i.indpred, i.indrelid) ~ ('\\m' || a.attname || '\\M'))
       and a.attname in ('state', 'attempt', 'claim', 'holder', 'started_at', 'first_started_at', 'lateness_ms', 'progress')
     group by 1`,
  );
  expect(rows).toEqual([]);
});

test("what still runs after a moment is put aside, and what has ended is forgotten", async () => {
  const [ended, ...others] = await claimSome(3);
  await t.store.queue.settleFinal([succeeded(ended!)]);
  expect(await t.store.queue.shelveClaims(100)).toBe(0);
  expect(Object.values(await holds())).toEqual([null, null]);
  expect(await shelve()).toBe(1);
  expect(await holds()).toEqual(Object.fromEntries(others.map(({ id }) => [id, "running"])));
  expect(await shelve()).toBe(0);
});

test("who holds what is known before and after, to everybody who asks", async () => {
  const claimed = await claimSome(3);
  const answers = async () => ({
    held: idsOf(await t.store.queue.held(t.nodeId)),
    lost: idsOf((await t.store.queue.readLost({ limit: 10, heardMs: 0 })).map((lost) => lost.claimed)),
    readBack: idsOf(
      await t.store.queue.readClaims(
        t.nodeId,
        claimed.map((one) => one.claim),
      ),
    ),
    known: (await t.store.queue.heldClaims(t.nodeId, idsOf(claimed))).sort(),
    running: (await t.store.executions.counts(PROJECT, { states: ["running"] })).running,
    listed: idsOf(
      (
        await t.store.executions.list(
          PROJECT,
          { states: ["running"] },
          { after: null, limit: 10, order: "asc", include: [] },
        )
      ).items,
    ),
  });
  await died("1 second");
  const before = await answers();
  expect(before).toEqual({
    held: idsOf(claimed),
    lost: idsOf(claimed),
    readBack: idsOf(claimed),
    known: claimed.map((one) => one.claim).sort(),
    running: 3,
    listed: idsOf(claimed),
  });
  await shelve();
  expect(await answers()).toEqual(before);
});

test("what was put aside can be tried again, and is in nobody's hands then", async () => {
  const [one] = await claimSome(1);
  await shelve();
  await t.store.queue.settleRetry([{ ...one!, delayMs: 0, attempt: attemptOf(one!, "failed") }]);
  expect(await t.store.queue.held(t.nodeId)).toEqual([]);
  expect((await t.store.executions.counts(PROJECT, { states: ["retrying"] })).retrying).toBe(1);
  const { claimed } = await claim(t.store, t.nodeId);
  expect(claimed).toMatchObject([{ id: one!.id, attempt: 2 }]);
  expect(await t.store.executions.counts(PROJECT, {})).toMatchObject({ running: 1, retrying: 0 });
  expect(idsOf(await t.store.queue.held(t.nodeId))).toEqual([one!.id]);
});

test("a request for work that is repeated gets the same, before and after", async () => {
  const { holder } = await joinWorker(t.store, ["report"]);
  const job = await createJob(t.store, forHandler("report", { overlap: "allow" }));
  for (let n = 0; n < 3; n += 1) await triggerJob(t.store, job);
  const tokens = Array.from({ length: 2 }, () => randomUUID());
  const ask = () => claimAs(t.store, holder, { report: 2 }, { tokens });
  const first = await ask();
  expect([first.claimed.length, first.repeated]).toEqual([2, false]);
  const soon = await ask();
  await shelve();
  for (const again of [soon, await ask()]) {
    expect(again.repeated).toBe(true);
    expect(again.claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      first.claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
});

test("what a dead node claimed without a batch is found before the node is forgotten", async () => {
  const claimed = await claimSome(2);
  await t.pool.query("truncate punctual.claim_batch");
  await died("2 minutes");
  const lost = async () => idsOf((await t.store.queue.readLost({ limit: 10, heardMs: 0 })).map((lost) => lost.claimed));
  expect(await lost()).toEqual([]);
  expect(await t.store.nodes.forgetDead()).toEqual([]);
  expect(await lost()).toEqual(idsOf(claimed));
  await t.store.queue.settleFinal(claimed.map(succeeded));
  expect(await t.store.nodes.forgetDead()).toEqual([t.nodeId]);
});
