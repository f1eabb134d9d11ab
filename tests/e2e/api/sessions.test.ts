import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Authenticate, keyIdentity } from "../../../src/api/principal.ts";
import { PunctualError } from "../../../src/contract/errors.ts";
import { makeToken, tokenHash } from "../../../src/core/one-time-token.ts";
import { setupLink } from "../../../src/main.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { EventStream, openEventStream } from "../../support/event-stream.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, type ApiServerOptions, KEY, startApi } from "./api-server.ts";
import { addPerson, by, cookieOf, login, PASSWORD, signIn } from "./people.ts";

let api: ApiServer;
/** A second node over the same database. */
let second: ApiServer;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLog({ level: "debug", stream: { write: (line: string) => void logged.push(line) } });
  api = await startApi({ log });
  second = await startApi({ beside: api, log });
  await addPerson(api, "ann@example.com", { roles: { default: "editor" } });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function knock(server: ApiServer, cookie: string): Promise<number> {
  return (await server.request("GET", "/me", by(cookie))).status;
}

async function fresh(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApi(options);
  onTestFinished(() => server.close());
  return server;
}

describe("the set-up link", () => {
  const setUp = (server: ApiServer, token: string, more: object = {}) =>
    server.request("POST", "/auth/setup", {
      key: null,
      body: { token, email: "first@example.com", password: PASSWORD, ...more },
    });
  const tokenOf = async (server: ApiServer) =>
    (await setupLink(server.database.store, server.url))!.split("#setup=")[1]!;
  const admins = async ({ database }: ApiServer) =>
    (await database.pool.query("select email from punctual.account where instance_admin order by email")).rows;

  test("makes the first admin, once", async () => {
    const server = await fresh();
    expect((await server.request("GET", "/auth/ways", { key: null })).body.setup).toBe(true);
    const token = await tokenOf(server);
    const made = await setUp(server, token);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ kind: "session", name: "first@example.com", instanceAdmin: true });
    expect((await server.request("GET", "/nodes", by(cookieOf(made)))).status).toBe(200);
    expect((await server.request("GET", "/auth/ways", { key: null })).body.setup).toBe(false);
    expect((await setUp(server, token, { email: "second@example.com" })).status).toBe(401);
    expect(await setupLink(server.database.store, server.url)).toBeNull();
    expect(await admins(server)).toEqual([{ email: "first@example.com" }]);
  });

  test("is worth nothing once an admin can sign in, however it was come by", async () => {
    const server = await fresh();
    const token = makeToken();
    await addPerson(server, "root@example.com", { instanceAdmin: true });
    const kept = { hash: tokenHash(token), kind: "setup" as const, accountId: null, lifeMs: 60_000 };
    await server.database.store.accounts.addLink(kept);
    expect((await setUp(server, token)).body.error.code).toBe("wrong_state");
    expect((await login(server, "root@example.com")).status).toBe(200);
    expect(await admins(server)).toEqual([{ email: "root@example.com" }]);
  });

  test("of two who use it at once one wins", async () => {
    const server = await fresh();
    const token = await tokenOf(server);
    const names = ["a@example.com", "b@example.com"];
    const answers = await Promise.all(names.map((email) => setUp(server, token, { email })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expect(await admins(server)).toHaveLength(1);
  });

  test("of two links that are used at once one wins", async () => {
    for (let round = 0; round < 3; round += 1) {
      const server = await fresh();
      const tokens = [await tokenOf(server), await tokenOf(server)];
      const answers = await Promise.all(tokens.map((token, n) => setUp(server, token, { email: `${n}@example.com` })));
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses[0]).toBe(201);
      expect([401, 409]).toContain(statuses[1]);
      expect(await admins(server)).toHaveLength(1);
    }
  });

  test("ends with its time, and takes no password that is none", async () => {
    const server = await fresh();
    const token = await tokenOf(server);
    for (const password of ["", "short", "aaaaaaaaaaaaaaaa", "x".repeat(257)])
      expect((await setUp(server, token, { password })).status).toBe(400);
    expect((await setUp(server, token, { email: undefined })).status).toBe(400);
    expect((await setUp(server, makeToken())).status).toBe(401);
    await server.database.pool.query("update punctual.link set expires_at = now()");
    expect((await setUp(server, token)).status).toBe(401);
    expect(await admins(server)).toEqual([]);
  });

  test("a server that nobody set up lets nobody in", async () => {
    const server = await fresh();
    for (const email of ["admin@example.com", "root@localhost", "dev@localhost", "punctual@localhost"])
      for (const password of ["", "admin", "password", "punctual", "changeme"])
        expect([401, 429]).toContain((await login(server, email, password)).status);
    expect((await server.database.pool.query("select 1 from punctual.account")).rows).toEqual([]);
  });
});

