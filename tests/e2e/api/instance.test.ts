import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallbackReport } from "../../../src/contract/callback.ts";
import { callbackToken } from "../../../src/core/callback-token.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
const reports: [string, string, CallbackReport][] = [];
const EXECUTION = "0198a000-0000-7000-8000-000000000001";
const CLAIM = "5e0b2d9e-6a57-4a32-8c3e-0d6f3a1b9c11";

beforeAll(async () => {
  api = await startApi({
    completeCallback: async (executionId, claim, report) => {
      reports.push([executionId, claim, report]);
      if (executionId !== EXECUTION || claim !== CLAIM) return "stale";
      return reports.length === 1 ? "accepted" : "repeated";
    },
  });
});
afterAll(async () => await api.close());

test("a callback is taken without a key, again the same way, and stale with a 409", async () => {
  const path = `/callbacks/${callbackToken(EXECUTION, CLAIM)}`;
  const body = { outcome: "failed", error: "no paper", retry: false };
  expect((await api.request("POST", path, { body, key: null })).status).toBe(204);
  expect((await api.request("POST", path, { body, key: null })).status).toBe(204);
  expect(reports[0]).toEqual([
    EXECUTION,
    CLAIM,
    { outcome: "failed", result: null, error: { code: "callback", message: "no paper" }, retry: false },
  ]);
  const stale = await api.request("POST", `/callbacks/${callbackToken(CLAIM, EXECUTION)}`, { body, key: null });
  expect([stale.status, stale.body.error.code]).toEqual([409, "stale_callback"]);
  expect((await api.request("POST", "/callbacks/nonsense", { body, key: null })).status).toBe(404);
  expect((await api.request("POST", path, { key: null })).body.error.details[0].path).toBe("outcome");
});

describe("secrets", () => {
  test("are written, listed by name, replaced and deleted, and never shown", async () => {
    const put = await api.request("PUT", "/secrets/API_TOKEN", { body: { value: "s3cret-value" } });
    expect(put.body).toMatchObject({ name: "API_TOKEN", version: 1 });
    expect((await api.request("PUT", "/secrets/API_TOKEN", { body: { value: "other-value" } })).body.version).toBe(2);
    const list = await api.request("GET", "/secrets");
    expect(list.body.items).toMatchObject([{ name: "API_TOKEN", version: 2 }]);
    expect(put.text + list.text).not.toMatch(/s3cret|other-value/);
    expect(await api.database.store.secrets.reveal(PROJECT, ["API_TOKEN", "NONE"])).toEqual(
      new Map([["API_TOKEN", "other-value"]]),
    );
    const { rows } = await api.database.pool.query("select sealed, version from punctual.secret");
    expect(rows[0].sealed.includes("other-value")).toBe(false);
    expect((await api.request("GET", "/secrets", { key: STRANGER_KEY })).body.items).toEqual([]);
    expect((await api.request("DELETE", "/secrets/API_TOKEN")).status).toBe(204);
    expect((await api.request("DELETE", "/secrets/API_TOKEN")).status).toBe(404);
    expect((await api.request("PUT", "/secrets/1bad", { body: { value: "x" } })).status).toBe(404);
    expect((await api.request("PUT", "/secrets/OK", { body: { value: "" } })).status).toBe(400);
  });

  test("a sealed value that is moved to another name does not open", async () => {
    await api.request("PUT", "/secrets/FIRST", { body: { value: "one" } });
    await api.request("PUT", "/secrets/SECOND", { body: { value: "two" } });
    await api.database.pool.query(
      "update punctual.secret set sealed = (select sealed from punctual.secret where name = 'FIRST') where name = 'SECOND'",
    );
    await expect(api.database.store.secrets.reveal(PROJECT, ["SECOND"])).rejects.toThrow(
      /changed or belongs to another place/,
    );
  });
});

test("signing keys are made, shown to admins only, and deleted", async () => {
  const made = await api.request("POST", "/signing-keys", { body: { name: "main" } });
  expect(made.status).toBe(201);
  expect(made.text).not.toContain("whsec_");
  expect((await api.request("POST", "/signing-keys", { body: { name: "main" } })).body.error.code).toBe("name_taken");
  const shown = await api.request("GET", `/signing-keys/${made.body.id}/secret`);
  expect(shown.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await api.request("GET", `/signing-keys/${made.body.id}/secret`, { key: READ_KEY })).status).toBe(403);
  expect((await api.request("GET", `/signing-keys/${made.body.id}/secret`, { key: STRANGER_KEY })).status).toBe(404);
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const imported = await api.request("POST", "/signing-keys", { body: { name: "imported", secret } });
  expect((await api.request("GET", `/signing-keys/${imported.body.id}/secret`)).body.secret).toBe(secret);
  expect((await api.request("POST", "/signing-keys", { body: { name: "x", secret: "whsec_short" } })).status).toBe(400);
  const names = (await api.request("GET", "/signing-keys")).body.items.map((key: { name: string }) => key.name);
  expect(names).toEqual(["imported", "main"]);
  expect(await api.database.store.signingKeys.revealAll(PROJECT, "imported")).toEqual([Buffer.alloc(24, 7)]);
  expect((await api.request("DELETE", `/signing-keys/${made.body.id}`)).status).toBe(204);
});

