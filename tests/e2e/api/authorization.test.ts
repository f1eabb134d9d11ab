// Every route, knocked at by everybody there can be, in their own project, in another and without naming one. What each
// should be told follows from the table of rules and from what is written here about who has what; for some it is also
// written out by hand, so that a mistake in the table is not taken for the truth.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import type { RateLimits } from "../../../src/api/rate-limits.ts";
import { registerRoute } from "../../../src/api/registration.ts";
import { type Route, route } from "../../../src/api/route.ts";
import { EventRoutes } from "../../../src/api/routes/events.ts";
import { PREFIX, ruledRoutes } from "../../../src/api/rules.ts";
import { apiRoutes } from "../../../src/api/server.ts";
import { ROLES, type Role } from "../../../src/contract/account.ts";
import { SCOPES, type Scope } from "../../../src/contract/api-key.ts";
import { formatApiKey, makeApiKey } from "../../../src/core/api-key.ts";
import { claim, failed } from "../../support/store.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { addPerson, by, signIn, tokenFor, tokenWay } from "./people.ts";
import { rowsOf } from "./project-rows.ts";

const OPTIONS = { ...API_DEFAULTS, dev: true };
const OWN = "default";
const OTHER = "other";
const LOGOUT = `POST ${PREFIX}/auth/logout`;

type Verdict = "in" | "unauthenticated" | "forbidden" | "no such project" | "project required";

interface Caller {
  headers: Record<string, string>;
  /** Null: the server knows nobody by this. */
  has: {
    /** What they may do in their own project; null: they have none. */
    scopes: readonly Scope[] | null;
    /** A key's project goes without saying. */
    home: boolean;
    person: boolean;
    instanceAdmin: boolean;
  } | null;
}

let api: ApiServer;
let routes: Route[];
const callers = new Map<string, Caller>();

beforeAll(async () => {
  api = await startApi({ ways: [tokenWay(() => api.database.store)] });
  routes = [...apiRoutes(api.deps, OPTIONS), ...new EventRoutes(api.deps, OPTIONS).routes()];
  await makeKeys();
  await makePeople();
});
afterAll(async () => await api.close());

async function makeKeys(): Promise<void> {
  const make = async (body: object) => (await api.request("POST", "/api-keys", { body })).body;
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  callers.set("nobody", { headers: {}, has: null });
  for (const scope of SCOPES) {
    const { key } = await make({ name: scope, scopes: [scope] });
    callers.set(`key: ${scope}`, {
      headers: bearer(key),
      has: { scopes: SCOPES_OF[scope], home: true, person: false, instanceAdmin: false },
    });
  }
  const root = await make({ name: "root", scopes: ["admin"], instanceAdmin: true });
  callers.set("key: instance admin", {
    headers: bearer(root.key),
    has: { scopes: SCOPES, home: true, person: false, instanceAdmin: true },
  });
  const over = await make({ name: "over", scopes: ["admin"], expiresIn: "1h" });
  await api.database.pool.query("update punctual.api_key set expires_at = now() where id = $1", [over.id]);
  callers.set("key: expired", { headers: bearer(over.key), has: null });
  const revoked = await make({ name: "revoked", scopes: ["admin"] });
  await api.request("DELETE", `/api-keys/${revoked.id}`);
  callers.set("key: revoked", { headers: bearer(revoked.key), has: null });
  callers.set("key: unknown", { headers: bearer(makeApiKey()), has: null });
  const mistyped = root.key.slice(0, -1) + (root.key.endsWith("a") ? "b" : "a");
  callers.set("key: wrong checksum", { headers: bearer(mistyped), has: null });
  const guessed = formatApiKey({ id: root.id, secret: "0".repeat(43) });
  callers.set("key: wrong secret", { headers: bearer(guessed), has: null });
}

