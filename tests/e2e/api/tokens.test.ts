// Tokens of an identity provider, over HTTP: what their bearers may do, and as whom they stand in the ledger and the audit.

import { type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokens } from "../../../src/api/tokens.ts";
import { openEventStream } from "../../support/event-stream.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, type RequestOptions, startApi } from "./api-server.ts";

const SECRET = "a-shared-secret-of-32-characters";
const ISSUER = "https://id.example";

let api: ApiServer;
beforeAll(async () => {
  const settings = {
    secret: SECRET,
    publicKey: null,
    jwksUrl: null,
    issuer: ISSUER,
    audience: "punctual",
    algorithms: [],
    projectsClaim: "punctual_projects",
    roleClaim: "punctual_role",
  };
  api = await startApi({
    ways: [
      // The store is there when the first token comes.
      (token) => accept(token),
    ],
  });
  const accept = tokens(settings, { store: api.deps.store, monotonic: () => performance.now(), fetch });
});
afterAll(async () => await api.close());

async function bearer(projects: unknown, claims: JWTPayload = {}): Promise<string> {
  const all = { punctual_projects: projects, email: "ann@example.com", ...claims };
  const signing = new SignJWT(all).setProtectedHeader({ alg: "HS256" }).setIssuer(ISSUER).setAudience("punctual");
  return await signing.setSubject("u-1").setExpirationTime("5m").sign(Buffer.from(SECRET));
}

function within(key: string, project: string | null, options: RequestOptions = {}): RequestOptions {
  return { key, headers: project === null ? {} : { "punctual-project": project }, ...options };
}

describe("a project has to be named", () => {
  test("by the header, with its name or its id", async () => {
    const key = await bearer({ default: "viewer" });
    const { status, body } = await api.request("GET", "/jobs", within(key, null));
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: "project_required" });
    for (const project of ["default", PROJECT])
      expect((await api.request("GET", "/jobs", within(key, project))).status).toBe(200);
  });

  test("or, where a browser listens, by the query", async () => {
    const key = await bearer({ default: "viewer" });
    const stream = await openEventStream(`${api.url}/api/v1/events?project=default`, { key });
    await stream.until(() => stream.heard.length > 0);
    expect(stream.response.status).toBe(200);
    stream.close();
    const refused = await api.request("GET", "/events", within(key, null));
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({
      status: 400,
      code: "project_required",
    });
    expect((await api.request("GET", "/events?project=other", within(key, null))).status).toBe(404);
    expect((await api.request("GET", "/jobs?project=default", within(key, null))).status).toBe(400);
  });

  test("and is not there for whoever has no part in it", async () => {
    const key = await bearer({ default: "admin", "no-such": "admin" });
    for (const project of ["other", "no-such", "__proto__", "constructor", "%00", PROJECT.replace("1", "2")]) {
      const { status, body } = await api.request("GET", "/jobs", within(key, project));
      expect({ project, status, code: body.error.code }).toEqual({ project, status: 404, code: "not_found" });
    }
  });

  test("nor for anybody once it is deleted", async () => {
    const { body: project } = await api.request("POST", "/projects", { body: { name: "brief" } });
    const key = await bearer({ brief: "admin", [project.id]: "admin" });
    expect((await api.request("GET", "/jobs", within(key, "brief"))).status).toBe(200);
    await api.request("DELETE", `/projects/${project.id}`);
    for (const called of ["brief", project.id])
      expect((await api.request("GET", "/jobs", within(key, called))).status).toBe(404);
  });
});

describe("what the role says is what its bearer may do", () => {
  const job = { target: ECHO };
  test.each([
    ["viewer", [200, 403, 403, 403]],
    ["operator", [200, 201, 403, 403]],
    ["editor", [200, 201, 201, 403]],
    ["admin", [200, 201, 201, 200]],
  ] as const)("%s", async (role, statuses) => {
    await api.request("PUT", "/jobs/tried", { body: job });
    const as = (options: RequestOptions = {}) => within(key, "default", options);
    const key = await bearer(["default"], { punctual_role: role });
    const answers = [
      await api.request("GET", "/jobs", as()),
      await api.request("POST", "/jobs/tried/trigger", as({ body: {} })),
      await api.request("POST", "/jobs", as({ body: { ...job, name: `of-${role}` } })),
      await api.request("GET", "/api-keys", as()),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  test("and never the instance, nor anybody's session", async () => {
    const key = await bearer({ default: "admin" }, { instanceAdmin: true, instance_admin: true });
    for (const [method, path] of [
      ["GET", "/nodes"],
      ["POST", "/projects"],
      ["GET", "/sessions"],
      ["POST", "/me/password"],
    ] as const) {
      const body = { name: "mine", current: "x", password: "a long enough password" };
      const wanted = method === "POST" ? { body } : {};
      expect((await api.request(method, path, within(key, "default", wanted))).status).toBe(403);
    }
    const { body } = await api.request("GET", "/me", within(key, "default"));
    expect(body).toMatchObject({ kind: "token", name: "ann@example.com", instanceAdmin: false });
    expect((await api.request("GET", "/projects", within(key, null))).body.items).toEqual([]);
  });

  test("nor may it bring in people who are new here", async () => {
    const key = await bearer({ default: "admin" });
    const body = { email: "new@example.com", role: "viewer" };
    expect((await api.request("POST", "/members", within(key, "default", { body }))).status).toBe(403);
  });
});

test("its bearer is the actor of what they do", async () => {
  const key = await bearer({ default: "editor" });
  const as = (body: unknown) => within(key, "default", { body });
  const { body: job } = await api.request("POST", "/jobs", as({ name: "acted", target: ECHO }));
  const { body: execution } = await api.request("POST", "/jobs/acted/trigger", as({}));
  expect(execution.triggeredBy).toBe("ann@example.com");
  const { body: audit } = await api.request("GET", `/audit?object=${job.id}`);
  const actor = { kind: "token", id: "u-1", name: "ann@example.com" };
  // The run that a program asked for is told by the ledger.
  expect(audit.items).toMatchObject([{ action: "job.create", actor }]);
});

describe("is refused with a 401", () => {
  test("a token that is tampered with", async () => {
    const key = await bearer({ default: "viewer" });
    const { status, body, headers } = await api.request("GET", "/jobs", within(`${key.slice(0, -2)}AA`, "default"));
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: "unauthenticated" });
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });

  test("a token of nine thousand characters, though its signature is right", async () => {
    const key = await bearer({ default: "viewer" }, { filler: "x".repeat(6_500) });
    expect(key.length).toBeGreaterThan(8_192);
    expect((await api.request("GET", "/jobs", within(key, "default"))).status).toBe(401);
    const shorter = await bearer({ default: "viewer" }, { filler: "x".repeat(5_500) });
    expect((await api.request("GET", "/jobs", within(shorter, "default"))).status).toBe(200);
  });

  test("one without a project too: whether it is good is asked first", async () => {
    expect((await api.request("GET", "/jobs", within("a.b.c", null))).status).toBe(401);
  });
});
