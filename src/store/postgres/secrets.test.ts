import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";

const t = useTestStore();

async function otherProject(name: string): Promise<string> {
  const made = await t.store.projects.create(name, randomBytes(32));
  if (made === "name_taken") throw new Error(made);
  return made.id;
}

const row = (project: string, name: string) => ({ project, name });

/** Puts what is sealed at one place into the row of another, with the key's name, as who can write to the database could. */
async function copy(from: ReturnType<typeof row>, to: ReturnType<typeof row>): Promise<void> {
  await t.pool.query(
    `update punctual.secret t set sealed = f.sealed, key_id = f.key_id from punctual.secret f
     where (f.project_id, f.name) = ($1, $2) and (t.project_id, t.name) = ($3, $4)`,
    [from.project, from.name, to.project, to.name],
  );
}

describe("a sealed value does not open in the row of", () => {
  const refused = (projectId: string, name: string) =>
    expect(t.store.secrets.reveal(projectId, [name])).rejects.toThrow("was changed or belongs to another place");

  test("another name", async () => {
    await t.store.secrets.put(PROJECT, "ONE", "one");
    await t.store.secrets.put(PROJECT, "TWO", "two");
    await copy(row(PROJECT, "ONE"), row(PROJECT, "TWO"));
    await refused(PROJECT, "TWO");
  });

  test("another project", async () => {
    const project = await otherProject("other");
    await t.store.secrets.put(PROJECT, "SAME", "mine");
    await t.store.secrets.put(project, "SAME", "theirs");
    await copy(row(PROJECT, "SAME"), row(project, "SAME"));
    await refused(project, "SAME");
  });

  test("another version: an old value cannot be brought back", async () => {
    await t.store.secrets.put(PROJECT, "AGED", "leaked");
    const { rows } = await t.pool.query("select sealed from punctual.secret where name = 'AGED'");
    await t.store.secrets.put(PROJECT, "AGED", "fresh");
    await t.pool.query("update punctual.secret set sealed = $1 where name = 'AGED'", [rows[0].sealed]);
    await refused(PROJECT, "AGED");
  });
});

test("names that objects have by nature are names like any other", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  expect(await t.store.secrets.known(PROJECT, names)).toEqual(new Set());
  expect((await t.store.secrets.reveal(PROJECT, names)).size).toBe(0);
  for (const name of names) await t.store.secrets.put(PROJECT, name, `value of ${name}`);
  expect(await t.store.secrets.known(PROJECT, names)).toEqual(new Set(names));
  const values = await t.store.secrets.reveal(PROJECT, names);
  for (const name of names) expect(values.get(name)).toBe(`value of ${name}`);
});

test("one that living jobs use is not deleted, unless that is forced", async () => {
  await t.store.secrets.put(PROJECT, "USED", "value");
  const target = { type: "http", url: "http://127.0.0.1:9/", query: { a: "{{secrets.USED}}" } };
  const jobs = await Promise.all(
    Array.from({ length: 5 }, (_, i) => createJob(t.store, { name: `uses-${i}`, target })),
  );
  const inUse = { kind: "in_use", jobs: { count: 5, names: ["uses-0", "uses-1", "uses-2"] } };
  expect(await t.store.secrets.delete(PROJECT, "USED", { force: false })).toEqual(inUse);
  expect(await t.store.secrets.known(PROJECT, ["USED"])).toEqual(new Set(["USED"]));
  expect(await t.store.secrets.delete(await otherProject("stranger"), "USED", { force: true })).toEqual({
    kind: "not_found",
  });
  expect(await t.store.secrets.delete(PROJECT, "USED", { force: true })).toEqual({ kind: "deleted" });
  expect(await t.store.secrets.delete(PROJECT, "USED", { force: false })).toEqual({ kind: "not_found" });
  await t.store.secrets.put(PROJECT, "USED", "value");
  for (const { id } of jobs) await t.store.jobs.delete(PROJECT, id, { actor: "test" });
  expect(await t.store.secrets.delete(PROJECT, "USED", { force: false })).toEqual({ kind: "deleted" });
});
