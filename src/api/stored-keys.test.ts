import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestStore, PROJECT, type TestStore } from "../../tests/support/store.ts";
import type { Scope } from "../contract/api-key.ts";
import { formatApiKey, hashSecret, makeApiKey, parseApiKey } from "../core/api-key.ts";
import type { ApiKeyStore } from "../store/port/api-keys.ts";
import { createLog } from "../telemetry/log.ts";
import { StoredKeys } from "./stored-keys.ts";

let t: TestStore;
let keys: StoredKeys;
let now: number;
/** What the database was asked. */
let asked: string[];
let noted: string[][];
let broken: boolean;
/** As the database would tell of a key that is about to expire. */
let msLeft: number | null;

beforeAll(async () => {
  t = await createTestStore();
});
afterAll(async () => await t.close());
beforeEach(() => {
  [now, asked, noted, broken, msLeft] = [1_000_000, [], [], false, null];
  const apiKeys: ApiKeyStore = {
    ...t.store.apiKeys,
    present: async (id) => {
      asked.push(id);
      if (broken) throw new Error("the database is away");
      const key = await t.store.apiKeys.present(id);
      return key && { ...key, msLeft: msLeft ?? key.msLeft };
    },
    noteUse: async (ids) => {
      noted.push(ids);
      await t.store.apiKeys.noteUse(ids);
    },
  };
  keys = new StoredKeys(
    { apiKeys, projects: t.store.projects },
    { monotonic: () => now, log: createLog({ level: "silent" }) },
  );
});

async function storeKey(options: { scopes?: Scope[]; expiresAt?: Date } = {}): Promise<{ key: string; id: string }> {
  const key = makeApiKey();
  const { id, secret } = parseApiKey(key)!;
  const { scopes = ["read"], expiresAt = null } = options;
  const record = { id, projectId: PROJECT, name: "ci", scopes, instanceAdmin: false, createdBy: "test", expiresAt };
  await t.store.apiKeys.create({ ...record, hash: hashSecret(secret) });
  return { key, id };
}

test("a key opens what it was made for, under its name", async () => {
  const { key } = await storeKey({ scopes: ["operate", "metrics"] });
  expect(await keys.authenticate(key)).toMatchObject({
    kind: "key",
    name: "ci",
    home: { projectId: PROJECT, projectName: "default", scopes: ["operate", "metrics"] },
    instanceAdmin: false,
  });
});

test("nobody asks the database about what cannot be a key", async () => {
  const { key } = await storeKey();
  const mistyped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
  await expect(keys.authenticate(mistyped)).rejects.toThrow("was mistyped or cut off");
  await expect(keys.authenticate(key.slice(0, 40))).rejects.toThrow("was mistyped or cut off");
  expect(await keys.authenticate("a-password-of-somebody-else")).toBeNull();
  expect(asked).toEqual([]);
});

test("the right id with a wrong secret says nothing, not even that the key is over", async () => {
  const { id } = await storeKey();
  const { secret } = parseApiKey(makeApiKey())!;
  expect(await keys.authenticate(formatApiKey({ id, secret }))).toBeNull();
  await t.store.apiKeys.revoke(PROJECT, id);
  now += 1_000;
  expect(await keys.authenticate(formatApiKey({ id, secret }))).toBeNull();
});

test("many requests with one key ask the database once in half a second", async () => {
  const { key } = await storeKey();
  await Promise.all(Array.from({ length: 50 }, () => keys.authenticate(key)));
  now += 499;
  await keys.authenticate(key);
  expect(asked).toHaveLength(1);
  now += 1;
  await keys.authenticate(key);
  expect(asked).toHaveLength(2);
});

test("what was told before a revocation is forgotten half a second later", async () => {
  const { key, id } = await storeKey();
  await keys.authenticate(key);
  await t.store.apiKeys.revoke(PROJECT, id);
  now += 500;
  await expect(keys.authenticate(key)).rejects.toThrow(/^the key "ci" was revoked at 20/);
});

test("a key that is about to expire is not remembered beyond its end", async () => {
  const { key } = await storeKey();
  msLeft = 300;
  await keys.authenticate(key);
  now += 299;
  await keys.authenticate(key);
  expect(asked).toHaveLength(1);
  now += 1;
  await keys.authenticate(key);
  expect(asked).toHaveLength(2);
});

test("a key whose time is over is refused with the time of its end", async () => {
  const expiresAt = new Date((await t.store.now()).getTime() - 1);
  const { key } = await storeKey({ expiresAt });
  await expect(keys.authenticate(key)).rejects.toThrow(`the key "ci" expired at ${expiresAt.toISOString()}`);
});

test("a database that did not answer is asked again by the next request", async () => {
  const { key } = await storeKey();
  broken = true;
  await expect(keys.authenticate(key)).rejects.toThrow("the database is away");
  broken = false;
  expect(await keys.authenticate(key)).toMatchObject({ name: "ci" });
});

test("the last use is noted once a minute, and at the end", async () => {
  const { key, id } = await storeKey();
  await keys.authenticate(key);
  await keys.authenticate(key);
  await keys.close();
  expect(noted).toEqual([[id]]);
  expect((await t.store.apiKeys.find(PROJECT, id))!.lastUsedAt).toBeInstanceOf(Date);
  now += 59_000;
  await keys.authenticate(key);
  now += 1_000;
  await keys.authenticate(key);
  await keys.close();
  expect(noted).toEqual([[id], [id]]);
});