async function makePeople(): Promise<void> {
  const person = { home: false, person: true, instanceAdmin: false };
  for (const role of ROLES) {
    await addPerson(api, `${role}@example.com`, { roles: { [OWN]: role } });
    callers.set(`session: ${role}`, {
      headers: { cookie: await signIn(api, `${role}@example.com`) },
      has: { ...person, scopes: SCOPES_OF[role] },
    });
    const token = await tokenFor({ [OWN]: role });
    callers.set(`token: ${role}`, {
      headers: { authorization: `Bearer ${token}` },
      has: { ...person, person: false, scopes: SCOPES_OF[role] },
    });
  }
  await addPerson(api, "outsider@example.com");
  callers.set("session: no member", {
    headers: { cookie: await signIn(api, "outsider@example.com") },
    has: { ...person, scopes: null },
  });
  await addPerson(api, "root@example.com", { instanceAdmin: true });
  callers.set("session: instance admin", {
    headers: { cookie: await signIn(api, "root@example.com") },
    has: { ...person, scopes: SCOPES, instanceAdmin: true },
  });
  const forged = `${(await tokenFor({ [OWN]: "admin" })).slice(0, -4)}AAAA`;
  callers.set("token: forged", { headers: { authorization: `Bearer ${forged}` }, has: null });
  const unnamed = await tokenFor({ [OWN]: "admin" }, "");
  callers.set("token: of nobody", { headers: { authorization: `Bearer ${unnamed}` }, has: null });
  callers.set("session: made up", { headers: { cookie: `punctual=${"a".repeat(43)}` }, has: null });
}

/** Written out, not taken from the code that decides. */
const SCOPES_OF = {
  read: ["read"],
  operate: ["read", "operate"],
  write: ["read", "operate", "write"],
  work: ["work"],
  metrics: ["metrics"],
  admin: SCOPES,
  viewer: ["read"],
  operator: ["read", "operate"],
  editor: ["read", "operate", "write"],
} satisfies Record<Scope | Role, readonly Scope[]>;

function expected({ permission }: Route, { has }: Caller, named: string | null): Verdict {
  if (permission === "open") return "in";
  if (has === null) return "unauthenticated";
  const foreign = named === OTHER || (named === OWN && has.scopes === null);
  if (foreign && !has.instanceAdmin) return "no such project";
  if (permission === "known") return "in";
  if (permission === "person") return has.person ? "in" : "forbidden";
  if (permission === "instance") return has.instanceAdmin ? "in" : "forbidden";
  if (named === null && !has.home) return "project required";
  return has.scopes!.includes(permission) ? "in" : "forbidden";
}

/** What the server says to an empty request for things that are not there. Answers that go on are left after their head. */
async function knock(method: string, path: string, headers: Record<string, string>): Promise<[Verdict, number]> {
  const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
  const type = "body" in body ? { "content-type": "application/json" } : {};
  const response = await fetch(api.url + path, { method, headers: { ...type, ...headers }, ...body });
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) await response.body!.cancel();
  const text = response.bodyUsed ? "" : await response.text();
  return [verdictOf(response.status, text), response.status];
}

function verdictOf(status: number, text: string): Verdict {
  if (status >= 500) throw new Error(`${status} ${text}`);
  if (status === 401) return "unauthenticated";
  if (status === 403) return "forbidden";
  if (text.includes("there is no such project, or whoever asks does not belong to it")) return "no such project";
  return text.includes('"project_required"') ? "project required" : "in";
}

function naming(project: string | null): Record<string, string> {
  return project === null ? {} : { "punctual-project": project };
}

