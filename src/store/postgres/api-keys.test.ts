import { expect, test } from "vitest";
import { PROJECT, useTestStore } from "../../../tests/support/store.ts";
import { hashSecret, makeApiKey, parseApiKey } from "../../core/api-key.ts";
import type { NewApiKeyRecord } from "../port/api-keys.ts";

const t = useTestStore();

function newKey(more: Partial<NewApiKeyRecord> = {}): NewApiKeyRecord {
  const { id, secret } = parseApiKey(makeApiKey())!;
  const hash = hashSecret(secret);
  const key = { id, hash, projectId: PROJECT, name: "key", createdBy: "test", expiresAt: null };
  return { ...key, scopes: ["read"], instanceAdmin: false, ...more };
}

function successor(overlapMs = 60_000) {
  const { id: newId, hash } = newKey();
  return { newId, hash, overlapMs, actor: "test" };
}

test("of two rotations at once one wins, and the other is told of the successor", async () => {
  const { id } = (await t.store.apiKeys.create(newKey()))!;
  const results = await Promise.all([1, 2].map(() => t.store.apiKeys.rotate(PROJECT, id, successor())));
  expect(results.map(({ kind }) => kind).toSorted()).toEqual(["over", "rotated"]);
  const rotated = results.find((result) => result.kind === "rotated")!;
  const over = results.find((result) => result.kind === "over")!;
  expect(over).toMatchObject({ key: { replacedBy: (rotated as { key: { id: string } }).key.id } });
});

test("a rotation never lengthens the life of the old key, and the new one is given the same time", async () => {
  const now = await t.store.now();
  const expiresAt = new Date(now.getTime() + 60_000);
  const key = (await t.store.apiKeys.create(newKey({ expiresAt })))!;
  const rotation = await t.store.apiKeys.rotate(PROJECT, key.id, successor(3_600_000));
  if (rotation.kind !== "rotated") throw new Error(rotation.kind);
  expect(rotation.old.expiresAt).toEqual(expiresAt);
  const life = rotation.key.expiresAt!.getTime() - rotation.key.createdAt.getTime();
  expect(life).toBe(expiresAt.getTime() - key.createdAt.getTime());
});

test("a key that is revoked or expired is not rotated", async () => {
  const revoked = (await t.store.apiKeys.create(newKey()))!;
  await t.store.apiKeys.revoke(PROJECT, revoked.id);
  expect(await t.store.apiKeys.rotate(PROJECT, revoked.id, successor())).toMatchObject({ kind: "over" });
  const expired = (await t.store.apiKeys.create(newKey({ expiresAt: new Date(Date.now() - 1_000) })))!;
  expect(expired.state).toBe("expired");
  expect(await t.store.apiKeys.rotate(PROJECT, expired.id, successor())).toMatchObject({ kind: "over" });
  expect(await t.store.apiKeys.rotate(PROJECT, "aaaaaaaaaaaa", successor())).toEqual({ kind: "not_found" });
});

test("revoking again keeps the first time", async () => {
  const { id } = (await t.store.apiKeys.create(newKey()))!;
  const first = await t.store.apiKeys.revoke(PROJECT, id);
  expect(await t.store.apiKeys.revoke(PROJECT, id)).toEqual(first);
});

test("a use is written at most once a minute, whoever notes it", async () => {
  const { id } = (await t.store.apiKeys.create(newKey()))!;
  await t.store.apiKeys.noteUse([id]);
  const first = (await t.store.apiKeys.find(PROJECT, id))!.lastUsedAt!;
  await t.another().store.apiKeys.noteUse([id]);
  expect((await t.store.apiKeys.find(PROJECT, id))!.lastUsedAt).toEqual(first);
  await t.pool.query("update punctual.api_key set last_used_at = now() - interval '1 minute' where id = $1", [id]);
  await t.store.apiKeys.noteUse([id]);
  expect((await t.store.apiKeys.find(PROJECT, id))!.lastUsedAt!.getTime()).toBeGreaterThanOrEqual(first.getTime());
});

test("a list is paged from the newest, also over keys of one millisecond", async () => {
  const { id: projectId } = (await t.store.projects.create("many-keys", Buffer.alloc(32))) as { id: string };
  for (let i = 0; i < 7; i++) await t.store.apiKeys.create(newKey({ projectId, name: `key ${i}` }));
  // One after the other, however fast they were made; but for four that share a moment.
  await t.pool.query(
    `update punctual.api_key set created_at = case when name between 'key 1' and 'key 4' then timestamptz '2026-01-01'
       else timestamptz '2026-02-01' + right(name, 1)::integer * interval '1 day' end where project_id = $1`,
    [projectId],
  );
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page = await t.store.apiKeys.list(projectId, { after, limit: 2 });
    seen.push(...page.items.map(({ name }) => name));
    after = page.next;
  } while (after !== null);
  expect(seen.slice(0, 2)).toEqual(["key 6", "key 5"]);
  expect(seen.slice(2, 3)).toEqual(["key 0"]);
  expect(seen.slice(3).toSorted()).toEqual(["key 1", "key 2", "key 3", "key 4"]);
});

test("the schema refuses scopes that do not exist, none at all, and instance admins who are no admins", async () => {
  for (const wrong of [{ scopes: ["root" as "read"] }, { scopes: [] }, { instanceAdmin: true }])
    await expect(t.store.apiKeys.create(newKey(wrong))).rejects.toThrow(/check constraint/);
  await expect(t.store.apiKeys.create(newKey({ hash: Buffer.from("short") }))).rejects.toThrow(/check constraint/);
});

test("what has ended is swept after the retention, and what is in force stays", async () => {
  const day = 86_400_000;
  const old = (await t.store.apiKeys.create(newKey()))!;
  const { newId } = await rotated(old.id);
  const living = (await t.store.apiKeys.create(newKey()))!;
  await t.pool.query("update punctual.api_key set revoked_at = now() - interval '2 days' where id = $1", [old.id]);
  const swept = await t.store.retention.sweep({ retentionMs: day, limit: 100 });
  expect(swept.apiKeys).toBe(1);
  expect(await t.store.apiKeys.find(PROJECT, old.id)).toBeNull();
  for (const id of [newId, living.id])
    expect(await t.store.apiKeys.find(PROJECT, id)).toMatchObject({ state: "active" });
});

async function rotated(id: string): Promise<{ newId: string }> {
  const options = successor();
  await t.store.apiKeys.rotate(PROJECT, id, options);
  return options;
}
