import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SHELL_LANE } from "../../../src/core/lane.ts";
import { claim, failed } from "../../support/store.ts";
import { type ApiServer, startApi } from "./api-server.ts";

const COMMAND = { type: "shell", command: "true" };

let off: ApiServer;
let on: ApiServer;
let writer: string;

beforeAll(async () => {
  off = await startApi();
  on = await startApi({ beside: off, shell: { on: true, users: ["nobody"] } });
  const { body } = await on.request("POST", "/api-keys", { body: { name: "writer", scopes: ["write"] } });
  writer = body.key;
});
afterAll(async () => {
  await on.close();
  await off.close();
});

test("where commands are turned off no job with one is taken, not even an admin's", async () => {
  const { status, body } = await off.request("POST", "/jobs", { body: { name: "off", target: COMMAND } });
  expect(status).toBe(400);
  expect(body.error.details).toEqual([
    { path: "target.type", code: "shell_off", message: expect.stringContaining("PUNCTUAL_SHELL=on"), value: "shell" },
  ]);
});

test("an admin saves a job with a command, and reads it back as it was written", async () => {
  const target = { ...COMMAND, args: ["{{payload.name}}"], env: { MODE: "full" }, cwd: "/tmp", user: "nobody" };
  const { status, body } = await on.request("POST", "/jobs", { body: { name: "on", target } });
  expect(status).toBe(201);
  expect(body.target).toEqual({ ...target, successOn: [0] });
});

describe("whoever is no admin is refused, by every way in", () => {
  beforeAll(async () => {
    const made = await on.request("POST", "/jobs", { body: { name: "kept", target: COMMAND } });
    expect(made.status).toBe(201);
    const http = { type: "http", url: "https://target.example/" };
    expect((await on.request("PATCH", "/jobs/kept", { body: { target: http } })).status).toBe(200);
  });

  test.each([
    ["POST", "/jobs", { name: "sneaky", target: COMMAND }],
    ["POST", "/jobs?dryRun=true", { name: "sneaky", target: COMMAND }],
    ["PUT", "/jobs/sneaky", { target: COMMAND }],
    ["PUT", "/jobs/kept", { target: COMMAND }],
    ["PATCH", "/jobs/kept", { target: COMMAND }],
    ["POST", "/jobs/kept/versions/1/restore", {}],
    ["POST", "/targets/test", { target: COMMAND }],
  ])("%s %s", async (method, path, body) => {
    const answer = await on.request(method, path, { body, key: writer });
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({ code: "forbidden", message: expect.stringContaining('"admin"') });
  });
});

describe("running a command again as it was", () => {
  const http = { type: "http", url: "https://target.example/" };
  const again = async (id: string, key: string | undefined, body: object = { version: "original" }) =>
    await on.request("POST", `/executions/${id}/retry`, { body, ...(key === undefined ? {} : { key }) });

  async function failedRun(name: string): Promise<string> {
    expect((await on.request("POST", "/jobs", { body: { name, target: COMMAND } })).status).toBe(201);
    const { body } = await on.request("POST", `/jobs/${name}/trigger`);
    const { store, nodeId } = on.database;
    const { claimed } = await claim(store, nodeId, { lanes: [{ name: SHELL_LANE, limit: 100 }] });
    await store.queue.settleFinal(claimed.map(failed));
    expect(claimed.map(({ id }) => id)).toContain(body.id);
    return body.id;
  }

  test("is for an admin once the command was replaced; others run what the job is now", async () => {
    const id = await failedRun("replaced");
    await on.request("PATCH", "/jobs/replaced", { body: { target: http } });
    const refused = await again(id, writer);
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({ code: "forbidden", message: expect.stringContaining('"admin"') });
    expect(await again(id, writer, {})).toMatchObject({ status: 201, body: { jobVersion: 2 } });
    expect(await again(id, undefined)).toMatchObject({ status: 201, body: { jobVersion: 1 } });
  });

  test("is for everybody who may trigger it while the command is still the job's", async () => {
    expect(await again(await failedRun("same"), writer)).toMatchObject({ status: 201, body: { jobVersion: 1 } });
  });

  test("is not possible for what never ran", async () => {
    expect((await again("0198f0c1-2345-8abc-8def-0123456789ab", writer)).status).toBe(404);
  });
});

test.each([
  ["a user that the operator did not name", { user: "root" }, "target.user", "user_not_allowed"],
  ["a working folder that is not absolute", { cwd: "tmp" }, "target.cwd", "invalid_format"],
  ["no command", { command: "" }, "target.command", "too_small"],
  ["an unknown placeholder", { args: ["{{nothing.here}}"] }, "target.args.0", "invalid_template"],
  ["a variable that Punctual sets", { env: { PUNCTUAL_JOB: "x" } }, "target.env.PUNCTUAL_JOB", "reserved_variable"],
  ["a name that no variable can have", { env: { "A=B": "x" } }, "target.env.A=B", "invalid_variable"],
  ["an exit code that does not exist", { successOn: [256] }, "target.successOn.0", "too_big"],
  ["a line for a shell", { shell: true }, "target.shell", "unknown_field"],
])("%s is refused", async (_, wrong, path, code) => {
  const { status, body } = await on.request("POST", "/jobs", {
    body: { name: "wrong", target: { ...COMMAND, ...wrong } },
  });
  expect(status).toBe(400);
  expect(body.error.details).toMatchObject([{ path, code }]);
});
