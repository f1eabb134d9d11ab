import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { PROJECT, useTestStore } from "../../../tests/support/store.ts";
import type { Role } from "../../contract/account.ts";
import type { ProjectRecord } from "../port/projects.ts";

const t = useTestStore();

async function person(email: string): Promise<string> {
  return (await t.store.accounts.ensure({ email, name: "", instanceAdmin: false, createdBy: "test" })).id;
}

async function add(projectId: string, accountId: string, role: Role = "viewer") {
  return await t.store.members.add(projectId, { accountId, role, actor: "test" });
}

async function project(name: string): Promise<string> {
  return ((await t.store.projects.create(name, randomBytes(32))) as ProjectRecord).id;
}

test("a role is one project's: what becomes of it in one changes nothing in another", async () => {
  const [id, other] = [await person("ann@example.com"), await project("other")];
  expect(await add(PROJECT, id, "admin")).toMatchObject({ id, role: "admin", createdBy: "test" });
  expect(await add(other, id, "viewer")).toMatchObject({ role: "viewer" });
  expect(await add(PROJECT, id, "viewer")).toBe("is_member");
  expect(await t.store.members.change(other, id, "editor")).toMatchObject({ role: "editor" });
  expect(await t.store.members.find(PROJECT, id)).toMatchObject({ role: "admin" });
  expect(await t.store.members.remove(other, id)).toBe(true);
  expect(await t.store.members.remove(other, id)).toBe(false);
  expect(await t.store.members.change(other, id, "admin")).toBeNull();
  expect(await t.store.members.find(PROJECT, id)).toMatchObject({ role: "admin" });
});

test("of two who add one person at once, one does", async () => {
  const id = await person("twice@example.com");
  const added = await Promise.all([add(PROJECT, id, "admin"), add(PROJECT, id, "viewer")]);
  expect(added.filter((each) => each === "is_member")).toHaveLength(1);
});

test("a project that is gone has no members, and gives nobody a part in anything", async () => {
  const [id, gone] = [await person("left@example.com"), await project("gone")];
  await add(gone, id, "admin");
  const hash = randomBytes(32);
  const life = { idleMs: 60_000, lifeMs: 60_000, address: "", userAgent: "" };
  await t.store.sessions.open({ accountId: id, hash, ...life });
  const memberships = async () => (await t.store.sessions.present(hash))!.memberships;
  expect(await memberships()).toEqual([{ projectId: gone, projectName: "gone", role: "admin" }]);
  await t.store.projects.delete(gone);
  expect(await memberships()).toEqual([]);
  expect(await add(gone, await person("late@example.com"))).toBeNull();
});

test("a list is paged, and has each member once", async () => {
  const many = await project("many");
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    ids.push(await person(`${n}@example.com`));
    await add(many, ids[n]!);
  }
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof t.store.members.list>> = await t.store.members.list(many, {
      after,
      limit: 2,
    });
    seen.push(...page.items.map((item) => item.id));
    after = page.next;
  } while (after !== null);
  expect(seen.toSorted()).toEqual(ids.toSorted());
  await expect(t.store.members.list(many, { after: "nonsense", limit: 2 })).rejects.toMatchObject({
    code: "invalid_cursor",
  });
});
