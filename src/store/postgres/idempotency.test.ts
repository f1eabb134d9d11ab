import { expect, test } from "vitest";
import { PROJECT, specOf, useTestStore } from "../../../tests/support/store.ts";

const database = useTestStore();

const request = (key: string, body = "a") => ({ projectId: PROJECT, key, fingerprint: Buffer.from(body) });
const answer = (n: number) => ({ status: 200, body: { n } });

test("the first answer is remembered with its effect, and given again", async () => {
  const { store } = database;
  const first = await store.once(request("one"), async (inside) => {
    await inside.secrets.put(PROJECT, "ONCE", "x");
    return answer(1);
  });
  const again = await store.once(request("one"), async () => answer(2));
  expect([first, again]).toEqual([
    { kind: "fresh", answer: answer(1) },
    { kind: "replayed", answer: answer(1) },
  ]);
  expect(await store.once(request("one", "b"), async () => answer(3))).toEqual({ kind: "reused" });
  expect((await store.secrets.list(PROJECT)).map(({ version }) => version)).toEqual([1]);
});

test("work that fails leaves neither effect nor key behind", async () => {
  const { store } = database;
  const failing = store.once(request("two"), async (inside) => {
    await inside.secrets.put(PROJECT, "FAILED", "x");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect((await store.secrets.list(PROJECT)).map(({ name }) => name)).not.toContain("FAILED");
  expect((await store.once(request("two"), async () => answer(1))).kind).toBe("fresh");
});

test("of several things done at once under one key, one that is refused takes nothing of the others with it", async () => {
  const { store } = database;
  const names = ["crowd-a", "crowd-a", "crowd-b", "crowd-a", "crowd-c", "crowd-b"];
  const done = await store.once(request("crowd"), async (inside) => {
    const kinds = await Promise.all(
      names.map(async (name) => {
        const options = { actor: "test", source: null, paused: false };
        return (await inside.jobs.create(PROJECT, (_, now) => specOf({ name }, now), options)).kind;
      }),
    );
    return { status: 200, body: kinds };
  });
  const kinds = ["done", "name_taken", "done", "name_taken", "done", "name_taken"];
  expect(done).toEqual({ kind: "fresh", answer: { status: 200, body: kinds } });
  const { items } = await store.jobs.list(PROJECT, { text: "crowd-" }, { sort: "name", after: null, limit: 10 });
  expect(items.map(({ spec }) => spec.name)).toEqual(["crowd-a", "crowd-b", "crowd-c"]);
});

test("while the first works the second is told so, on any node", async () => {
  const other = database.another().store;
  let second: { kind: string } | undefined;
  await database.store.once(request("three"), async () => {
    second = await other.once(request("three"), async () => answer(2));
    return answer(1);
  });
  expect(second).toEqual({ kind: "in_progress" });
});

test("a key is free again after a day", async () => {
  const { store, pool } = database;
  await store.once(request("four"), async () => answer(1));
  await pool.query("update punctual.idempotency_key set created_at = now() - interval '25 hours' where key = 'four'");
  expect(await store.once(request("four", "b"), async () => answer(2))).toEqual({ kind: "fresh", answer: answer(2) });
  expect(await store.once(request("four", "b"), async () => answer(3))).toEqual({
    kind: "replayed",
    answer: answer(2),
  });
});
