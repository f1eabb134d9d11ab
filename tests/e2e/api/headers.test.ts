// What every answer carries for browsers and caches, and who may call from a page of another origin.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import { buildApi } from "../../../src/api/server.ts";
import { openEventStream } from "../../support/event-stream.ts";
import { type ApiServer, ECHO, KEY, type Reply, startApi } from "./api-server.ts";

const ORIGIN = "https://console.example.com";
const STRANGE = "https://evil.example";

let api: ApiServer;
let open: ApiServer;
beforeAll(async () => {
  api = await startApi();
  open = await startApi({ beside: api, options: { corsOrigins: [ORIGIN, "http://localhost:3000"], rateLimit: 1_000 } });
});
afterAll(async () => {
  await open.close();
  await api.close();
});

const EVERYWHERE = {
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** What of it is wrong; empty if nothing is. */
function missing({ headers }: Pick<Reply, "headers">, cached = "no-store"): string[] {
  const wrong = Object.entries({ ...EVERYWHERE, "cache-control": cached })
    .filter(([name, value]) => headers.get(name) !== value)
    .map(([name]) => `${name}: ${headers.get(name)}`);
  const policy = headers.get("content-security-policy") ?? "";
  if (!/default-src 'none'/.test(policy) || !/frame-ancestors 'none'/.test(policy)) wrong.push(`policy: ${policy}`);
  if (headers.get("x-request-id") === null) wrong.push("no x-request-id");
  for (const name of ["server", "x-powered-by", "strict-transport-security", "access-control-allow-origin"])
    if (headers.has(name)) wrong.push(`${name}: ${headers.get(name)}`);
  return wrong;
}

test("every route's answers carry the headers, with a key and without", async () => {
  const { body: document } = await api.request("GET", "//openapi.json", { key: null });
  const walked: string[] = [];
  for (const [path, item] of Object.entries<object>(document.paths))
    for (const method of Object.keys(item).map((name) => name.toUpperCase())) {
      const at = `/${path.replace(/\{[^}]+\}/g, "no-such-thing")}`;
      for (const key of [KEY, null]) {
        // A stream would not end by itself.
        const reply = await api.request(at.endsWith("/events") ? "HEAD" : method, at, { key });
        // The page holds nothing private, and is asked for again each time.
        const cached = path === "/" ? "no-cache" : "no-store";
        expect(missing(reply, cached), `${method} ${path} ${reply.status}`).toEqual([]);
      }
      walked.push(`${method} ${path}`);
    }
  expect(walked.length).toBeGreaterThan(60);
});

test.each([
  ["an unknown path", "GET", "//no-such-thing", 404],
  ["another method", "DELETE", "/jobs", 405],
  ["a body that is no JSON", "POST", "/jobs", 400],
  ["a path that is not UTF-8", "GET", "//api/v1/jobs/%ff", 400],
])("%s is refused with the same headers", async (_, method, path, status) => {
  const reply = await api.request(method, path, method === "POST" ? { raw: "{" } : {});
  expect(reply.status).toBe(status);
  // What is refused before it becomes a request has those that an answer of JSON needs.
  const bare = path.includes("%ff") ? Object.keys(EVERYWHERE).filter((name) => /^(cross|x-frame)/.test(name)) : [];
  expect(missing(reply).filter((wrong) => !bare.some((name) => wrong.startsWith(name)))).toEqual([]);
});

test("an event stream carries them too, and what is not even HTTP those that matter", async () => {
  const listener = await openEventStream(`${api.url}/api/v1/events`, { key: KEY, headers: {} });
  expect(missing(listener.response)).toEqual([]);
  listener.close();
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  socket.end("GARBAGE\r\n\r\n");
  const head = (await socket.toArray()).join("").split("\r\n\r\n")[0]!;
  for (const header of ["cache-control: no-store", "x-content-type-options: nosniff", "referrer-policy: no-referrer"])
    expect(head).toContain(header);
});

test("an ETag still names the version, although nothing may be kept", async () => {
  const made = await api.request("POST", "/jobs", { body: { name: "tagged", target: ECHO } });
  const read = await api.request("GET", "/jobs/tagged");
  expect([made.headers.get("etag"), read.headers.get("etag")]).toEqual(['"1"', '"1"']);
  const change = (priority: number) =>
    api.request("PATCH", "/jobs/tagged", { body: { priority }, headers: { "if-match": '"1"' } });
  expect((await change(1)).status).toBe(200);
  expect((await change(2)).status).toBe(412);
});

test("browsers are told to stay with https only where others reach the node by it", async () => {
  for (const https of [true, false]) {
    const app = await buildApi(api.deps, { ...API_DEFAULTS, https });
    const { headers, statusCode } = await app.inject({ url: "/api/v1/health/live" });
    expect(statusCode).toBe(200);
    expect(headers["strict-transport-security"]).toBe(https ? "max-age=31536000" : undefined);
    await app.close();
  }
});

describe("pages of other origins", () => {
  const preflight = (server: ApiServer, origin: string, path = "/jobs") =>
    server.request("OPTIONS", path, {
      key: null,
      headers: {
        origin,
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization,content-type,if-match",
      },
    });
  const allowed = ({ headers }: Reply) => headers.get("access-control-allow-origin");

  test("may not call unless the operator names them", async () => {
    const asked = await preflight(api, ORIGIN);
    expect([asked.status, allowed(asked)]).toEqual([401, null]);
    expect(allowed(await api.request("GET", "/jobs", { headers: { origin: ORIGIN } }))).toBeNull();
  });

  test("are told by a preflight what they may send, without a key and without any route", async () => {
    for (const path of ["/jobs", "/jobs/x", "//metrics", "//no-such-thing"]) {
      const asked = await preflight(open, ORIGIN, path);
      expect([path, asked.status, allowed(asked), asked.text]).toEqual([path, 204, ORIGIN, ""]);
      expect(asked.headers.get("access-control-allow-methods")).toContain("PATCH");
      expect(asked.headers.get("access-control-allow-headers")).toContain("if-match");
      expect(asked.headers.get("access-control-max-age")).toBe("600");
      expect(asked.headers.get("vary")).toMatch(/origin/i);
    }
  });

  test("read the answers they were let in for, errors too, and the headers that matter", async () => {
    const call = (options: object) => open.request("GET", "/jobs", { headers: { origin: ORIGIN }, ...options });
    for (const reply of [await call({}), await call({ key: null }), await call({ key: "wrong" })]) {
      expect(allowed(reply)).toBe(ORIGIN);
      for (const name of ["etag", "location", "ratelimit-remaining", "retry-after", "x-request-id"])
        expect(reply.headers.get("access-control-expose-headers")).toContain(name);
      expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
    }
    const listener = await openEventStream(`${open.url}/api/v1/events`, { key: KEY, headers: { origin: ORIGIN } });
    expect(listener.response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    listener.close();
  });

  test.each([
    STRANGE,
    "https://console.example.com.evil.example",
    "http://console.example.com",
    "null",
    `${ORIGIN}:8443`,
  ])("%s stays outside", async (origin) => {
    expect(allowed(await preflight(open, origin))).toBeNull();
    expect(allowed(await open.request("GET", "/jobs", { headers: { origin } }))).toBeNull();
  });

  test("get no answer to an OPTIONS that is no preflight, but the usual refusal", async () => {
    const reply = await open.request("OPTIONS", "/jobs", { headers: { origin: ORIGIN } });
    expect([reply.status, reply.body.error.code]).toEqual([405, "method_not_allowed"]);
  });
});
