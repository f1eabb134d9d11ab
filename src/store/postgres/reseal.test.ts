import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/support/database.ts";
import { PROJECT } from "../../../tests/support/store.ts";
import { KeyRing } from "../../core/keyring.ts";
import { Database, type Queryable, type Statement } from "./database.ts";
import { reseal, resealSecretSql } from "./reseal.ts";
import { PostgresSecrets } from "./secrets.ts";
import { PostgresSigningKeys } from "./signing-keys.ts";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const old = new KeyRing([oldKey]);
const both = new KeyRing([newKey, oldKey]);
const onlyNew = new KeyRing([newKey]);

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = new Database({ url: database.url, prepared: true, connectionsMax: 4 });
});
beforeEach(async () => await database.pool.query("delete from punctual.secret; delete from punctual.signing_key"));
afterAll(async () => {
  await db.close();
  await database.drop();
});

const secrets = (ring: KeyRing) => new PostgresSecrets(db, ring);
const signingKeys = (ring: KeyRing) => new PostgresSigningKeys(db, ring);

/** Lets somebody do something just before a value is replaced. */
function interrupted(before: () => Promise<unknown>): Queryable {
  return {
    run: async (statement: Statement, values: readonly unknown[]) => {
      if (statement === resealSecretSql) await before();
      return await db.run(statement, values);
    },
    transaction: (work) => db.transaction(work),
  } as Queryable;
}

test("everything opens with the new key alone afterwards, and a second run finds nothing to do", async () => {
  const names = Array.from({ length: 250 }, (_, i) => `SECRET_${i}`);
  for (const name of names) await secrets(old).put(PROJECT, name, `value of ${name}`);
  await secrets(old).put(PROJECT, "SECRET_7", "the second");
  const key = await signingKeys(old).create(PROJECT, { name: "main", use: "project", secret: Buffer.alloc(32, 1) });
  if (typeof key === "string") throw new Error(key);
  await signingKeys(old).rotate(PROJECT, key.id, { secret: Buffer.alloc(32, 2), overlapMs: 60_000 });
  await secrets(both).put(PROJECT, "NEW_ALREADY", "new");

  expect(await reseal(db, both)).toEqual({
    keyId: both.keyId,
    secrets: 250,
    signingKeys: 2,
    unreadable: [],
    overtaken: 0,
  });
  const revealed = await secrets(onlyNew).reveal(PROJECT, [...names, "NEW_ALREADY"]);
  expect(revealed.size).toBe(251);
  expect(revealed.get("SECRET_7")).toBe("the second");
  expect(revealed.get("SECRET_8")).toBe("value of SECRET_8");
  expect(await signingKeys(onlyNew).revealAll(PROJECT, undefined)).toEqual([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
  expect(await reseal(db, both)).toMatchObject({ secrets: 0, signingKeys: 0, overtaken: 0 });
});

test("a value that is set while the old one is being sealed anew is kept", async () => {
  await secrets(old).put(PROJECT, "RACED", "first");
  let writes = 0;
  const racing = interrupted(async () => {
    writes += 1;
    if (writes === 1) await secrets(old).put(PROJECT, "RACED", "second");
  });
  expect(await reseal(racing, both)).toMatchObject({ secrets: 1, overtaken: 0 });
  expect(await secrets(onlyNew).reveal(PROJECT, ["RACED"])).toEqual(new Map([["RACED", "second"]]));
});

test("a value that is deleted meanwhile stays deleted", async () => {
  await secrets(old).put(PROJECT, "GONE", "value");
  const racing = interrupted(() => secrets(old).delete(PROJECT, "GONE", { force: true }));
  expect(await reseal(racing, both)).toMatchObject({ secrets: 0, overtaken: 0 });
  expect(await secrets(old).list(PROJECT)).toEqual([]);
});

test("whoever goes on sealing with the old key is noticed, instead of being waited for", async () => {
  await secrets(old).put(PROJECT, "BUSY", "value");
  const racing = interrupted(() => secrets(old).put(PROJECT, "BUSY", "again"));
  expect(await reseal(racing, both)).toMatchObject({ secrets: 0, overtaken: 1 });
});

test("what no key opens is named by its place and left as it is", async () => {
  const lost = new KeyRing([randomBytes(32)]);
  await secrets(lost).put(PROJECT, "LOST", "value");
  await secrets(old).put(PROJECT, "DAMAGED", "value");
  await secrets(old).put(PROJECT, "FINE", "value");
  await signingKeys(lost).create(PROJECT, { name: "lost", use: "named", secret: Buffer.alloc(32, 1) });
  await database.pool.query("update punctual.secret set sealed = '\\x0102' where name = 'DAMAGED'");
  const look = () =>
    database.pool.query("select name, key_id, sealed from punctual.secret where name <> 'FINE' order by name");
  const before = (await look()).rows;
  expect(await reseal(db, both)).toEqual({
    keyId: both.keyId,
    secrets: 1,
    signingKeys: 0,
    unreadable: [
      { what: "secret", project: "default", name: "DAMAGED" },
      { what: "secret", project: "default", name: "LOST" },
      { what: "signing key", project: "default", name: "lost" },
    ],
    overtaken: 0,
  });
  expect((await look()).rows).toEqual(before);
});