describe("signing in", () => {
  test("a wrong password, an unknown address and one without a password are told apart by nobody", async () => {
    const { store, pool } = api.database;
    await store.accounts.ensure({ email: "none@example.com", name: "", instanceAdmin: false, createdBy: "test" });
    const since = (await pool.query("select coalesce(max(id), 0) as id from punctual.audit")).rows[0].id;
    const answers = [
      await login(api, "ann@example.com", "not the password"),
      await login(api, "nobody@example.com", PASSWORD),
      await login(api, "none@example.com", ""),
    ].map(({ status, headers, body: { error } }) => {
      const { requestId, ...rest } = error;
      return { status, cookie: headers.get("set-cookie"), rest };
    });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, cookie: null, rest: { code: "unauthenticated" } });
    const told = "select action, object_name as name from punctual.audit where id > $1 order by id";
    expect((await pool.query(told, [since])).rows).toEqual(
      ["ann@example.com", "nobody@example.com", "none@example.com"].map((name) => ({
        action: "session.refused",
        name,
      })),
    );
  });

  test("tells who one is, and works on every node, however the address was written", async () => {
    const answer = await login(api, " Ann@Example.COM ");
    expect(answer.body).toEqual({
      kind: "session",
      name: "ann@example.com",
      project: null,
      scopes: [],
      instanceAdmin: false,
      projects: [{ id: PROJECT, name: "default", role: "editor" }],
    });
    expect(await knock(second, cookieOf(answer))).toBe(200);
    const named = await second.request("GET", "/me", by(cookieOf(answer), "default"));
    expect(named.body).toMatchObject({ project: { name: "default" }, scopes: ["read", "operate", "write"] });
  });

  test("sets a cookie that scripts and other sites cannot use", async () => {
    const { headers } = await login(api, "ann@example.com");
    const [pair, ...attributes] = headers.getSetCookie()[0]!.split("; ");
    expect(pair).toMatch(/^punctual=[\w-]{43}$/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=86400", "Path=/", "SameSite=Strict"]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("over https the cookie is bound to the host and never sent in the clear", async () => {
    const server = await fresh({ publicUrl: "https://punctual.example" });
    await addPerson(server, "ann@example.com");
    const answer = await login(server, "ann@example.com");
    const [pair, ...attributes] = answer.headers.getSetCookie()[0]!.split("; ");
    expect(pair).toMatch(/^__Host-punctual=[\w-]{43}$/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=86400", "Path=/", "SameSite=Strict", "Secure"]);
    expect(await knock(server, pair!)).toBe(200);
    // One that came over http, where anybody on the way may have set it, is not looked at.
    expect(await knock(server, pair!.replace("__Host-", ""))).toBe(401);
  });

  test("a link that signs in works once", async () => {
    const token = makeToken();
    const { id } = (await api.database.store.accounts.findByEmail("ann@example.com"))!;
    await api.database.store.accounts.addLink({
      hash: tokenHash(token),
      kind: "sign_in",
      accountId: id,
      lifeMs: 60_000,
    });
    const enter = () => api.request("POST", "/auth/login", { key: null, body: { token } });
    const asPassword = await api.request("POST", "/auth/setup", { key: null, body: { token, password: PASSWORD } });
    expect(asPassword.status).toBe(401);
    const answers = await Promise.all([enter(), enter()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect((await enter()).status).toBe(401);
  });
});

describe("a session ends", () => {
  /** As if it had happened that much earlier. */
  async function shift(id: string, column: "last_seen_at" | "expires_at", by: string): Promise<void> {
    const moved = `update punctual.session set ${column} = ${column} - $2::interval where id = $1`;
    await api.database.pool.query(moved, [id, by]);
  }
  /** Not used yet: its use would be noted a moment later, in the midst of the test. */
  async function open(): Promise<{ cookie: string; id: string }> {
    const cookie = await signIn(api, "ann@example.com");
    const named = "select id from punctual.session where hash = $1";
    const { rows } = await api.database.pool.query(named, [tokenHash(cookie.split("=")[1]!)]);
    return { cookie, id: rows[0].id };
  }
  /** A node may remember what it was told for half a second. */
  async function over(server: ApiServer, cookie: string): Promise<void> {
    await vi.waitUntil(async () => (await knock(server, cookie)) === 401, { timeout: 20_000, interval: 50 });
  }

  test("when it was not used for its idle time, and not before", async () => {
    const [used, idle] = [await open(), await open()];
    await shift(used.id, "last_seen_at", "59 minutes");
    await shift(idle.id, "last_seen_at", "61 minutes");
    for (const server of [second, api]) {
      expect(await knock(server, used.cookie)).toBe(200);
      expect(await knock(server, idle.cookie)).toBe(401);
    }
  });

  test("at the latest with its life, however much it is used", async () => {
    const { cookie, id } = await open();
    await shift(id, "expires_at", "23 hours 59 minutes");
    expect(await knock(second, cookie)).toBe(200);
    await shift(id, "expires_at", "2 minutes");
    await over(second, cookie);
    const { items } = (await api.request("GET", "/sessions", by((await open()).cookie))).body;
    expect(items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  test("later, when it is used: its last use is noted", async () => {
    const { cookie, id } = await open();
    await shift(id, "last_seen_at", "59 minutes");
    expect(await knock(second, cookie)).toBe(200);
    const seen = "select last_seen_at > now() - interval '1 minute' as lately from punctual.session where id = $1";
    await vi.waitUntil(async () => (await api.database.pool.query(seen, [id])).rows[0].lately, { timeout: 20_000 });
  });

  test("when it was made for half a second only: no node remembers it for longer", async () => {
    const server = await fresh({ lifeMs: 500 });
    await addPerson(server, "ann@example.com");
    const cookie = await signIn(server, "ann@example.com");
    await over(server, cookie);
    const ended = "select expires_at <= clock_timestamp() as ended from punctual.session";
    expect((await server.database.pool.query(ended)).rows).toEqual([{ ended: true }]);
  });

  test("when it is revoked, on another node from the moment the call has returned", async () => {
    for (let round = 0; round < 3; round += 1) {
      const [mine, lost] = [await open(), await open()];
      expect(await knock(second, lost.cookie)).toBe(200);
      expect((await api.request("DELETE", `/sessions/${lost.id}`, by(mine.cookie))).status).toBe(204);
      expect(await knock(second, lost.cookie)).toBe(401);
      expect(await knock(api, lost.cookie)).toBe(401);
      expect(await knock(second, mine.cookie)).toBe(200);
      expect((await api.request("DELETE", `/sessions/${lost.id}`, by(mine.cookie))).status).toBe(404);
    }
  });

  test("by nobody else's hand", async () => {
    await addPerson(api, "ben@example.com", { roles: { default: "admin" } });
    const ben = await signIn(api, "ben@example.com");
    const { cookie, id } = await open();
    expect((await api.request("DELETE", `/sessions/${id}`, by(ben))).status).toBe(404);
    expect((await api.request("GET", "/sessions", by(ben))).body.items).toHaveLength(1);
    expect(await knock(second, cookie)).toBe(200);
  });

  test("when one signs out, on all nodes, and the browser forgets", async () => {
    const { cookie } = await open();
    expect(await knock(second, cookie)).toBe(200);
    const answer = await api.request("POST", "/auth/logout", by(cookie));
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^punctual=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await knock(second, cookie)).toBe(401);
    expect((await api.request("POST", "/auth/logout", by(cookie))).status).toBe(204);
    expect((await api.request("POST", "/auth/logout", { key: null })).status).toBe(204);
  });

  test("when the password is changed elsewhere; the one that changed it goes on", async () => {
    await addPerson(api, "cy@example.com");
    const [mine, other] = [await signIn(api, "cy@example.com"), await signIn(second, "cy@example.com")];
    const change = (current: string, password: string) =>
      api.request("POST", "/me/password", { ...by(mine), body: { current, password } });
    const link = makeToken();
    const { id } = (await api.database.store.accounts.findByEmail("cy@example.com"))!;
    await api.database.store.accounts.addLink({
      hash: tokenHash(link),
      kind: "sign_in",
      accountId: id,
      lifeMs: 60_000,
    });
    expect((await change("not the password", "another good one")).body.error.details[0]).toMatchObject({
      path: "current",
      code: "wrong_password",
    });
    expect(await knock(second, other)).toBe(200);
    expect((await change(PASSWORD, "another good one")).status).toBe(204);
    expect(await knock(second, other)).toBe(401);
    expect(await knock(second, mine)).toBe(200);
    expect((await login(api, "cy@example.com")).status).toBe(401);
    expect((await login(api, "cy@example.com", "another good one")).status).toBe(200);
    const byLink = await api.request("POST", "/auth/login", { key: null, body: { token: link } });
    expect(byLink.status).toBe(401);
  });

  test("the oldest first, when somebody has a hundred", async () => {
    const { id } = await addPerson(api, "often@example.com");
    const first = await signIn(api, "often@example.com");
    const from = { accountId: id, idleMs: 60_000, lifeMs: 60_000, address: "", userAgent: "" };
    for (let n = 0; n < 100; n += 1) await api.database.store.sessions.open({ ...from, hash: tokenHash(makeToken()) });
    expect(await knock(second, first)).toBe(401);
    const count = "select count(*)::integer as n from punctual.session where account_id = $1";
    expect((await api.database.pool.query(count, [id])).rows).toEqual([{ n: 100 }]);
  });
});

describe("what somebody may do", () => {
  let id: string;
  let cookie: string;
  const asEditor = () => second.request("POST", "/jobs", { ...by(cookie, "default"), body: {} });

  beforeAll(async () => {
    ({ id } = await addPerson(api, "dee@example.com", { roles: { default: "editor" } }));
    cookie = await signIn(api, "dee@example.com");
  });

  test("changes on another node from the moment their role was changed", async () => {
    expect((await asEditor()).status).toBe(400);
    expect((await api.request("PATCH", `/members/${id}`, { body: { role: "viewer" } })).status).toBe(200);
    expect((await asEditor()).status).toBe(403);
    expect((await api.request("PATCH", `/members/${id}`, { body: { role: "editor" } })).status).toBe(200);
    expect((await asEditor()).status).toBe(400);
  });

  test("is nothing on another node from the moment they were removed", async () => {
    expect((await asEditor()).status).toBe(400);
    expect((await api.request("DELETE", `/members/${id}`)).status).toBe(204);
    expect((await asEditor()).status).toBe(404);
    expect((await second.request("GET", "/me", by(cookie))).body.projects).toEqual([]);
    expect((await second.request("GET", "/projects", by(cookie))).body.items).toEqual([]);
  });
});

describe("a stream", () => {
  async function listen(cookie: string): Promise<EventStream> {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const url = `${second.url}/api/v1/events?project=default`;
    const response = await fetch(url, { headers: { cookie }, signal: abort.signal });
    expect(response.status).toBe(200);
    return new EventStream(response, () => abort.abort());
  }
  const heardOf = (stream: EventStream, jobId: string) => stream.events().some(({ data }) => data.data.jobId === jobId);

  test("is cut off when its session is revoked, and others go on", async () => {
    await addPerson(api, "eve@example.com", { roles: { default: "viewer" } });
    const [cookie, other] = [await signIn(api, "eve@example.com"), await signIn(api, "eve@example.com")];
    const [stream, kept] = [await listen(cookie), await listen(other)];
    const { body: items } = await api.request("GET", "/sessions", by(cookie));
    const { id } = items.items.find(({ current }: { current: boolean }) => current);
    expect((await api.request("DELETE", `/sessions/${id}`, by(other))).status).toBe(204);
    await stream.ended;
    const target = { type: "http", url: "https://target.example/" };
    const { body: job } = await second.request("POST", "/jobs", { body: { name: "after-the-cut", target } });
    await kept.until(() => heardOf(kept, job.id));
    expect(heardOf(stream, job.id)).toBe(false);
  });

  test("is cut off when its person is removed from the project", async () => {
    const { id } = await addPerson(api, "fay@example.com", { roles: { default: "viewer" } });
    const stream = await listen(await signIn(api, "fay@example.com"));
    expect((await api.request("DELETE", `/members/${id}`)).status).toBe(204);
    await stream.ended;
  });

  test("goes on while whoever vouches for its listener cannot be asked", async () => {
    let [asked, down] = [0, false];
    const grant = { projectId: PROJECT, projectName: "default", scopes: ["read" as const] };
    const listener = keyIdentity({ id: "l", name: "l", instanceAdmin: false, grant }, async () => null);
    const vouch: Authenticate = (token) => {
      if (token !== "vouched-for") return null;
      asked += 1;
      if (down) throw new PunctualError("unavailable", "the keys that tokens are checked with cannot be fetched");
      return listener;
    };
    const server = await fresh({ ways: [vouch] });
    const stream = await openEventStream(`${server.url}/api/v1/events`, { key: "vouched-for" });
    down = true;
    await vi.waitUntil(() => asked >= 3, { timeout: 30_000 });
    const target = { type: "http", url: "https://target.example/" };
    const { body: job } = await server.request("POST", "/jobs", { body: { name: "still-heard", target } });
    await stream.until(() => heardOf(stream, job.id));
  });
});

describe("another site's page", () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await signIn(api, "ann@example.com");
  });
  const own = () => new URL(api.url).host;

  /** What a browser says, and whether a change is let through. */
  const SAID: [says: string, headers: () => Record<string, string>, through: boolean][] = [
    ["same-origin", () => ({ "sec-fetch-site": "same-origin" }), true],
    ["by the person's own hand", () => ({ "sec-fetch-site": "none" }), true],
    ["cross-site", () => ({ "sec-fetch-site": "cross-site" }), false],
    ["same-site", () => ({ "sec-fetch-site": "same-site" }), false],
    ["something new", () => ({ "sec-fetch-site": "sideways" }), false],
    ["our origin", () => ({ origin: `http://${own()}` }), true],
    ["another origin", () => ({ origin: "https://evil.example" }), false],
    ["another port", () => ({ origin: "http://127.0.0.1:1" }), false],
    ["a hidden origin", () => ({ origin: "null" }), false],
    ["an origin that is none", () => ({ origin: "::" }), false],
    ["cross-site with our origin", () => ({ "sec-fetch-site": "cross-site", origin: `http://${own()}` }), false],
    ["same-origin with another", () => ({ "sec-fetch-site": "same-origin", origin: "https://evil.example" }), true],
    ["nothing", () => ({}), true],
  ];
  const CHANGES: [method: string, path: string][] = [
    ["POST", "/jobs"],
    ["PATCH", "/jobs/nothing"],
    ["PUT", "/jobs/nothing"],
    ["DELETE", "/jobs/nothing"],
  ];

  test.each(SAID)("%s: a change by cookie", async (_, headers, through) => {
    for (const [method, path] of CHANGES) {
      const as = by(cookie, "default");
      const answer = await api.request(method, path, {
        ...as,
        headers: { ...as.headers, ...headers() },
        ...(method === "DELETE" ? {} : { body: {} }),
      });
      expect(answer.status === 403, `${method} ${answer.text}`).toBe(!through);
    }
  });

  test.each(SAID)("%s: signing in and out", async (_, headers, through) => {
    for (const path of ["/auth/login", "/auth/setup", "/auth/logout"]) {
      const { status } = await api.request("POST", path, { key: null, body: {}, headers: headers() });
      expect(status === 403, path).toBe(!through);
    }
  });

  test.each(SAID)("%s: a look, and a change by key", async (_, headers) => {
    const as = by(cookie, "default");
    const look = await api.request("GET", "/jobs", { ...as, headers: { ...as.headers, ...headers() } });
    expect(look.status).toBe(200);
    const change = await api.request("POST", "/jobs", { key: KEY, body: {}, headers: { cookie, ...headers() } });
    expect(change.status).toBe(400);
  });

  test("behind a proxy that calls us otherwise, our origin is the public one", async () => {
    const server = await fresh({ publicUrl: "https://punctual.example" });
    const say = async (origin: string) =>
      (await server.request("POST", "/auth/login", { key: null, body: {}, headers: { origin } })).status;
    expect(await say("https://punctual.example")).toBe(400);
    expect(await say("http://punctual.example")).toBe(403);
    expect(await say("https://punctual.example.evil.example")).toBe(403);
  });
});

test("a key that is sent along counts, whatever the cookie says", async () => {
  const cookie = await signIn(api, "ann@example.com");
  const me = async (key: string | null) => await api.request("GET", "/me", { key, headers: { cookie } });
  expect((await me(KEY)).body).toMatchObject({ kind: "key", name: "tester" });
  expect((await me("not-a-key")).status).toBe(401);
  expect((await me(null)).body).toMatchObject({ kind: "session", name: "ann@example.com" });
  const basic = { cookie, authorization: "Basic YTpi" };
  expect((await api.request("GET", "/me", { key: null, headers: basic })).status).toBe(401);
});

test("what the cookie has stands nowhere: not in the database, not in the log, not in an answer", async () => {
  const answer = await login(api, "ann@example.com");
  const cookie = cookieOf(answer);
  const token = cookie.split("=")[1]!;
  const texts = [answer.text];
  for (const path of ["/me", "/sessions", "/projects"]) texts.push((await api.request("GET", path, by(cookie))).text);
  await api.request("POST", "/jobs", { ...by(cookie, "default"), body: { nonsense: cookie.length } });
  await api.request("GET", "/nothing", by(cookie));
  texts.push((await api.request("POST", "/auth/logout", by(cookie))).text);
  const { rows: tables } = await api.database.pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'punctual'",
  );
  for (const { name } of tables) {
    const all = await api.database.pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.push(...all.rows.map(({ text }) => text));
  }
  expect(logged.join("")).toContain("session.opened");
  const written = [...texts, ...logged].join("\n");
  for (const form of [
    token,
    Buffer.from(token).toString("hex"),
    Buffer.from(token, "base64url").toString("hex"),
    PASSWORD,
  ])
    expect(written).not.toContain(form);
});
