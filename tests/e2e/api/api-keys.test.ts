import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type MadeApiKey, SCOPES } from "../../../src/contract/api-key.ts";
import { formatApiKey, makeApiKey, parseApiKey } from "../../../src/core/api-key.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { type ApiServer, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
/** A second node over the same database. */
let second: ApiServer;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLog({ level: "debug", stream: { write: (line: string) => void logged.push(line) } });
  api = await startApi({ log });
  second = await startApi({ beside: api, log });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function make(body: object = {}, key?: string): Promise<MadeApiKey> {
  const made = await api.request("POST", "/api-keys", {
    body: { name: "ci", scopes: ["read"], ...body },
    ...(key === undefined ? {} : { key }),
  });
  expect(made.status, made.text).toBe(201);
  return made.body;
}

/** What the server says to somebody with this key. */
async function knock(server: ApiServer, key: string): Promise<{ status: number; message: string | undefined }> {
  const { status, body } = await server.request("GET", "/me", { key });
  return { status, message: body.error?.message };
}

test("a key is made, works under its name, and is never shown again", async () => {
  const made = await make({ name: "deploy bot", scopes: ["write", "metrics"] });
  expect(made.key).toMatch(/^punctual_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  expect(made).toMatchObject({ state: "active", createdBy: "tester", expiresAt: null, replacedBy: null });
  const me = await second.request("GET", "/me", { key: made.key });
  expect(me.body).toMatchObject({ name: "deploy bot", project: { name: "default" }, scopes: ["write", "metrics"] });
  const { body: job } = await api.request("POST", "/jobs", {
    key: made.key,
    body: { name: "by-a-bot", target: { type: "http", url: "https://target.example/" } },
  });
  const { body: run } = await api.request("POST", `/jobs/${job.id}/trigger`, { key: made.key, body: { delay: "1h" } });
  expect(run.triggeredBy).toBe("deploy bot");
  const list = await api.request("GET", "/api-keys");
  const { key, ...rest } = made;
  expect(list.body.items).toContainEqual({ ...rest, lastUsedAt: list.body.items[0].lastUsedAt });
  expect(list.text).not.toMatch(/hash|"key"/);
  await vi.waitUntil(
    async () =>
      (await api.request("GET", "/api-keys")).body.items.find(({ id }: MadeApiKey) => id === made.id).lastUsedAt,
    { timeout: 20_000 },
  );
});

describe("scopes", () => {
  test("only admins make, see, rotate and revoke keys", async () => {
    const { key, id } = await make({ scopes: SCOPES.filter((scope) => scope !== "admin") });
    for (const [method, path] of [
      ["GET", "/api-keys"],
      ["POST", "/api-keys"],
      ["DELETE", `/api-keys/${id}`],
      ["POST", `/api-keys/${id}/rotate`],
    ] as const)
      expect((await api.request(method, path, { key })).body.error).toMatchObject({
        code: "forbidden",
        message: expect.stringContaining('"admin"'),
      });
  });

  test("the admin of a project makes no instance admin, and cannot lay hands on one's key", async () => {
    const admin = await make({ name: "project admin", scopes: ["admin"] });
    const instance = await make({ name: "root", scopes: ["admin"], instanceAdmin: true });
    expect((await api.request("GET", "/nodes", { key: instance.key })).status).toBe(200);
    const ask = (method: string, path: string, body?: object) => api.request(method, path, { key: admin.key, body });
    const body = { name: "x", scopes: ["admin"], instanceAdmin: true };
    expect((await ask("POST", "/api-keys", body)).status).toBe(403);
    expect((await ask("POST", `/api-keys/${instance.id}/rotate`)).status).toBe(403);
    expect((await ask("DELETE", `/api-keys/${instance.id}`)).status).toBe(403);
    expect((await knock(api, instance.key)).status).toBe(200);
    expect((await ask("POST", "/api-keys", { name: "y", scopes: ["work"] })).body.createdBy).toBe("project admin");
  });
});

describe("what is refused", () => {
  test.each([
    ["no name", { scopes: ["read"] }, "name"],
    ["an empty name", { name: "  ", scopes: ["read"] }, "name"],
    ["no scopes", { name: "x" }, "scopes"],
    ["an empty list of scopes", { name: "x", scopes: [] }, "scopes"],
    ["a scope that does not exist", { name: "x", scopes: ["read", "root"] }, "scopes.1"],
    ["an instance admin who is no admin", { name: "x", scopes: ["read"], instanceAdmin: true }, "scopes"],
    ["an end in the past", { name: "x", scopes: ["read"], expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    ["an end that is no time", { name: "x", scopes: ["read"], expiresAt: "tomorrow" }, "expiresAt"],
    ["no time at all", { name: "x", scopes: ["read"], expiresIn: "0s" }, "expiresIn"],
    ["two ends", { name: "x", scopes: ["read"], expiresIn: "1d", expiresAt: "2999-01-01T00:00:00Z" }, "expiresIn"],
    ["a field that does not exist", { name: "x", scopes: ["read"], project: "other" }, "project"],
  ])("%s", async (_, body, path) => {
    const { status, body: answer } = await api.request("POST", "/api-keys", { body });
    expect([status, answer.error.details[0]?.path]).toEqual([400, path]);
  });

  test("an overlap of more than 30 days, and one that is no duration", async () => {
    const { id } = await make();
    for (const overlap of ["31d", "soon", 5])
      expect((await api.request("POST", `/api-keys/${id}/rotate`, { body: { overlap } })).status).toBe(400);
  });

  test("keys of other projects, and ids that are none", async () => {
    const { id } = await make();
    for (const [method, path, key] of [
      ["DELETE", `/api-keys/${id}`, STRANGER_KEY],
      ["POST", `/api-keys/${id}/rotate`, STRANGER_KEY],
      ["DELETE", "/api-keys/aaaaaaaaaaaa", undefined],
      ["DELETE", "/api-keys/..%2f", undefined],
      ["POST", "/api-keys/x/rotate", undefined],
    ] as const)
      expect((await api.request(method, path, key === undefined ? {} : { key })).status, path).toBe(404);
    const theirs = (await api.request("GET", "/api-keys", { key: STRANGER_KEY })).body.items;
    expect(theirs).toEqual([]);
    expect((await api.request("GET", "/api-keys", { key: READ_KEY })).status).toBe(403);
  });
});

test("a mistyped key and a guessed secret are refused, and only the first is told why", async () => {
  const { key, id } = await make();
  const mistyped = key.slice(0, 30) + (key[30] === "x" ? "y" : "x") + key.slice(31);
  expect(await knock(api, mistyped)).toMatchObject({ status: 401, message: expect.stringContaining("mistyped") });
  const guessed = formatApiKey({ id, secret: parseApiKey(makeApiKey())!.secret });
  expect(await knock(api, guessed)).toEqual({
    status: 401,
    message: "the key in the header authorization is not valid",
  });
  expect((await knock(api, makeApiKey())).status).toBe(401);
  expect((await knock(api, key)).status).toBe(200);
});

test("a key ends with its time", async () => {
  const { key, id } = await make({ expiresIn: "1h" });
  expect((await knock(api, key)).status).toBe(200);
  const expiresAt = await endNow(id);
  await vi.waitUntil(async () => (await knock(api, key)).status === 401, { timeout: 20_000, interval: 50 });
  expect((await knock(api, key)).message).toBe(`the key "ci" expired at ${expiresAt}`);
  expect((await api.request("GET", "/api-keys")).body.items).toContainEqual(
    expect.objectContaining({ expiresAt, state: "expired" }),
  );
});

/** As if its time had come. */
async function endNow(id: string): Promise<string> {
  const ended = "update punctual.api_key set expires_at = now() where id = $1 returning expires_at as at";
  return (await api.database.pool.query<{ at: Date }>(ended, [id])).rows[0]!.at.toISOString();
}

test("a key that is made for a second is over after it", async () => {
  const { key, expiresAt } = await make({ expiresIn: "1s" });
  await vi.waitUntil(async () => (await knock(api, key)).status === 401, { timeout: 20_000, interval: 50 });
  expect(Date.parse(expiresAt!)).toBeLessThanOrEqual((await api.database.store.now()).getTime());
});

test("a revoked key opens nothing on any node from the moment the call has returned", async () => {
  for (let round = 0; round < 3; round += 1) {
    const { key, id } = await make();
    let revoked = false;
    let ended = false;
    const lateSuccesses: number[] = [];
    const hammer = async (server: ApiServer) => {
      while (!ended) {
        const startedAfter = revoked;
        const { status } = await knock(server, key);
        if (startedAfter && status !== 401) lateSuccesses.push(status);
      }
    };
    const hammers = [api, second, second].map(hammer);
    await vi.waitUntil(async () => (await knock(second, key)).status === 200, { timeout: 20_000 });
    expect((await api.request("DELETE", `/api-keys/${id}`)).status).toBe(204);
    revoked = true;
    expect((await knock(second, key)).message).toMatch(/^the key "ci" was revoked at 20/);
    expect((await knock(api, key)).status).toBe(401);
    ended = true;
    await Promise.all(hammers);
    expect(lateSuccesses).toEqual([]);
    expect((await api.request("DELETE", `/api-keys/${id}`)).status).toBe(204);
  }
});

describe("rotation", () => {
  const rotate = async (id: string, overlap?: string) =>
    await api.request("POST", `/api-keys/${id}/rotate`, { body: overlap === undefined ? {} : { overlap } });

  test("both keys work for the overlap, and then only the new one", async () => {
    const old = await make({ name: "rotated", scopes: ["operate", "work"] });
    expect((await knock(second, old.key)).status).toBe(200);
    const { status, body: next } = await rotate(old.id, "1h");
    expect(status).toBe(201);
    expect(next).toMatchObject({ name: "rotated", scopes: ["operate", "work"], createdBy: "tester", expiresAt: null });
    expect(next.id).not.toBe(old.id);
    for (const server of [api, second])
      for (const { key } of [old, next]) expect((await knock(server, key)).status).toBe(200);
    const shown = (await api.request("GET", "/api-keys")).body.items.find(({ id }: MadeApiKey) => id === old.id);
    expect(Date.parse(shown.expiresAt) - Date.parse(next.createdAt)).toBe(3_600_000);
    const endedAt = await endNow(old.id);
    await vi.waitUntil(async () => (await knock(second, old.key)).status === 401, { timeout: 20_000, interval: 50 });
    const { body: list } = await api.request("GET", "/api-keys");
    const listed = list.items.find(({ id }: MadeApiKey) => id === old.id);
    expect(listed).toMatchObject({ state: "expired", replacedBy: next.id });
    expect((await knock(second, old.key)).message).toBe(
      `the key "rotated" was rotated to ${next.id} and ended at ${endedAt}; use the new one`,
    );
    expect((await knock(second, next.key)).status).toBe(200);
  });

  test("without an overlap the old key is over when the call returns", async () => {
    const old = await make();
    expect((await knock(second, old.key)).status).toBe(200);
    const { body: next } = await rotate(old.id, "0s");
    expect((await knock(second, old.key)).status).toBe(401);
    expect((await knock(second, next.key)).status).toBe(200);
  });

  test("the overlap is a day unless said otherwise, and a key is rotated once", async () => {
    const old = await make({ expiresIn: "90d" });
    const { body: next } = await rotate(old.id);
    const { items } = (await api.request("GET", "/api-keys")).body;
    const listed = items.find(({ id }: MadeApiKey) => id === old.id);
    expect(Date.parse(listed.expiresAt) - Date.parse(next.createdAt)).toBe(86_400_000);
    expect(Date.parse(next.expiresAt) - Date.parse(next.createdAt)).toBeGreaterThan(89 * 86_400_000);
    const again = await rotate(old.id);
    expect([again.status, again.body.error.code]).toEqual([409, "wrong_state"]);
    expect(again.body.error.message).toContain(next.id);
    await api.request("DELETE", `/api-keys/${next.id}`);
    expect((await rotate(next.id)).body.error.message).toContain("was revoked at");
  });
});

test("no secret is in the database, in the log or in a list, not even by way of an idempotency key", async () => {
  const made = await api.request("POST", "/api-keys", {
    body: { name: "hidden", scopes: ["read"] },
    headers: { "idempotency-key": "make-it-once" },
  });
  expect(made.headers.get("cache-control")).toBe("no-store");
  const rotated = await api.request("POST", `/api-keys/${made.body.id}/rotate`, {
    headers: { "idempotency-key": "rotate-it-once" },
  });
  await knock(api, made.body.key);
  await api.request("DELETE", `/api-keys/${rotated.body.id}`);
  await knock(api, rotated.body.key);
  const list = (await api.request("GET", "/api-keys?limit=200")).text;
  const database = await everythingIn(api);
  const log = logged.join("");
  expect(log).toContain("api_key.rotated");
  for (const { key } of [made.body, rotated.body] as MadeApiKey[]) {
    const { id, secret } = parseApiKey(key)!;
    for (const place of [database, log, list]) {
      expect(place).toContain(id);
      expect(place).not.toContain(secret);
      expect(place).not.toContain(Buffer.from(secret).toString("hex"));
    }
  }
});

/** Every row of every table, as text. */
async function everythingIn({ database: { pool } }: ApiServer): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'punctual'",
  );
  const texts = tables.map(async ({ name }) => {
    const { rows } = await pool.query<{ text: string | null }>(
      `select string_agg(t::text, ' ') as text from ${name} t`,
    );
    return rows[0]!.text ?? "";
  });
  return (await Promise.all(texts)).join("\n");
}

test("a list is paged", async () => {
  const key = (await make({ scopes: ["admin"] })).key;
  const first = (await api.request("GET", "/api-keys?limit=2", { key })).body;
  expect(first.items).toHaveLength(2);
  const next = (await api.request("GET", `/api-keys?limit=2&cursor=${first.nextCursor}`, { key })).body;
  const ids = [...first.items, ...next.items].map(({ id }: MadeApiKey) => id);
  expect(new Set(ids).size).toBe(4);
  for (const cursor of ["nonsense", Buffer.from('["api-keys",5,6]').toString("base64url")])
    expect((await api.request("GET", `/api-keys?cursor=${cursor}`)).body.error.code).toBe("invalid_cursor");
});
