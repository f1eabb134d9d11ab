import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, ECHO, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi({ shell: { on: true, users: [] } });
  await api.request("PUT", "/secrets/KNOWN", { body: { value: "value" } });
});
afterAll(async () => await api.close());

const unknown = { ...ECHO, headers: { authorization: "Bearer {{secrets.MISSING}}" } };
const refusal = (path: string) => ({
  path,
  code: "unknown_secret",
  message: "{{secrets.MISSING}} names a secret that this project has not; set it first: punctual secrets set MISSING",
  value: "{{secrets.MISSING}}",
});

describe("a target that names a secret of which there is none is refused", () => {
  test.each([
    ["POST", "/jobs", { name: "u1", target: unknown }],
    ["POST", "/jobs?dryRun=true", { name: "u1", target: unknown }],
    ["PUT", "/jobs/u2", { target: unknown }],
    ["PUT", "/jobs/u2?dryRun=true&source=git", { target: unknown }],
    ["POST", "/targets/test", { target: unknown }],
  ])("by %s %s", async (method, path, body) => {
    const { status, body: answer } = await api.request(method, path, { body });
    expect([status, answer.error.details]).toEqual([400, [refusal("target.headers.authorization")]]);
  });

  test("by PATCH of the target, but not by PATCH of something else", async () => {
    await api.request("POST", "/jobs", { body: { name: "u3", target: ECHO } });
    const patched = await api.request("PATCH", "/jobs/u3", { body: { target: unknown } });
    expect(patched.body.error.details).toEqual([refusal("target.headers.authorization")]);
    expect((await api.request("PATCH", "/jobs/u3", { body: { priority: 7 } })).status).toBe(200);
  });

  test("by restoring a version that used it", async () => {
    await api.request("PUT", "/secrets/MISSING", { body: { value: "value" } });
    await api.request("POST", "/jobs", { body: { name: "u4", target: unknown } });
    await api.request("PUT", "/jobs/u4", { body: { target: ECHO } });
    expect((await api.request("DELETE", "/secrets/MISSING")).status).toBe(204);
    const restored = await api.request("POST", "/jobs/u4/versions/1/restore");
    expect([restored.status, restored.body.error.details]).toEqual([400, [refusal("target.headers.authorization")]]);
  });

  test("wherever it stands, all places at once", async () => {
    const target = {
      type: "http",
      url: "https://target.example/{{secrets.MISSING}}/{{secrets.KNOWN}}",
      query: { q: "{{secrets.MISSING}}" },
      body: { list: ["{{secrets.KNOWN}}", { deep: "x{{secrets.MISSING}}" }] },
    };
    const { body } = await api.request("POST", "/jobs", { body: { name: "u5", target } });
    expect(body.error.details).toEqual(["target.url", "target.query.q", "target.body.list.1.deep"].map(refusal));
    const shell = {
      type: "shell",
      command: "/bin/true",
      args: ["{{secrets.MISSING}}"],
      env: { A: "{{secrets.KNOWN}}" },
    };
    const command = await api.request("POST", "/jobs", { body: { name: "u6", target: shell } });
    expect(command.body.error.details).toEqual([refusal("target.args.0")]);
  });

  test("also under a name that objects have by nature", async () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const target = { ...ECHO, query: { q: `{{secrets.${name}}}` } };
      const refused = await api.request("POST", "/jobs", { body: { name: "u7", target } });
      expect(refused.body.error.details[0].code).toBe("unknown_secret");
      expect((await api.request("PUT", `/secrets/${name}`, { body: { value: "v" } })).body).toMatchObject({ name });
      expect((await api.request("POST", "/jobs?dryRun=true", { body: { name: "u7", target } })).status).toBe(200);
    }
  });
});

test.each([
  "https://{{secrets.KNOWN}}/",
  "https://{{secrets.KNOWN}}.example/",
  "https://target.example:{{secrets.KNOWN}}/",
  "https://user:{{secrets.KNOWN}}@target.example/",
  "https://{{secrets.KNOWN}}@target.example/",
  "https:///{{secrets.KNOWN}}/path",
  "https://\\{{secrets.KNOWN}}/path",
  "{{secrets.KNOWN}}://target.example/",
])("a secret cannot decide where a call goes: %s", async (url) => {
  const { status, body } = await api.request("POST", "/jobs", {
    body: { name: "where", target: { type: "http", url } },
  });
  expect([status, body.error.details[0].path, body.error.details[0].code]).toEqual([400, "target.url", "invalid_url"]);
  expect(body.error.details[0].message).toMatch(/user name, host or port; only path and query|is not an absolute URL/);
});

test.each(["https://target.example/{{secrets.KNOWN}}", "https://target.example?a={{secrets.KNOWN}}"])(
  "path and query may have one: %s",
  async (url) => {
    const body = { name: "where", target: { type: "http", url } };
    expect((await api.request("POST", "/jobs?dryRun=true", { body })).status).toBe(200);
  },
);

test("a target uses 32 secrets at most, however often each", async () => {
  const bodyText = (count: number) =>
    Array.from({ length: 2 * count }, (_, index) => `{{secrets.MANY_${index % count}}}`).join(" ");
  for (let index = 0; index < 32; index += 1)
    await api.request("PUT", `/secrets/MANY_${index}`, { body: { value: "value" } });
  const ask = async (method: string, path: string, count: number) =>
    await api.request(method, path, { body: { name: "many", target: { ...ECHO, bodyText: bodyText(count) } } });
  expect((await ask("POST", "/jobs?dryRun=true", 32)).status).toBe(200);
  const message = "uses 33 secrets; at most 32 may be used";
  for (const [method, path] of [
    ["POST", "/jobs"],
    ["PUT", "/jobs/many"],
  ] as const) {
    const { status, body } = await ask(method, path, 33);
    expect([status, body.error.details]).toEqual([400, [{ path: "target", code: "too_many", message, value: 33 }]]);
  }
  const tried = await api.request("POST", "/targets/test", { body: { target: { ...ECHO, bodyText: bodyText(33) } } });
  expect([tried.status, tried.body.error.details[0].message]).toEqual([400, message]);
});

test("a secret that jobs use is deleted only by force, and the error names them", async () => {
  await api.request("PUT", "/secrets/USED", { body: { value: "value" } });
  const target = { ...ECHO, headers: { authorization: "{{secrets.USED}}" } };
  for (const name of ["d", "c", "b", "a"]) await api.request("POST", "/jobs", { body: { name, target } });
  const kept = await api.request("DELETE", "/secrets/USED");
  expect([kept.status, kept.body.error.code]).toEqual([409, "wrong_state"]);
  expect(kept.body.error.message).toBe(
    'the secret "USED" is used by 4 jobs (a, b, c, …), whose calls would fail; change those first, or delete it with force=true (--force)',
  );
  expect((await api.request("DELETE", "/secrets/USED?force=true")).status).toBe(204);
});
