import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { KeyRing } from "../../src/core/keyring.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { PostgresSecrets } from "../../src/store/postgres/secrets.ts";
import { startCommand } from "../support/command.ts";
import { createTestDatabase } from "../support/database.ts";
import { PROJECT } from "../support/store.ts";

const SECRETS = 2_000;
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

async function sealedByOld(names: readonly string[]) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const db = new Database({ url: database.url, prepared: true, connectionsMax: 2 });
  onTestFinished(() => db.close());
  await db.transaction(async (tx) => {
    const secrets = new PostgresSecrets(tx, new KeyRing([oldKey]));
    for (const name of names) await secrets.put(PROJECT, name, `value of ${name}`);
  });
  const opened = (keys: Buffer[]) => new PostgresSecrets(db, new KeyRing(keys)).reveal(PROJECT, [...names]);
  const reseal = (keys: Buffer[], args: string[] = []) =>
    startCommand(["reseal", ...args], {
      cwd: "/",
      env: {
        PATH: process.env.PATH,
        HOME: "/nonexistent",
        PUNCTUAL_DATABASE_URL: database.url,
        PUNCTUAL_ENCRYPTION_KEYS: keys.map((key) => key.toString("base64")).join(","),
      },
    });
  return { pool: database.pool, opened, reseal };
}

test("killed in the middle, it loses nothing, and run again it does the rest; then the old key may go", async () => {
  const names = Array.from({ length: SECRETS }, (_, i) => `S${i}`);
  const { pool, opened, reseal } = await sealedByOld(names);
  const { keyId } = new KeyRing([newKey]);
  const done = async () =>
    Number((await pool.query("select count(*) as n from punctual.secret where key_id = $1", [keyId])).rows[0].n);
  const first = reseal([newKey, oldKey]);
  await vi.waitUntil(async () => (await done()) > 100, { timeout: 60_000, interval: 1 });
  first.child.kill("SIGKILL");
  await first.ended;
  // The database may still be at the statement that it was sent last.
  const sessions =
    "select from pg_stat_activity where application_name = 'punctual reseal' and datname = current_database()";
  await vi.waitUntil(async () => (await pool.query(sessions)).rowCount === 0, { timeout: 60_000, interval: 10 });
  const before = await done();
  expect(before).toBeLessThan(SECRETS);
  expect((await opened([newKey, oldKey])).size).toBe(SECRETS);

  const second = await reseal([newKey, oldKey]).ended;
  expect(second).toMatchObject({ code: 0, err: "" });
  expect(second.out).toContain(`Resealed ${SECRETS - before} secrets and 0 signing keys with the key ${keyId}`);
  expect(second.out).toContain("the old ones may now be removed from PUNCTUAL_ENCRYPTION_KEYS");
  const values = await opened([newKey]);
  expect(names.filter((name) => values.get(name) !== `value of ${name}`)).toEqual([]);
});

test("what cannot be opened is listed by its place, and the end says so", async () => {
  const { reseal } = await sealedByOld(["TOKEN", "OTHER"]);
  const failed = await reseal([newKey]).ended;
  expect(failed.code).toBe(1);
  expect(failed.out.split("\n").slice(1, 4)).toEqual([
    "cannot be opened: the secret OTHER of the project default",
    "cannot be opened: the secret TOKEN of the project default",
    "Keep the old keys in PUNCTUAL_ENCRYPTION_KEYS.",
  ]);
  const json = await reseal([newKey], ["--json"]).ended;
  expect(JSON.parse(json.out)).toMatchObject({ secrets: 0, unreadable: [{ name: "OTHER" }, { name: "TOKEN" }] });
});

test("it asks for the migrations first", async () => {
  const { pool, reseal } = await sealedByOld([]);
  await pool.query("delete from punctual.migration where number = 6");
  expect(await reseal([newKey]).ended).toMatchObject({ code: 1, err: expect.stringContaining("punctual migrate") });
});
