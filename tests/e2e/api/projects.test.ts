import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Project } from "../../../src/contract/project.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
let second: ApiServer;

beforeAll(async () => {
  api = await startApi();
  second = await startApi({ beside: api });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function make(name: string): Promise<Project> {
  const made = await api.request("POST", "/projects", { body: { name } });
  expect(made.status, made.text).toBe(201);
  expect(made.headers.get("location")).toBe(`/api/v1/projects/${made.body.id}`);
  return made.body;
}

const inside = (project: string) => ({ headers: { "punctual-project": project } });

test("a project is made, read by id and name, renamed and deleted; its name is free again", async () => {
  const made = await make("shop");
  expect(made).toEqual({ id: expect.any(String), name: "shop", createdAt: expect.any(String) });
  for (const called of [made.id, "shop"]) expect((await api.request("GET", `/projects/${called}`)).body).toEqual(made);
  expect((await api.request("POST", "/projects", { body: { name: "shop" } })).body.error.code).toBe("name_taken");
  const renamed = await api.request("PATCH", "/projects/shop", { body: { name: "store" } });
  expect(renamed.body).toEqual({ ...made, name: "store" });
  expect((await api.request("GET", "/projects/shop")).status).toBe(404);
  expect((await api.request("PATCH", "/projects/store", { body: {} })).body.name).toBe("store");
  expect((await api.request("PATCH", "/projects/store", { body: { name: "default" } })).status).toBe(409);
  expect((await api.request("DELETE", "/projects/store")).status).toBe(204);
  expect((await api.request("GET", `/projects/${made.id}`)).status).toBe(404);
  expect((await api.request("DELETE", "/projects/store")).status).toBe(404);
  expect((await make("store")).id).not.toBe(made.id);
});

test.each([{}, { name: "" }, { name: "a b" }, { name: PROJECT }, { name: "x", color: "red" }])(
  "%j is no project",
  async (body) => expect((await api.request("POST", "/projects", { body })).status).toBe(400),
);

test("the default project stays, under its name", async () => {
  for (const [method, body] of [["DELETE"], ["PATCH", { name: "other-name" }]] as const) {
    const { status, body: answer } = await api.request(method, "/projects/default", { body });
    expect([status, answer.error.code]).toEqual([409, "wrong_state"]);
  }
});

test("a project with jobs is not deleted; without them it is, its keys end at once, and its history stays", async () => {
  const { id } = await make("ending");
  const { body: key } = await api.request("POST", "/api-keys", {
    ...inside("ending"),
    body: { name: "theirs", scopes: ["admin"] },
  });
  const { body: job } = await second.request("POST", "/jobs", { key: key.key, body: { name: "last", target: ECHO } });
  const refused = await api.request("DELETE", "/projects/ending");
  expect([refused.status, refused.body.error.code]).toEqual([409, "wrong_state"]);
  expect(refused.body.error.message).toContain("jobs that are not deleted (1)");
  await second.request("DELETE", `/jobs/${job.id}`, { key: key.key });
  expect((await api.request("DELETE", "/projects/ending")).status).toBe(204);
  for (const server of [second, api]) {
    const { status, body } = await server.request("GET", "/me", { key: key.key });
    expect([status, body.error.message]).toEqual([401, expect.stringMatching(/^the key "theirs" was revoked at/)]);
  }
  expect((await api.request("GET", "/jobs", inside(id))).status).toBe(404);
  const { rows } = await api.database.pool.query("select name from punctual.job where project_id = $1", [id]);
  expect(rows).toEqual([{ name: "last" }]);
});

test("calls of a new project are signed with a key of its own", async () => {
  const { id } = await make("signing");
  const { body } = await api.request("GET", "/signing-keys", inside("signing"));
  expect(body.items).toMatchObject([{ name: "default" }]);
  expect(await api.database.store.signingKeys.revealAll(id, undefined)).toHaveLength(1);
});

describe("an instance admin", () => {
  test("sees all projects by pages, newest first", async () => {
    await make("page-1");
    await make("page-2");
    const first = (await api.request("GET", "/projects?limit=1")).body;
    expect(first.items.map(({ name }: Project) => name)).toEqual(["page-2"]);
    const rest = (await api.request("GET", `/projects?limit=200&cursor=${first.nextCursor}`)).body;
    const names = rest.items.map(({ name }: Project) => name);
    expect(names[0]).toBe("page-1");
    expect(names).toEqual(expect.arrayContaining(["default", "other"]));
    expect(rest.nextCursor).toBeNull();
  });

  test("acts in the project that the request names, by id or name", async () => {
    const { id } = await make("named");
    await api.request("POST", "/jobs", { ...inside("named"), body: { name: "there", target: ECHO } });
    expect((await api.request("GET", "/jobs/there", inside(id))).status).toBe(200);
    expect((await api.request("GET", "/jobs/there")).status).toBe(404);
    expect((await api.request("GET", "/me", inside("named"))).body.project).toEqual({ id, name: "named" });
    for (const nowhere of ["nowhere", "%00", "a b", PROJECT.replace(/1$/, "2")])
      expect((await api.request("GET", "/jobs", inside(nowhere))).body.error.code).toBe("not_found");
  });

  test("makes keys for a project, which know no other", async () => {
    await make("tenant");
    const { body: made } = await api.request("POST", "/api-keys", {
      ...inside("tenant"),
      body: { name: "tenant admin", scopes: ["admin"] },
    });
    const mine = (await api.request("GET", "/projects", { key: made.key })).body;
    expect(mine).toMatchObject({ items: [{ name: "tenant" }], nextCursor: null });
    expect((await api.request("GET", "/jobs", { key: made.key, ...inside("default") })).status).toBe(404);
    expect((await api.request("GET", "/me", { key: made.key, ...inside("tenant") })).status).toBe(200);
  });
});

test("other keys see their own project and change none", async () => {
  for (const [key, own, foreign] of [
    [READ_KEY, "default", "other"],
    [STRANGER_KEY, "other", "default"],
  ] as const) {
    const ask = (method: string, path: string, body?: object) => api.request(method, path, { key, body });
    expect((await ask("GET", "/projects")).body.items.map(({ name }: Project) => name)).toEqual([own]);
    expect((await ask("GET", `/projects/${own}`)).status).toBe(200);
    expect((await ask("GET", `/projects/${foreign}`)).status).toBe(404);
    expect((await ask("GET", `/projects/${PROJECT}`)).status).toBe(own === "default" ? 200 : 404);
    for (const project of [own, foreign]) {
      expect((await ask("PATCH", `/projects/${project}`, { name: "mine" })).status).toBe(403);
      expect((await ask("DELETE", `/projects/${project}`)).status).toBe(403);
    }
    expect((await ask("POST", "/projects", { name: "mine" })).status).toBe(403);
  }
});