describe("who is let in", () => {
  test("is for every route and everybody what the rules say", async () => {
    // Signing out comes last: there is nobody signed in after it.
    const inOrder = routes.toSorted((a, b) => Number(nameOf(a) === LOGOUT) - Number(nameOf(b) === LOGOUT));
    const walks = await Promise.all([...callers.keys()].map((name) => walk(name, inOrder)));
    for (const role of [...ROLES, "no member", "instance admin"])
      callers.get(`session: ${role}`)!.headers.cookie = await signIn(api, emailOf(role));
    expect(walks.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const { knocked } of walks) expect(knocked).toBe(routes.length * 3);
    expect(callers.size).toBeGreaterThan(20);
  });

  test.each([
    ["nobody", "GET /jobs", OWN, 401],
    ["nobody", "GET /me", null, 401],
    ["nobody", "POST /projects", null, 401],
    ["nobody", "GET /health", null, 200],
    ["nobody", "GET /health/detailed", null, 401],
    ["nobody", "GET /nothing", null, 401],
    ["key: wrong checksum", "GET /jobs", null, 401],
    ["key: expired", "GET /jobs", null, 401],
    ["key: revoked", "GET /jobs", null, 401],
    ["key: read", "GET /jobs", null, 200],
    ["key: read", "GET /jobs", OTHER, 404],
    ["key: read", "POST /jobs", null, 403],
    ["key: read", "GET /api-keys", null, 403],
    ["key: operate", "DELETE /jobs/nothing", null, 403],
    ["key: operate", "POST /jobs/nothing/trigger", null, 404],
    ["key: write", "DELETE /jobs/nothing", null, 404],
    ["key: write", "GET /audit", null, 403],
    ["key: work", "GET /jobs", null, 403],
    ["key: metrics", "GET /jobs", null, 403],
    ["key: admin", "GET /audit", null, 200],
    ["key: admin", "GET /nodes", null, 403],
    ["key: admin", "GET /sessions", null, 403],
    ["key: instance admin", "GET /nodes", null, 200],
    ["key: instance admin", "GET /jobs", OTHER, 200],
    ["session: viewer", "GET /jobs", OWN, 200],
    ["session: viewer", "GET /jobs", null, 400],
    ["session: viewer", "GET /jobs", OTHER, 404],
    ["session: viewer", "GET /me", null, 200],
    ["session: viewer", "GET /sessions", null, 200],
    ["session: viewer", "POST /jobs/nothing/pause", OWN, 403],
    ["session: viewer", "GET /members", OWN, 200],
    ["session: operator", "POST /jobs/nothing/pause", OWN, 404],
    ["session: operator", "PUT /secrets/nothing", OWN, 403],
    ["session: operator", "POST /jobs", OWN, 403],
    ["session: editor", "POST /jobs", OWN, 400],
    ["session: editor", "PUT /workers/nothing", OWN, 403],
    ["session: editor", "GET /audit", OWN, 403],
    ["session: editor", "POST /members", OWN, 403],
    ["session: admin", "GET /audit", OWN, 200],
    ["session: admin", "GET /audit", OTHER, 404],
    ["session: admin", "GET /nodes", OWN, 403],
    ["session: admin", "POST /projects", null, 403],
    ["session: no member", "GET /jobs", OWN, 404],
    ["session: no member", "GET /projects", null, 200],
    ["session: instance admin", "GET /jobs", OTHER, 200],
    ["session: instance admin", "GET /nodes", null, 200],
    ["session: instance admin", "GET /jobs", "nothing", 404],
    ["token: viewer", "GET /jobs", OWN, 200],
    ["token: viewer", "GET /jobs", null, 400],
    ["token: viewer", "POST /jobs", OWN, 403],
    ["token: admin", "GET /audit", OWN, 200],
    ["token: admin", "GET /jobs", OTHER, 404],
    ["token: admin", "GET /sessions", null, 403],
    ["token: admin", "GET /nodes", OWN, 403],
    ["token: forged", "GET /jobs", OWN, 401],
  ])("%s at %s in %s: %s", async (who, where, project, status) => {
    const [method, path] = where.split(" ") as [string, string];
    const headers = { ...callers.get(who)!.headers, ...naming(project) };
    expect((await knock(method, PREFIX + path, headers))[1]).toBe(status);
  });

  test("a stream may name its project in its address, everything else may not", async () => {
    const headers = callers.get("session: viewer")!.headers;
    expect(await knock("GET", `${PREFIX}/events?project=${OWN}`, headers)).toEqual(["in", 200]);
    expect((await knock("GET", `${PREFIX}/events?project=${OTHER}`, headers))[0]).toBe("no such project");
    expect((await knock("GET", `${PREFIX}/jobs?project=${OWN}`, headers))[0]).toBe("project required");
  });
});

