// How many requests a caller may make, by key and by address, on a server whose minute the test moves on.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fixedKeys } from "../../../src/api/principal.ts";
import { PunctualClient } from "../../../src/client/index.ts";
import { callbackToken } from "../../../src/core/callback-token.ts";
import { type ApiServer, ECHO, KEY, READ_KEY, type Reply, type RequestOptions, startApi } from "./api-server.ts";

const LIMIT = 5;
const WRONG_MAX = 3;

let now = 0;
let direct: ApiServer;
let proxied: ApiServer;
beforeAll(async () => {
  const options = { rateLimit: LIMIT, wrongKeysMax: WRONG_MAX };
  direct = await startApi({ options, monotonic: () => now });
  proxied = await startApi({ options: { ...options, trustProxy: 1 }, monotonic: () => now, beside: direct });
});
afterAll(async () => {
  await proxied.close();
  await direct.close();
});
afterEach(() => {
  now += 60_000;
});

function limitsOf({ status, headers }: Reply): object {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`));
  return { status, limit, remaining, reset, after: headers.get("retry-after") };
}

async function statuses(times: number, ask: (turn: number) => Promise<Reply>): Promise<number[]> {
  const answers: number[] = [];
  for (let turn = 0; turn < times; turn += 1) answers.push((await ask(turn)).status);
  return answers;
}

const forwarded = (by: string, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  headers: { "x-forwarded-for": by },
});

test("a key has so many requests a minute, each answer says how many are left, and the refusal when to come again", async () => {
  const ask = () => direct.request("GET", "/me");
  expect(limitsOf(await ask())).toEqual({ status: 200, limit: "5", remaining: "4", reset: "60", after: null });
  now += 20_400;
  expect(await statuses(LIMIT - 1, ask)).toEqual([200, 200, 200, 200]);
  const refused = await ask();
  expect(limitsOf(refused)).toEqual({ status: 429, limit: "5", remaining: "0", reset: "40", after: "40" });
  expect(refused.body.error).toMatchObject({ code: "rate_limited" });
  expect(refused.body.error.message).toContain("more than 5 requests a minute (PUNCTUAL_RATE_LIMIT)");
  now += 39_600;
  expect((await ask()).status).toBe(200);
});

test("each key is counted by itself, whatever it asks for: what it may not, what is not there, what is malformed", async () => {
  expect(await statuses(LIMIT + 1, () => direct.request("GET", "/me"))).toContain(429);
  const asked = [
    () => direct.request("POST", "/jobs", { key: READ_KEY, body: {} }),
    () => direct.request("GET", "/no-such-thing", { key: READ_KEY }),
    () => direct.request("DELETE", "/jobs", { key: READ_KEY }),
    () => direct.request("GET", "/jobs?limit=x", { key: READ_KEY }),
    () => direct.request("GET", "/me", { key: READ_KEY }),
  ];
  expect(await statuses(LIMIT, (turn) => asked[turn]!())).toEqual([403, 404, 405, 400, 200]);
  expect(await statuses(LIMIT, (turn) => asked[turn]!())).toEqual([429, 429, 429, 429, 429]);
});

test("two stored keys of one name have a limit each, and an instance admin's is the same in every project", async () => {
  const made = [1, 2].map(
    async () => await direct.request("POST", "/api-keys", { body: { name: "twin", scopes: ["read"] } }),
  );
  const [one, two] = (await Promise.all(made)).map(({ body }) => body.key as string);
  expect(await statuses(LIMIT + 1, () => direct.request("GET", "/me", { key: one! }))).toContain(429);
  expect((await direct.request("GET", "/me", { key: two! })).status).toBe(200);
  now += 60_000;
  const named = (project: string) => direct.request("GET", "/jobs", { headers: { "punctual-project": project } });
  expect(await statuses(LIMIT + 1, (turn) => named(turn % 2 ? "other" : "default"))).toEqual([
    200, 200, 200, 200, 200, 429,
  ]);
});

test("what workers ask is not counted", async () => {
  const register = () => direct.request("PUT", "/workers/w1", { body: { handlers: [{ name: "send" }] } });
  const answers = await statuses(LIMIT + 2, register);
  expect(new Set(answers)).toEqual(new Set([200]));
  expect((await register()).headers.get("ratelimit-limit")).toBeNull();
});

test("after too many wrong keys an address is told so, and a valid one still opens", async () => {
  const guess = (turn: number) => direct.request("GET", "/me", { key: `wrong-${turn}` });
  expect(await statuses(WRONG_MAX, guess)).toEqual([401, 401, 401]);
  const refused = await guess(WRONG_MAX);
  expect(limitsOf(refused)).toEqual({ status: 429, limit: "3", remaining: "0", reset: "60", after: "60" });
  expect(refused.body.error.message).toContain("127.0.0.1 sent more than 3 keys");
  expect((await direct.request("GET", "/me")).status).toBe(200);
  expect((await direct.request("GET", "/no-such-thing", { key: "wrong" })).status).toBe(429);
});

test("a flood of wrong keys is refused before any key is looked at, also a valid one", async () => {
  let looked = 0;
  const { authenticate } = direct.deps;
  direct.deps.authenticate = (token) => {
    looked += 1;
    return authenticate(token);
  };
  const guess = (turn: number) => direct.request("GET", "/me", { key: `wrong-${turn}` });
  await statuses(WRONG_MAX * 10, guess);
  expect((await direct.request("GET", "/me")).status).toBe(429);
  expect((await direct.request("GET", "/no-such-thing", { key: "wrong" })).status).toBe(429);
  expect(looked).toBe(WRONG_MAX * 10);
  direct.deps.authenticate = authenticate;
  expect((await direct.request("GET", "/health", { key: null })).status).toBe(200);
  now += 60_000;
  expect((await direct.request("GET", "/me")).status).toBe(200);
});

test("who sends no key is counted by address with the open routes, and locks nobody out who has one", async () => {
  const asked = ["//openapi.json", "//docs/json", "//favicon.ico", "/jobs", "//"];
  expect(await statuses(LIMIT, (turn) => direct.request("GET", asked[turn]!, { key: null }))).toEqual([
    200, 200, 401, 401, 200,
  ]);
  for (const path of asked) expect((await direct.request("GET", path, { key: null })).status).toBe(429);
  expect((await direct.request("GET", "/me")).status).toBe(200);
});

test("health is never counted", async () => {
  const paths = ["/health", "/health/live", "/health/ready", "//health"];
  const answers = await statuses(LIMIT * 4, (turn) => direct.request("GET", paths[turn % 4]!, { key: null }));
  expect(answers).not.toContain(429);
});

test("of callbacks only the wrong ones count, and then all of that address are refused", async () => {
  let outcome: "accepted" | "stale" = "accepted";
  const api = await startApi({ beside: direct, monotonic: () => now, completeCallback: async () => outcome });
  const id = randomUUID();
  const report = (token = callbackToken(id, id)) =>
    api.request("POST", `/callbacks/${token}`, { key: null, body: { outcome: "succeeded" } });
  expect(new Set(await statuses(1_005, () => report()))).toEqual(new Set([204]));
  outcome = "stale";
  expect(new Set(await statuses(500, () => report()))).toEqual(new Set([409]));
  expect(new Set(await statuses(500, () => report("nonsense")))).toEqual(new Set([404]));
  outcome = "accepted";
  expect((await report()).status).toBe(429);
  await api.close();
});

test("x-forwarded-for is ignored unless a proxy is trusted", async () => {
  const guess = (turn: number) => direct.request("GET", "/me", forwarded(`192.0.2.${turn}`, { key: "wrong" }));
  expect(await statuses(WRONG_MAX + 1, guess)).toEqual([401, 401, 401, 429]);
});

test("behind one proxy the last address counts, which that proxy has seen; what stands before it is the client's own", async () => {
  const guess = (by: string) => proxied.request("GET", "/me", forwarded(by, { key: "wrong" }));
  expect(await statuses(WRONG_MAX + 1, (turn) => guess(`10.9.9.${turn}, 192.0.2.1`))).toEqual([401, 401, 401, 429]);
  expect((await guess("192.0.2.1, 192.0.2.2")).status).toBe(401);
  expect((await proxied.request("GET", "/me", forwarded("192.0.2.3"))).status).toBe(200);
});

test("an IPv6 caller is counted by its /64", async () => {
  const guess = (by: string) => proxied.request("GET", "/me", forwarded(by, { key: "wrong" }));
  expect(await statuses(WRONG_MAX + 1, (turn) => guess(`2001:db8:1:1:${turn}::1`))).toEqual([401, 401, 401, 429]);
  expect((await guess("2001:db8:1:2::1")).status).toBe(401);
});

test("without a limit nothing is counted and no header speaks of one", async () => {
  const api = await startApi({ beside: direct, options: { rateLimit: null, wrongKeysMax: null } });
  const wrong = await statuses(120, () => api.request("GET", "/me", { key: "wrong" }));
  expect(new Set(wrong)).toEqual(new Set([401]));
  expect((await api.request("GET", "/me")).headers.get("ratelimit-limit")).toBeNull();
  await api.close();
});

test("the client waits for as long as a refusal says, and then has its answer", async () => {
  await statuses(LIMIT, () => direct.request("GET", "/me"));
  now += 59_000;
  const heard: (string | null)[] = [];
  let refusedAt = Number.NaN;
  const client = new PunctualClient({
    url: direct.url,
    key: KEY,
    fetch: async (input, init) => {
      // The server's minute goes on by what the client has really waited.
      if (heard.length === 1) now += performance.now() - refusedAt + 1;
      const response = await fetch(input, init);
      refusedAt = performance.now();
      heard.push(response.headers.get("retry-after"));
      return response;
    },
  });
  const job = await client.jobs.create({ name: "after-the-limit", target: ECHO as never });
  expect([job.name, heard]).toEqual(["after-the-limit", ["1", null]]);
});

test("keys from the settings are told from stored ones of the same name", async () => {
  const { authenticate } = direct.deps;
  const known = await authenticate(KEY);
  direct.deps.authenticate = fixedKeys([{ token: "a".repeat(32), identity: { ...known!, id: "other" } }]);
  const asOther = () => direct.request("GET", "/me", { key: "a".repeat(32) });
  expect(await statuses(LIMIT + 1, asOther)).toContain(429);
  direct.deps.authenticate = authenticate;
  expect((await direct.request("GET", "/me")).status).toBe(200);
});
