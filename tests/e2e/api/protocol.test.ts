// What holds for every route: keys, methods, bodies, idempotency, and never a 500.
import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import type { Route } from "../../../src/api/route.ts";
import { PAGE_PATHS } from "../../../src/api/rules.ts";
import { apiRoutes, buildApi } from "../../../src/api/server.ts";
import { type ApiServer, ECHO, KEY, READ_KEY, type RequestOptions, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
let routes: Route[];
beforeAll(async () => {
  api = await startApi();
  routes = apiRoutes(api.deps, { ...API_DEFAULTS, dev: true });
});
afterAll(async () => await api.close());

const pathOf = (route: Route, value: string = randomUUID()) => `//${route.path.slice(1).replace(/:[^/]+/g, value)}`;

const OPEN = [
  // The dashboard, which holds nothing of anybody's.
  ...PAGE_PATHS,
  "/api/v1/auth/login",
  "/api/v1/auth/logout",
  "/api/v1/auth/oidc",
  "/api/v1/auth/oidc/callback",
  "/api/v1/auth/setup",
  "/api/v1/auth/ways",
  "/api/v1/callbacks/:token",
  "/api/v1/health",
  "/api/v1/health/live",
  "/api/v1/health/ready",
  "/assets/:name",
  "/dev/echo",
  "/health",
  "/health/live",
  "/health/ready",
];

test("exactly the open routes answer without a key", async () => {
  const answering = new Set<string>();
  for (const route of routes) {
    const { status, body } = await api.request(route.method, pathOf(route), { key: null });
    if (status === 401) expect(body.error.code).toBe("unauthenticated");
    else answering.add(route.path);
  }
  expect([...answering].toSorted()).toEqual(OPEN.toSorted());
  expect((await api.request("GET", "//openapi.json", { key: null })).status).toBe(200);
  expect((await api.request("GET", "//docs", { key: null })).status).toBe(200);
});

test("a wrong key is no key, and an unknown path no way around one", async () => {
  expect((await api.request("GET", "/jobs", { key: `${KEY}x` })).status).toBe(401);
  expect((await api.request("GET", "/jobs", { key: null, headers: { authorization: `Basic ${KEY}` } })).status).toBe(
    401,
  );
  expect((await api.request("GET", "/no/such/thing", { key: null })).status).toBe(401);
  expect((await api.request("POST", "/jobs/x/y/z", { key: null })).status).toBe(401);
  expect((await api.request("GET", "//admin", { key: null })).status).toBe(401);
  expect((await api.request("DELETE", "/jobs", { key: null })).status).toBe(401);
});

test("the header punctual-project may name the key's own project only", async () => {
  const list = (project: string) =>
    api.request("GET", "/jobs", { key: READ_KEY, headers: { "punctual-project": project } });
  expect((await list("default")).status).toBe(200);
  expect((await list("other")).status).toBe(404);
});

const GARBAGE: unknown[] = [
  null,
  [],
  "text",
  0,
  -1,
  true,
  {},
  { a: 1 },
  { name: 1, target: 1, schedule: 1, ids: 1, filter: 1, action: 1, items: 1, value: 1, outcome: 1 },
  {
    name: "x",
    target: null,
    schedule: null,
    ids: null,
    filter: null,
    action: null,
    items: null,
    value: null,
    outcome: null,
  },
  { name: [], target: [], schedule: [], ids: [], filter: [], action: [], items: [], value: [], outcome: [] },
  { name: {}, target: {}, schedule: {}, ids: {}, filter: {}, action: {}, items: {}, value: {}, outcome: {} },
  {
    name: "x\u0000",
    target: { ...ECHO, body: "\ud800" },
    payload: { "\udfff": "\u0000" },
    value: "\u0000",
    items: [{ job: "\u0000", payload: "\ud800" }],
  },
  {
    name: "x",
    target: { type: "http", url: "https://x/", headers: { "a\r\nb": "c\r\nd" } },
    priority: 1e308,
    timeout: "-1s",
    retry: { maxAttempts: 1e9 },
  },
  { name: "y", target: { type: "shell", command: "id" } },
  { name: "z", target: ECHO, schedule: { cron: "*".repeat(10_000) } },
  { name: "z", target: ECHO, schedule: { at: "9999-12-31T23:59:59+23:59" } },
  { name: "z", target: ECHO, schedule: { every: "999999999999d" } },
  { name: "z", target: ECHO, schedule: { every: "1s", startsAt: "0000-01-01T00:00:00Z" } },
  { schedule: { cron: "* * * * *", timezone: "Mars/Olympus" }, count: -5, from: "yesterday" },
  { schedule: { cron: "* * * * *" }, from: "9999-12-31T23:59:59.999Z", count: 1000 },
  { schedule: { every: "1ms" }, from: "1970-01-01T00:00:00Z" },
  { action: "delete", ids: ["x"], expected: -1 },
  { action: "cancel", filter: { state: ["running", "nonsense"], from: "9".repeat(400) } },
  { items: Array.from({ length: 1001 }, () => ({ job: "x" })) },
  { reason: "x".repeat(5_000), until: "2020-01-01" },
  { until: "9999-12-31T23:59:59Z" },
  { runAt: "9999-12-31T23:59:59Z" },
  { delay: "3650d" },
  { payload: { constructor: { prototype: { polluted: true } } } },
];

const RAW: (string | Buffer)[] = [
  "{",
  '{"a":',
  "[".repeat(100_000),
  `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
  '{"__proto__":{"polluted":true}}',
  '{"payload":{"__proto__":{"polluted":true}},"target":{"__proto__":1}}',
  '{"priority":1e999}',
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
  "\u0000",
  "nul",
  "﻿{}",
];

const VALUES = ["%00", "..%2f", "a b", "'", "%F0%9F%92%A9", "x".repeat(200), "1", "__proto__", "%25"];

const QUERIES = [
  "limit=0",
  "limit=-1",
  "limit=201",
  "limit=1e3",
  "limit=NaN",
  "limit=999999999999999999999",
  "limit=5&limit=6",
  "limit=",
  "cursor=%00",
  "cursor=eyJ",
  "cursor=WyItY3JlYXRlZCIsIngiXQ",
  "cursor=WyJkZXNjIiwiJyBvciAxPTEiXQ",
  "state=nonsense",
  "state=",
  "state=running,",
  "tag=%ff",
  "tag=%00",
  "q=%00",
  "q=%ed%a0%80",
  "from=yesterday&to=%00",
  "from=0001-01-01T00:00:00Z",
  "from=9999-12-31T23:59:59Z",
  "jobId=1",
  "window=99999999999d",
  "sort=;drop%20table",
  "include=__proto__",
  "__proto__=1",
  "constructor=1",
  "unknown=1",
  "%",
  "count=1e9",
  "types=x",
];

test("no garbage is answered with a 500, and every refusal has the one format", async () => {
  const job = await api.request("POST", "/jobs", { body: { name: "victim", target: ECHO } });
  const check = ({ status, body }: { status: number; body: { error?: object } }, what: string) => {
    expect(status, what).toBeLessThan(500);
    if (status >= 400) expect(Object.keys(body.error ?? {}), what).toEqual(["code", "message", "details", "requestId"]);
  };
  const send = async (route: Route, path: string, options: RequestOptions, what: string) =>
    check(await api.request(route.method, path, options), `${route.method} ${route.path} ${what}`);
  for (const route of routes.filter(({ path }) => path !== "/api/v1/events")) {
    const bodies = route.body ? GARBAGE : [];
    const raws = route.body ? RAW : [];
    const values = route.params ? VALUES : [];
    await Promise.all([
      ...bodies.map((body) => send(route, pathOf(route, job.body.id), { body }, JSON.stringify(body)!.slice(0, 200))),
      ...raws.map((raw) => send(route, pathOf(route, "victim"), { raw }, raw.toString().slice(0, 60))),
      ...values.map((value) => send(route, pathOf(route, value), {}, value)),
      ...(route.query ? QUERIES : QUERIES.slice(0, 2)).map((query) =>
        send(route, `${pathOf(route, "victim")}?${query}`, {}, query),
      ),
    ]);
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
}, 300_000);

describe("bodies", () => {
  test("what is not JSON is a 400, of another type a 415, too large a 413", async () => {
    expect((await api.request("POST", "/jobs", { raw: "{" })).body.error.code).toBe("malformed_json");
    expect((await api.request("POST", "/jobs", { raw: Buffer.from([0xff]) })).body.error.code).toBe("malformed_json");
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense"])
      expect((await api.request("POST", "/jobs", { raw: "{}", headers: { "content-type": type } })).status).toBe(415);
    expect((await api.request("POST", "/jobs", { raw: "{}", headers: { "content-encoding": "gzip" } })).status).toBe(
      415,
    );
    const large = await api.request("POST", "/jobs", {
      body: { name: "large", target: ECHO, payload: "x".repeat(257 * 1024) },
    });
    expect([large.status, large.body.error.code]).toEqual([413, "body_too_large"]);
    expect(
      (await api.request("POST", "/triggers", { raw: `{"items":[],"x":"${"x".repeat(9 * 1024 * 1024)}"}` })).status,
    ).toBe(413);
  });

  test("an empty body is an empty object, whatever type it has", async () => {
    await api.request("POST", "/jobs", { body: { name: "empty-body", target: ECHO } });
    for (const headers of [
      {},
      { "content-type": "application/json" },
      { "content-type": "application/x-www-form-urlencoded" },
    ])
      expect(
        (
          await api.request("POST", "/jobs/empty-body/trigger", {
            headers: { ...headers, "content-length": "0" } as Record<string, string>,
          })
        ).status,
      ).toBe(201);
  });

  test("half a surrogate and U+0000 are refused with their place", async () => {
    const { body } = await api.request("POST", "/jobs", {
      raw: '{"name":"nul","target":{"type":"http","url":"https://x/"},"payload":{"a":["\\u0000"]}}',
    });
    expect(body.error.details[0].path).toBe("payload.a.0");
    const half = await api.request("POST", "/jobs", {
      raw: '{"name":"nul","target":{"type":"http","url":"https://x/"},"payload":"\\ud800"}',
    });
    expect(half.status).toBe(400);
  });
});

test("another method is a 405 that says which there are", async () => {
  const { status, body, headers } = await api.request("DELETE", "/jobs");
  expect([status, body.error.code, headers.get("allow")]).toEqual([405, "method_not_allowed", "GET, HEAD, POST"]);
  expect((await api.request("PUT", "/health", { key: null })).status).toBe(405);
  expect((await api.request("GET", "/no-such-thing")).body.error.code).toBe("not_found");
});

test("a path that is not UTF-8 is a 400", async () => {
  const status = await new Promise((resolve) => {
    httpRequest(`${api.url}/api/v1/jobs/%FF`, { headers: { authorization: `Bearer ${KEY}` } }, (reply) =>
      resolve(reply.statusCode),
    ).end();
  });
  expect(status).toBe(400);
});

test("what is not HTTP is refused in the same format", async () => {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  socket.end("GARBAGE\r\n\r\n");
  const text = (await socket.toArray()).join("");
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(text.split("\r\n\r\n")[1]!).error.code).toBe("validation_failed");
});

test("an overloaded node turns requests away with a 503 and still tells its health", async () => {
  const app = await buildApi(api.deps, { ...API_DEFAULTS, eventLoopDelayMsMax: 20 });
  const headers = { authorization: `Bearer ${KEY}` };
  const ask = async () => {
    // The delay is measured once a second; a node that is kept busy sees it with one of the next measurements.
    block(100);
    const reply = await app.inject({ url: "/api/v1/me", headers });
    return reply.statusCode === 200 ? null : reply;
  };
  const reply = await vi.waitUntil(ask, { timeout: 20_000, interval: 1 });
  expect([reply.statusCode, reply.json().error.code, reply.headers["retry-after"]]).toEqual([503, "unavailable", "1"]);
  expect((await app.inject({ url: "/api/v1/health/live" })).statusCode).toBe(200);
  await app.close();
});

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("a HEAD is answered like its GET, without a body", async () => {
  for (const path of ["/jobs", "/events", "/health"]) {
    const { status, text } = await api.request("HEAD", path);
    expect([path, status, text]).toEqual([path, 200, ""]);
  }
});

test("a DELETE may name a type for the body it does not have", async () => {
  await api.request("POST", "/jobs", { body: { name: "typed-delete", target: ECHO } });
  expect(
    (await api.request("DELETE", "/jobs/typed-delete", { headers: { "content-type": "application/json" } })).status,
  ).toBe(204);
});

describe("idempotency keys", () => {
  const key = () => ({ "idempotency-key": randomUUID() });

  test("the same request again gets the first answer and has no second effect", async () => {
    const headers = key();
    const body = { name: "idem-1", target: ECHO };
    const first = await api.request("POST", "/jobs", { body, headers });
    const again = await api.request("POST", "/jobs", { body: { target: ECHO, name: "idem-1" }, headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
      null,
      "true",
    ]);
    expect(again.headers.get("etag")).toBe('"1"');
  });

  test("another request under the same key is a 422", async () => {
    const headers = key();
    await api.request("POST", "/jobs", { body: { name: "idem-2", target: ECHO }, headers });
    const other = await api.request("POST", "/jobs", { body: { name: "idem-3", target: ECHO }, headers });
    expect([other.status, other.body.error.code]).toEqual([422, "idempotency_key_reused"]);
    const otherPath = await api.request("POST", "/jobs/idem-2/trigger", { headers });
    expect(otherPath.status).toBe(422);
    expect(
      (await api.request("POST", "/jobs", { body: { name: "idem-4", target: ECHO }, headers, key: STRANGER_KEY }))
        .status,
    ).toBe(201);
  });

  test("a request that was refused may be sent again", async () => {
    const headers = key();
    expect((await api.request("POST", "/jobs/idem-late/trigger", { headers })).status).toBe(404);
    await api.request("POST", "/jobs", { body: { name: "idem-late", target: ECHO } });
    expect((await api.request("POST", "/jobs/idem-late/trigger", { headers })).status).toBe(201);
  });

  test("many at once have one effect", async () => {
    await api.request("POST", "/jobs", { body: { name: "idem-many", target: ECHO } });
    const headers = key();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => api.request("POST", "/jobs/idem-many/trigger", { headers })),
    );
    for (const { status, body } of replies)
      expect(status === 201 || body.error.code === "request_in_progress").toBe(true);
    expect((await api.request("GET", "/jobs/idem-many/executions")).body.items).toHaveLength(1);
  });

  test("a key works for what is outside the store, too", async () => {
    const headers = key();
    const body = { target: ECHO, payload: { n: 1 } };
    const before = api.calls.length;
    const first = await api.request("POST", "/targets/test", { body, headers });
    expect(first.body).toMatchObject({ number: 1, outcome: "succeeded", response: { status: 200 } });
    const again = await api.request("POST", "/targets/test", { body, headers });
    expect(again.body).toEqual(first.body);
    expect(api.calls.length).toBe(before + 1);
  });

  test("a key that is no text is refused", async () => {
    expect((await api.request("POST", "/jobs", { body: {}, headers: { "idempotency-key": "a b" } })).status).toBe(400);
    expect(
      (await api.request("POST", "/jobs", { body: {}, headers: { "idempotency-key": "x".repeat(300) } })).status,
    ).toBe(400);
  });
});