async function walk(name: string, inOrder: Route[]): Promise<{ wrong: string[]; knocked: number }> {
  const caller = callers.get(name)!;
  const wrong: string[] = [];
  let knocked = 0;
  for (const each of inOrder)
    for (const named of [OWN, OTHER, null]) {
      const path = each.path.replace(/:[^/]+/g, "nothing0here");
      const [verdict, status] = await knock(each.method, path, { ...caller.headers, ...naming(named) });
      const wanted = expected(each, caller, named);
      knocked += 1;
      if (verdict !== wanted) wrong.push(`${name} at ${nameOf(each)} in ${named}: ${status} ${verdict}, not ${wanted}`);
    }
  return { wrong, knocked };
}

function emailOf(role: string): string {
  return { "no member": "outsider@example.com", "instance admin": "root@example.com" }[role] ?? `${role}@example.com`;
}

function nameOf({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path}`;
}

describe("the table", () => {
  test("has a line for every route, and no line without one", () => {
    const served = [...routes.map(nameOf), "GET /openapi.json"];
    expect(served.toSorted()).toEqual(ruledRoutes().toSorted());
    for (const each of served) {
      const [method, url] = each.split(" ") as ["GET", string];
      expect(api.app.hasRoute({ method, url }), each).toBe(true);
    }
  });

  test("is all there is: what is served beside it are the pages of the documentation", () => {
    const listed = api.app.printRoutes({ commonPrefix: false, includeHooks: false });
    const beside = servedPaths(listed).filter((path) => !ruledRoutes().some((each) => each.endsWith(` ${path}`)));
    expect(beside.length).toBeGreaterThan(0);
    expect(beside.filter((path) => !/^\/docs(\/|$)/.test(path))).toEqual([]);
  });

  test("is what a route needs to be made at all", () => {
    const made = { group: "", summary: "", responses: {}, handler: () => ({ status: 200 }) };
    expect(() => route({ ...made, method: "GET", path: `${PREFIX}/everything` })).toThrow("has no rule");
    expect(() => route({ ...made, method: "POST", path: `${PREFIX}/jobs/:name` })).toThrow("has no rule");
  });

  test.each([
    ["asks for less", { permission: "open" as const }],
    ["leaves no trace", { audit: null }],
    ["is not in it", { path: `${PREFIX}/everything` }],
  ])("keeps a route out that was made by hand and %s", (_, changes) => {
    const by = { group: "", summary: "", responses: {}, handler: () => ({ status: 204 }) };
    const honest: Route = {
      ...by,
      method: "DELETE",
      path: `${PREFIX}/jobs/:id`,
      permission: "write",
      audit: "job.delete",
    };
    expect(() => registerRoute(api.app, api.deps, { ...honest, ...changes }, {} as RateLimits)).toThrow(/rule/);
  });
});

/** The paths in the tree that Fastify prints. */
function servedPaths(tree: string): string[] {
  const paths: string[] = [];
  const above: string[] = [];
  for (const line of tree.split("\n")) {
    const [, indent, piece, methods] = /^([│ ]*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? [];
    if (indent === undefined || piece === undefined) continue;
    const depth = indent.length / 4;
    above.length = depth;
    above.push(piece);
    if (methods !== undefined) paths.push(above.join(""));
  }
  return paths;
}

describe("what acts on many", () => {
  interface Side {
    projectId: string;
    jobs: string[];
    executions: string[];
  }
  const JOBS = ["one", "two"];

  /** The same in both projects, down to the names. */
  async function furnish(project: string): Promise<Side> {
    const headers = { ...callers.get("key: instance admin")!.headers, "punctual-project": project };
    const make = async (path: string, body: object) => {
      const made = await api.request("POST", path, { key: null, headers, body });
      expect(made.status, made.text).toBe(201);
      return made.body.id as string;
    };
    const jobs: string[] = [];
    const executions: string[] = [];
    for (const name of JOBS) {
      const target = { type: "http", url: "https://target.example/" };
      jobs.push(await make("/jobs", { name, target, tags: ["both"], retry: { maxAttempts: 1 } }));
      for (let times = 0; times < 2; times += 1) executions.push(await make(`/jobs/${name}/trigger`, {}));
    }
    const { claimed } = await claim(api.database.store, api.database.nodeId);
    await api.database.store.queue.settleFinal(claimed.map(failed));
    for (const name of JOBS) executions.push(await make(`/jobs/${name}/trigger`, { delay: "1h" }));
    const { id: projectId } = (await api.database.store.projects.find(project))!;
    return { projectId, jobs, executions };
  }

  test("acts in the project of the request only", async () => {
    const mine = await furnish(OWN);
    const theirs = await furnish(OTHER);
    const cookie = await signIn(api, "admin@example.com");
    const before = await rowsOf(api.database.pool, theirs);
    expect(before.length).toBeGreaterThan(10);
    const act = async (path: string, body: object) => {
      const answer = await api.request("POST", path, { ...by(cookie, OWN), body });
      expect(await rowsOf(api.database.pool, theirs), `${path} ${JSON.stringify(body)}`).toEqual(before);
      return answer;
    };
    const all: [path: string, body: object, changed: number][] = [
      ["/dead-letters/retry", { filter: {} }, 4],
      ["/bulk/jobs", { action: "pause", filter: {} }, 2],
      ["/bulk/jobs", { action: "resume", filter: { tag: ["both"] } }, 2],
      ["/bulk/jobs", { action: "trigger", filter: {} }, 2],
      ["/bulk/executions", { action: "cancel", filter: {} }, 7],
      ["/bulk/executions", { action: "retry", filter: {} }, 13],
      ["/bulk/jobs", { action: "delete", filter: {} }, 2],
    ];
    // Of theirs nothing is met, by whatever way they are named.
    for (const [path, body] of all) {
      const ids = path === "/bulk/jobs" ? theirs.jobs : theirs.executions;
      const { filter, ...rest } = body as { filter: object };
      expect((await act(path, { ...rest, ids })).body, path).toMatchObject({ matched: 0, changed: 0 });
    }
    const foreign = await act("/triggers", { items: [{ job: theirs.jobs[0] }] });
    expect([foreign.status, foreign.body.error.details[0].code]).toEqual([400, "not_found"]);
    expect((await act("/triggers", { items: [{ job: "one", delay: "1h" }] })).status).toBe(201);
    expect((await act("/bulk/executions", { action: "cancel", ids: mine.executions.slice(-2) })).body.changed).toBe(2);
    for (const [path, body, changed] of all)
      expect((await act(path, body)).body, `${path} ${JSON.stringify(body)}`).toMatchObject({ changed });
  });

  test("discards in the project of the request only", async () => {
    const mine = await furnish(OWN);
    await api.request("POST", "/bulk/jobs", { body: { action: "delete", filter: {} } });
    const theirs = (await api.database.store.projects.find(OTHER))!;
    const openOf = async (projectId: string) => {
      const open = "select execution_id from punctual.dead_letter where project_id = $1 and status = 'open' order by 1";
      return (await api.database.pool.query(open, [projectId])).rows;
    };
    const before = await openOf(theirs.id);
    expect(before).toHaveLength(4);
    expect(await openOf(mine.projectId)).not.toEqual([]);
    const cookie = await signIn(api, "operator@example.com");
    await api.request("POST", "/dead-letters/discard", { ...by(cookie, OWN), body: { filter: {} } });
    expect(await openOf(mine.projectId)).toEqual([]);
    expect(await openOf(theirs.id)).toEqual(before);
  });
});
