import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useTestStore } from "../../../tests/support/store.ts";

const t = useTestStore();
const HASH = "$scrypt$made-up";

async function person(email: string): Promise<string> {
  return (await t.store.accounts.ensure({ email, name: "", instanceAdmin: false, createdBy: "test" })).id;
}

async function link(
  kind: "setup" | "password" | "sign_in",
  accountId: string | null,
  lifeMs = 60_000,
): Promise<Buffer> {
  const hash = randomBytes(32);
  await t.store.accounts.addLink({ hash, kind, accountId, lifeMs });
  return hash;
}

async function session(accountId: string): Promise<{ id: string; hash: Buffer }> {
  const hash = randomBytes(32);
  const life = { idleMs: 60_000, lifeMs: 60_000, address: "", userAgent: "" };
  return { hash, id: (await t.store.sessions.open({ accountId, hash, ...life })).id };
}

test("two who make an account for one address get the same", async () => {
  const ids = await Promise.all([person("twice@example.com"), person("twice@example.com")]);
  expect(new Set(ids).size).toBe(1);
});

test("a link is good for what it was made for, and for one who takes it", async () => {
  const id = await person("linked@example.com");
  const hash = await link("password", id);
  expect(await t.store.accounts.findLink(hash)).toMatchObject({ kind: "password", account: { id } });
  const taken = await Promise.all([t.store.accounts.takeLink(hash), t.store.accounts.takeLink(hash)]);
  expect(taken.toSorted()).toEqual([false, true]);
  expect(await t.store.accounts.findLink(hash)).toBeNull();
});

test("a link whose time is over is good for nothing", async () => {
  const hash = await link("sign_in", await person("late@example.com"));
  await t.pool.query("update punctual.link set expires_at = now() where hash = $1", [hash]);
  expect(await t.store.accounts.findLink(hash)).toBeNull();
  expect(await t.store.accounts.takeLink(hash)).toBe(false);
});

test("a link that was taken in what did not come about is still there", async () => {
  const hash = await link("sign_in", await person("undone@example.com"));
  const undone = t.store.atomically(async (store) => {
    expect(await store.accounts.takeLink(hash)).toBe(true);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await t.store.accounts.takeLink(hash)).toBe(true);
});

test("a new password ends all sessions but one, and all links of that person alone", async () => {
  const [id, other] = [await person("renewed@example.com"), await person("other@example.com")];
  const [kept, ended, others] = [await session(id), await session(id), await session(other)];
  const [mine, theirs] = [await link("sign_in", id), await link("sign_in", other)];
  await t.store.accounts.setPassword(id, HASH, { exceptSession: kept.id });
  expect(await t.store.sessions.present(kept.hash)).not.toBeNull();
  expect(await t.store.sessions.present(ended.hash)).toBeNull();
  expect(await t.store.sessions.present(others.hash)).not.toBeNull();
  expect(await t.store.accounts.findLink(mine)).toBeNull();
  expect(await t.store.accounts.findLink(theirs)).not.toBeNull();
  const last = await session(id);
  await t.store.accounts.setPassword(id, HASH, { exceptSession: null });
  for (const { hash } of [kept, last]) expect(await t.store.sessions.present(hash)).toBeNull();
});

test("an identity provider's subject stays the same person, and takes nobody else's address", async () => {
  const id = await person("vouched@example.com");
  const vouch = (subject: string, email: string) =>
    t.store.accounts.vouched({ issuer: "https://identity.example", subject, email });
  expect(await vouch("1", "vouched@example.com")).toMatchObject({ id });
  expect(await vouch("1", "moved@example.com")).toMatchObject({ id });
  expect(await vouch("2", "vouched@example.com")).toBeNull();
  expect(await vouch("3", "nobody@example.com")).toBeNull();
});

test("who sets up waits for nobody who has another set-up link in their hands, and leaves them nothing", async () => {
  const [one, two] = [await link("setup", null), await link("setup", null)];
  const admin = (email: string) => ({ email, name: "", password: HASH });
  await t.store.atomically(async (slow) => {
    expect(await slow.accounts.takeLink(two)).toBe(true);
    const made = await t.another().store.atomically(async (quick) => {
      expect(await quick.accounts.takeLink(one)).toBe(true);
      return await quick.accounts.setUp(admin("one@example.com"));
    });
    expect(made).toMatchObject({ email: "one@example.com", instanceAdmin: true });
    expect(await slow.accounts.setUp(admin("two@example.com"))).toBeNull();
  });
  expect(await t.store.accounts.needsSetup()).toBe(false);
  expect((await t.pool.query("select 1 from punctual.link where kind = 'setup'")).rows).toEqual([]);
});
