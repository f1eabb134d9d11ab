import { expect, test } from "vitest";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";
import type { Store } from "../port.ts";

const t = useTestStore();

function ask(key: string, job: string, { store = t.store, says = "a" }: { store?: Store; says?: string } = {}) {
  return store.triggers.triggerOnce(
    PROJECT,
    { job, payload: { key } },
    {
      actor: "test",
      once: {
        key,
        fingerprint: Buffer.from(says),
        answer: (execution) => ({ status: 201, body: { ran: execution.id } }),
      },
    },
  );
}

async function queued(jobId: string): Promise<number> {
  const { rows } = await t.pool.query("select count(*)::integer from punctual.queue where job_id = $1", [jobId]);
  return rows[0].count;
}

test("a crowd is written together, each with its key and its answer, and each again gets that answer", async () => {
  const job = await createJob(t.store);
  const keys = Array.from({ length: 150 }, (_, n) => `crowd-${n}`);
  const first = await Promise.all(keys.map((key, n) => ask(key, n % 2 === 0 ? job.id : job.spec.name)));
  for (const [n, result] of first.entries()) {
    if (result.kind !== "fresh") throw new Error(result.kind);
    expect(result.answer).toEqual({ status: 201, body: { ran: result.execution.id } });
    expect(result.execution.payload).toEqual({ key: keys[n] });
    expect(await t.store.executions.find(PROJECT, result.execution.id)).toEqual(result.execution);
  }
  const again = await Promise.all(keys.map((key) => ask(key, job.id)));
  expect(again).toEqual(
    first.map((result) => ({ kind: "replayed", answer: result.kind === "fresh" && result.answer })),
  );
  expect(await ask("crowd-7", job.id, { says: "something else" })).toEqual({ kind: "reused" });
  expect(await queued(job.id)).toBe(150);
});

test("one key is one execution, however many ask at once, on any node", async () => {
  const job = await createJob(t.store);
  const stores = [t.store, t.another().store];
  const crowd = Array.from({ length: 40 }, (_, n) => ask("same", job.id, { store: stores[n % 2]! }));
  const kinds = (await Promise.all(crowd)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "fresh")).toHaveLength(1);
  expect(kinds.every((kind) => ["fresh", "in_progress", "replayed"].includes(kind))).toBe(true);
  expect(await queued(job.id)).toBe(1);
});

test("a key that any other request is working on is in progress, and taken when that is done", async () => {
  const job = await createJob(t.store);
  const request = { projectId: PROJECT, key: "elsewhere", fingerprint: Buffer.from("a") };
  const done = await t.another().store.once(request, async () => {
    expect(await Promise.all([ask("elsewhere", job.id), ask("beside", job.id)])).toMatchObject([
      { kind: "in_progress" },
      { kind: "fresh" },
    ]);
    return { status: 200, body: "elsewhere" };
  });
  expect(await ask("elsewhere", job.id)).toEqual({ kind: "replayed", answer: done.kind === "fresh" && done.answer });
  expect(await t.store.once(request, async () => ({ status: 500, body: null }))).toMatchObject({ kind: "replayed" });
});

test("a job that is not there takes no key, and one that is gone does not take its answers along", async () => {
  expect(await Promise.all([ask("early", "not-yet"), ask("early-2", "not-yet")])).toEqual([
    { kind: "not_found", job: "not-yet" },
    { kind: "not_found", job: "not-yet" },
  ]);
  const job = await createJob(t.store, { name: "not-yet" });
  const first = await ask("early", "not-yet");
  expect(first.kind).toBe("fresh");
  await t.store.jobs.delete(PROJECT, job.id, { actor: "test" });
  expect(await ask("early", "not-yet")).toEqual({ kind: "replayed", answer: first.kind === "fresh" && first.answer });
  expect(await ask("early-2", "not-yet")).toEqual({ kind: "not_found", job: "not-yet" });
});

test("after a day a key is free again", async () => {
  const job = await createJob(t.store);
  await ask("old", job.id);
  await t.pool.query("update punctual.idempotency_key set created_at = now() - interval '25 hours' where key = 'old'");
  expect(await ask("old", "nobody", { says: "b" })).toEqual({ kind: "not_found", job: "nobody" });
  const second = await ask("old", job.id, { says: "b" });
  expect(second.kind).toBe("fresh");
  expect(await ask("old", job.id, { says: "b" })).toMatchObject({ kind: "replayed" });
  expect(await queued(job.id)).toBe(2);
});

test("what the database refuses of one is not refused of those beside it, and leaves no key behind", async () => {
  const job = await createJob(t.store);
  const crowd = ["a", "b", "c", "d"].map((key) => ask(`beside-${key}`, key === "c" ? "no \u0000 name" : job.id));
  const answers = await Promise.allSettled(crowd);
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(await ask("beside-c", job.id)).toMatchObject({ kind: "fresh" });
  expect(await queued(job.id)).toBe(4);
});