test("a target can be tried, unless it is refused", async () => {
  const tried = await api.request("POST", "/targets/test", {
    body: { target: { ...ECHO, completion: "callback" }, payload: { a: 1 } },
  });
  expect(tried.body).toMatchObject({ number: 1, outcome: "succeeded", response: { status: 200 } });
  expect(api.calls.at(-1)).toMatchObject({
    payload: { a: 1 },
    callbackUrl: null,
    job: { target: { completion: "response" } },
  });
  const refused = await api.request("POST", "/targets/test", {
    body: { target: { type: "http", url: "http://10.0.0.1/" } },
  });
  expect(refused.body.error.details[0].code).toBe("egress_denied");
});

test("a schedule is previewed from any moment, exclusively", async () => {
  const body = { schedule: { cron: "0 2 * * *", timezone: "Europe/Berlin" }, from: "2026-07-01T00:00:00Z", count: 2 };
  const { status, body: seen } = await api.request("POST", "/schedules/preview", { body });
  expect(status).toBe(200);
  expect(seen.instants.map((instant: { at: string }) => instant.at)).toEqual([
    "2026-07-02T00:00:00.000Z",
    "2026-07-03T00:00:00.000Z",
  ]);
  expect(seen.description).toMatch(/\S/);
  const bad = await api.request("POST", "/schedules/preview", { body: { schedule: { cron: "0 25 * * *" } } });
  expect(bad.body.error.details[0]).toMatchObject({ path: "schedule.cron", code: "invalid_cron", value: "0 25 * * *" });
  expect((await api.request("POST", "/schedules/preview", { body: { schedule: null } })).body.instants).toEqual([]);
});

test("the caller, the nodes, the metrics and the page at / are there", async () => {
  expect((await api.request("GET", "/me", { key: READ_KEY })).body).toMatchObject({
    name: "reader",
    project: { name: "default" },
    scopes: ["read"],
  });
  await api.database.store.nodes.join({
    id: api.database.nodeId,
    name: "n1",
    roles: ["api"],
    version: "1",
    concurrency: 5,
    leaseMs: 15_000,
  });
  expect((await api.request("GET", "/nodes")).body.items).toMatchObject([{ name: "n1", alive: true, running: 0 }]);
  const metrics = await api.request("GET", "//metrics");
  expect(metrics.text).toContain("# TYPE punctual_fires_total counter");
  expect((await api.request("GET", "//metrics", { key: READ_KEY })).status).toBe(403);
  const page = await api.request("GET", "//", { key: null });
  expect(page.text).toContain("<title>Punctual</title>");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const echo = await api.request("POST", "//dev/echo?a=1", { body: { hello: "world" }, key: null });
  expect(echo.body).toMatchObject({ method: "POST", query: { a: "1" }, body: { hello: "world" } });
});

test("the documentation page loads nothing from elsewhere", async () => {
  const page = await api.request("GET", "//docs/", { key: null });
  expect(page.status).toBe(200);
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source!);
  expect(sources.length).toBeGreaterThan(2);
  for (const source of sources) {
    expect(source).not.toMatch(/^(https?:)?\/\//);
    expect(
      (await api.request("GET", `//docs/${source.replace("./", "")}`.replace("/docs//docs/", "/docs/"), { key: null }))
        .status,
    ).toBe(200);
  }
  const policy = page.headers.get("content-security-policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:/);
});

test("health is answered to everybody, details to those with a key", async () => {
  for (const path of ["//health", "/health", "/health/ready", "/health/live"])
    expect((await api.request("GET", path, { key: null })).body).toEqual({ status: "ok", version: "0.0.0" });
  expect((await api.request("GET", "/health/detailed", { key: null })).status).toBe(401);
  const { body } = await api.request("GET", "/health/detailed");
  expect(body).toMatchObject({
    status: "ok",
    database: { reachable: true },
    queue: { due: 0, lagMs: 0 },
    nodes: { alive: 1 },
  });
  expect(Math.abs(body.clock.offsetMs)).toBeLessThan(5_000);
});
