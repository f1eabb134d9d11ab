import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { specOf, useTestStore } from "../../../tests/support/store.ts";
import { hashSecret } from "../../core/api-key.ts";
import type { ProjectRecord } from "../port/projects.ts";

const t = useTestStore();

async function project(name: string): Promise<ProjectRecord> {
  const made = await t.store.projects.create(name, randomBytes(32));
  if (made === "name_taken") throw new Error(`${name} is taken`);
  return made;
}

function createJobIn(projectId: string) {
  const options = { actor: "test", source: null, paused: false };
  return t.store.jobs.create(projectId, (_, now) => specOf({ schedule: { every: "1h" } }, now), options);
}

test("a new project has a signing key of its own from the start", async () => {
  const secret = randomBytes(32);
  const made = await t.store.projects.create("signed", secret);
  const { id } = made as ProjectRecord;
  expect(await t.store.signingKeys.revealAll(id, undefined)).toEqual([secret]);
});

test("a name is taken until its project is deleted", async () => {
  const first = await project("reused");
  expect(await t.store.projects.create("reused", randomBytes(32))).toBe("name_taken");
  expect(await t.store.projects.delete(first.id)).toMatchObject({ kind: "deleted" });
  expect(await t.store.projects.find("reused")).toBeNull();
  const second = await project("reused");
  expect(second.id).not.toBe(first.id);
  expect(await t.store.projects.find("reused")).toEqual(second);
  expect(await t.store.projects.rename(second.id, "default")).toBe("name_taken");
  expect(await t.store.projects.rename(first.id, "again")).toBeNull();
});

test("a project with jobs is not deleted; with deleted ones it is, and its history stays", async () => {
  const { id } = await project("busy");
  const created = await createJobIn(id);
  if (created.kind !== "done") throw new Error(created.kind);
  expect(await t.store.projects.delete(id)).toMatchObject({ kind: "has_jobs", jobs: 1 });
  await t.store.jobs.delete(id, created.job.id, { actor: "test" });
  expect(await t.store.projects.delete(id)).toMatchObject({ kind: "deleted" });
  expect(await t.store.projects.delete(id)).toEqual({ kind: "not_found" });
  expect(await t.store.jobs.find(id, created.job.id)).toMatchObject({ state: "deleted" });
});

test("a deletion waits for whoever is making a job, and then refuses", async () => {
  const { id } = await project("raced");
  const maker = await t.pool.connect();
  try {
    await maker.query("begin");
    await maker.query("select from punctual.project where id = $1 and deleted_at is null for key share", [id]);
    await maker.query(
      `insert into punctual.job (id, project_id, name, state, version, priority, lane, overlap, created_at, updated_at)
       values (gen_random_uuid(), $1, 'late', 'active', 1, 50, 'x', 'skip', now(), now())`,
      [id],
    );
    const deletion = t.store.projects.delete(id);
    await waitsForALock();
    await maker.query("commit");
    expect(await deletion).toMatchObject({ kind: "has_jobs", jobs: 1 });
  } finally {
    maker.release();
  }
});

test("nothing is made any more in a project whose deletion was waited for", async () => {
  const { id } = await project("going");
  const deleter = await t.pool.connect();
  try {
    await deleter.query("begin");
    await deleter.query("select from punctual.project where id = $1 for update", [id]);
    const key = { id: "abcdefghijkl", projectId: id, name: "late", createdBy: "test", expiresAt: null };
    const scopes: ["read"] = ["read"];
    const made = t.store.apiKeys.create({ ...key, hash: hashSecret("x"), scopes, instanceAdmin: false });
    const job = createJobIn(id);
    await waitsForALock(2);
    await deleter.query("update punctual.project set deleted_at = now() where id = $1", [id]);
    await deleter.query("commit");
    expect(await made).toBeNull();
    expect(await job).toEqual({ kind: "not_found" });
  } finally {
    deleter.release();
  }
});

async function waitsForALock(sessions = 1): Promise<void> {
  const waiting =
    "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await vi.waitUntil(async () => (await t.pool.query<{ n: number }>(waiting)).rows[0]!.n >= sessions, {
    timeout: 20_000,
    interval: 20,
  });
}

test("a list shows the projects that are there, newest first, by pages", async () => {
  const gone = await project("gone");
  const names = ["page-1", "page-2", "page-3"];
  for (const name of names) await project(name);
  await t.store.projects.delete(gone.id);
  const first = await t.store.projects.list({ after: null, limit: 2 });
  expect(first.items.map(({ name }) => name)).toEqual(["page-3", "page-2"]);
  const rest = await t.store.projects.list({ after: first.next, limit: 100 });
  expect(rest.items[0]!.name).toBe("page-1");
  expect(rest.items.at(-1)!.name).toBe("default");
  expect(rest.items.map(({ name }) => name)).not.toContain("gone");
  expect(rest.next).toBeNull();
});
