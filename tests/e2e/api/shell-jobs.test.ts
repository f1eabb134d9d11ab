import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
