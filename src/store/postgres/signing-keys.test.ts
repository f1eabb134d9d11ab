import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";
import { signingKeyPlace } from "./signing-keys.ts";

const t = useTestStore();
const HOUR_MS = 3_600_000;

async function make(name: string, use: "project" | "named" = "named") {
  const secret = randomBytes(32);
  const key = await t.store.signingKeys.create(PROJECT, { name, use, secret });
  if (typeof key === "string") throw new Error(key);
  return { ...key, secret };
}

async function rotate(id: string, overlapMs = HOUR_MS) {
  const secret = randomBytes(32);
  return { secret, result: await t.store.signingKeys.rotate(PROJECT, id, { secret, overlapMs }) };
}

const signing = (name?: string) => t.store.signingKeys.revealAll(PROJECT, name);

/** As if the overlap had been over for so long. */
async function endAgo(id: string, interval: string) {
  await t.pool.query("update punctual.signing_key set expires_at = now() - $2::interval where id = $1", [id, interval]);
}

test("the first version is sealed where keys were before there were versions", () => {
  expect(signingKeyPlace("p", "main", 1)).toBe("signing-key/p/main");
  expect(signingKeyPlace("p", "main", 2)).toBe("signing-key/p/main/2");
});

describe("a rotated key", () => {
  test("signs beside its successor, newest first, until its end by the database's clock", async () => {
    const first = await make("rotated");
    const second = await rotate(first.id);
    expect(second.result).toMatchObject({ kind: "rotated", key: { version: 2, expiresAt: null, use: "named" } });
    expect(await signing("rotated")).toEqual([second.secret, first.secret]);
    await endAgo(first.id, "1 millisecond");
    expect(await signing("rotated")).toEqual([second.secret]);
    expect(await t.store.signingKeys.reveal(PROJECT, first.id)).toEqual(first.secret);
  });

  test("ends at once with no overlap", async () => {
    const first = await make("at-once");
    const second = await rotate(first.id, 0);
    expect(await signing("at-once")).toEqual([second.secret]);
  });

  test("is not rotated again: whoever tries is told of the newest", async () => {
    const first = await make("once");
    const { result: second } = await rotate(first.id);
    if (second.kind !== "rotated") throw new Error(second.kind);
    expect((await rotate(first.id)).result).toMatchObject({ kind: "over", newest: { id: second.key.id, version: 2 } });
    expect((await rotate(second.key.id)).result).toMatchObject({ kind: "rotated", key: { version: 3 } });
  });

  test("has one successor, however many ask at once", async () => {
    const { id } = await make("crowd");
    const results = await Promise.all(Array.from({ length: 6 }, () => rotate(id)));
    expect(results.map(({ result }) => result.kind).sort()).toEqual([...Array(5).fill("over"), "rotated"]);
    expect(await signing("crowd")).toHaveLength(2);
  });

  test("is shown for 30 days after its end, then swept; its successor stays", async () => {
    const first = await make("swept");
    await rotate(first.id);
    const shown = async () =>
      (await t.store.signingKeys.list(PROJECT)).filter(({ name }) => name === "swept").map(({ version }) => version);
    await endAgo(first.id, "29 days 23 hours");
    await t.store.retention.sweep({ retentionMs: HOUR_MS, limit: 100 });
    expect(await shown()).toEqual([2, 1]);
    expect((await t.store.signingKeys.list(PROJECT)).find(({ id }) => id === first.id)).toMatchObject({
      state: "expired",
    });
    await endAgo(first.id, "30 days 1 minute");
    await t.store.retention.sweep({ retentionMs: HOUR_MS, limit: 100 });
    expect(await shown()).toEqual([2]);
    // The name is still taken, although its first version is gone.
    expect(await t.store.signingKeys.create(PROJECT, { name: "swept", use: "named", secret: randomBytes(32) })).toBe(
      "name_taken",
    );
  });
});

test("keys of single jobs sign for no other, and a job that names a project's key gets that one alone", async () => {
  const [one, two] = [await make("project-one", "project"), await make("project-two", "project")];
  const named = await make("single");
  const all = await signing();
  expect(all).toEqual(expect.arrayContaining([one.secret, two.secret]));
  expect(all).not.toContainEqual(named.secret);
  expect(await signing("single")).toEqual([named.secret]);
  expect(await signing("project-one")).toEqual([one.secret]);
  expect(await signing("nobody")).toEqual([]);
});

test("a sealed key does not open in the row of another name or version", async () => {
  const first = await make("moved");
  const { result: second } = await rotate(first.id);
  const other = await make("other-name");
  if (second.kind !== "rotated") throw new Error(second.kind);
  const copy =
    "update punctual.signing_key k set sealed = o.sealed from punctual.signing_key o where k.id = $1 and o.id = $2";
  for (const [to, from] of [
    [second.key.id, first.id],
    [other.id, first.id],
  ]) {
    await t.pool.query(copy, [to, from]);
    await expect(t.store.signingKeys.reveal(PROJECT, to!)).rejects.toThrow("was changed or belongs to another place");
  }
  expect(await t.store.signingKeys.reveal(PROJECT, first.id)).toEqual(first.secret);
});

test("a key that living jobs name stays, with their number; one that only deleted jobs named goes", async () => {
  const key = await make("wanted");
  const target = { type: "http", url: "http://127.0.0.1:9/", signingKey: "wanted" };
  const jobs = [await createJob(t.store, { target }), await createJob(t.store, { target }, { paused: true })];
  expect(await t.store.signingKeys.delete(PROJECT, key.id)).toMatchObject({
    kind: "named",
    jobs: { count: 2, names: jobs.map(({ spec }) => spec.name).sort() },
  });
  for (const { id } of jobs) await t.store.jobs.delete(PROJECT, id, { actor: "test" });
  expect(await t.store.signingKeys.delete(PROJECT, key.id)).toMatchObject({ kind: "deleted" });
  expect(await t.store.signingKeys.delete(PROJECT, key.id)).toEqual({ kind: "not_found" });
});
