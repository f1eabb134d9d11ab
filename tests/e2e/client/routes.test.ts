// Every route has a method of the client, and what the method answers is what the route's schema says.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import type { Route } from "../../../src/api/route.ts";
import { apiRoutes } from "../../../src/api/server.ts";
import { type Execution, PunctualClient, reportCallback } from "../../../src/client/index.ts";
import { callbackToken } from "../../../src/core/callback-token.ts";
import { type ApiServer, KEY, startApi } from "../api/api-server.ts";
import { browserFetch } from "./browser-fetch.ts";

const target = { type: "http", url: "https://target.example/echo" } as const;

interface Given {
  client: PunctualClient;
  api: ApiServer;
  /** One that waits to be run. */
  scheduled(): Promise<Execution>;
  /** One that is over. */
  cancelled(): Promise<Execution>;
  /** The client of a page, once this new member has chosen a password. */
  signedIn(email: string): Promise<PunctualClient>;
}

const PASSWORD = "correct horse battery";

const CALLS: Record<string, (given: Given) => Promise<unknown>> = {
  "GET /api/v1/jobs": ({ client }) => client.jobs.list({ include: ["lastExecutions", "recent"] }),
  "GET /api/v1/job-counts": ({ client }) => client.jobs.counts({ tag: "x", q: "report" }),
  "POST /api/v1/jobs": ({ client }) => client.jobs.create({ name: "created", target, paused: true }),
  "GET /api/v1/jobs/:id": ({ client }) => client.jobs.get("report", { include: "recent" }),
  "PUT /api/v1/jobs/:id": ({ client }) => client.jobs.put("put", { target }, { source: "file:routes" }),
  "PATCH /api/v1/jobs/:id": ({ client }) => client.jobs.patch("report", { priority: 60 }),
  "DELETE /api/v1/jobs/:id": async ({ client }) => {
    await client.jobs.create({ name: "to-delete", target });
    return await client.jobs.delete("to-delete", { ifMatch: 1 });
  },
  "POST /api/v1/jobs/:id/pause": ({ client }) =>
    client.jobs.pause("report", { reason: "holidays", until: new Date(Date.now() + 60_000) }),
  "POST /api/v1/jobs/:id/resume": async ({ client }) => {
    await client.jobs.pause("report");
    return await client.jobs.resume("report");
  },
  "POST /api/v1/jobs/:id/trigger": ({ client }) => client.jobs.trigger("report", { payload: { a: 1 }, delay: "1h" }),
  "GET /api/v1/jobs/:id/next": ({ client }) => client.jobs.next("report", { from: new Date(), count: 3 }),
  "GET /api/v1/jobs/:id/stats": ({ client }) => client.jobs.stats("report", { window: "24h" }),
  "GET /api/v1/jobs/:id/series": ({ client }) => client.jobs.series("report", { window: "7d", points: 20 }),
  "GET /api/v1/jobs/:id/days": ({ client }) => client.jobs.days("report", { timezone: "Europe/Berlin", days: 7 }),
  "GET /api/v1/jobs/:id/executions": ({ client }) => client.jobs.executions("report", { limit: 1, state: "scheduled" }),
  "GET /api/v1/jobs/:id/versions": ({ client }) => client.jobs.versions("report"),
  "GET /api/v1/jobs/:id/versions/:n": ({ client }) => client.jobs.version("report", 1),
  "POST /api/v1/jobs/:id/versions/:n/restore": ({ client }) => client.jobs.restore("report", 1),
  "POST /api/v1/triggers": ({ client }) => client.triggers.create([{ job: "report", runAt: new Date() }]),
  "POST /api/v1/bulk/jobs": ({ client }) => client.bulk.jobs({ action: "pause", filter: { tag: ["x"] }, dryRun: true }),
  "POST /api/v1/bulk/executions": ({ client }) =>
    client.bulk.executions({ action: "cancel", filter: { from: new Date(0) }, dryRun: true }),
  "POST /api/v1/schedules/preview": ({ client }) =>
    client.schedules.preview({ schedule: { cron: "0 2 * * *", timezone: "Europe/Berlin" }, count: 2 }),
  "POST /api/v1/targets/test": ({ client }) => client.targets.test({ target, payload: { a: 1 } }),
  "GET /api/v1/executions": ({ client }) => client.executions.list({ from: new Date(0), include: ["payload"] }),
  "GET /api/v1/executions/counts": ({ client }) => client.executions.counts({ trigger: "manual" }),
  "GET /api/v1/executions/:id": async ({ client, scheduled }) => client.executions.get((await scheduled()).id),
  "POST /api/v1/executions/:id/cancel": async ({ client, scheduled }) =>
    client.executions.cancel((await scheduled()).id, { reason: "not today" }),
  "POST /api/v1/executions/:id/retry": async ({ client, cancelled }) =>
    client.executions.retry((await cancelled()).id, { version: "original" }),
  "GET /api/v1/executions/:id/logs": async ({ client, scheduled }) =>
    client.executions.logs((await scheduled()).id, { level: "info", limit: 10 }),
  "GET /api/v1/dead-letters": ({ client }) => client.deadLetters.list({ status: ["open", "retried"] }),
  "GET /api/v1/dead-letters/groups": ({ client }) => client.deadLetters.groups(),
  "POST /api/v1/dead-letters/retry": ({ client }) => client.deadLetters.retry({ filter: {}, dryRun: true }),
  "POST /api/v1/dead-letters/discard": ({ client }) => client.deadLetters.discard({ filter: {}, expected: 0 }),
  "POST /api/v1/callbacks/:token": async ({ api, scheduled }) => {
    const token = callbackToken((await scheduled()).id, crypto.randomUUID());
    const report = { outcome: "succeeded", result: { a: 1 } } as const;
    return await reportCallback(`${api.url}/api/v1/callbacks/${token}`, report, { fetch: watched });
  },
  "GET /api/v1/workers": ({ client }) => client.workers.list(),
  "PUT /api/v1/workers/:id": ({ client }) =>
    client.workers.register("registered", { handlers: [{ name: "h" }], lease: "1m" }),
  "GET /api/v1/workers/:id": ({ client }) => client.workers.get("w"),
  "POST /api/v1/workers/:id/claim": ({ client }) =>
    client.workers.claim("w", { requestId: "1", handlers: [{ name: "h", free: 1 }] }),
  "POST /api/v1/workers/:id/heartbeat": ({ client }) => client.workers.heartbeat("w", {}),
  "POST /api/v1/workers/:id/settle": ({ client }) =>
    client.workers.settle("w", [{ id: crypto.randomUUID(), token: "t", outcome: "failed", error: "no" }]),
  "POST /api/v1/workers/:id/logs": ({ client }) =>
    client.workers.log("w", [{ id: crypto.randomUUID(), token: "t", lines: [{ seq: 1, message: "hi" }] }]),
  "POST /api/v1/workers/:id/drain": ({ client }) => client.workers.drain("w"),
  "DELETE /api/v1/workers/:id": ({ client }) => client.workers.leave("leaver"),
  "GET /api/v1/handlers": ({ client }) => client.handlers.list(),
  "GET /api/v1/events": async ({ client }) => {
    const controller = new AbortController();
    const first = client.events.stream({ signal: controller.signal, types: "job.created" }).next();
    await vi.waitUntil(() => answers.length === 1);
    controller.abort();
    expect(await first).toEqual({ done: true, value: undefined });
  },
  "GET /api/v1/secrets": ({ client }) => client.secrets.list(),
  "PUT /api/v1/secrets/:name": ({ client }) => client.secrets.put("TOKEN", "value"),
  "DELETE /api/v1/secrets/:name": async ({ client }) => {
    await client.secrets.put("OLD_TOKEN", "value");
    return await client.secrets.delete("OLD_TOKEN");
  },
  "GET /api/v1/signing-keys": ({ client }) => client.signingKeys.list(),
  "POST /api/v1/signing-keys": ({ client }) => client.signingKeys.create({ name: "made" }),
  "GET /api/v1/signing-keys/:id/secret": async ({ client }) => {
    const { id } = await client.signingKeys.create({ name: "shown" });
    expect(await client.signingKeys.secret(id)).toMatch(/^whsec_/);
  },
  "POST /api/v1/signing-keys/:id/rotate": async ({ client }) => {
    const { id } = await client.signingKeys.create({ name: "rotated", use: "named" });
    return await client.signingKeys.rotate(id, { overlap: "1h" });
  },
  "DELETE /api/v1/signing-keys/:id": async ({ client }) => {
    const { id } = await client.signingKeys.create({ name: "deleted" });
    return await client.signingKeys.delete(id);
  },
  "GET /api/v1/api-keys": ({ client }) => client.apiKeys.list({ limit: 10 }),
  "POST /api/v1/api-keys": ({ client }) => client.apiKeys.create({ name: "made", scopes: ["read"], expiresIn: "1h" }),
  "POST /api/v1/api-keys/:id/rotate": async ({ client }) => {
    const { id } = await client.apiKeys.create({ name: "rotated", scopes: ["read"] });
    return await client.apiKeys.rotate(id, { overlap: "1h" });
  },
  "DELETE /api/v1/api-keys/:id": async ({ client }) => {
    const { id } = await client.apiKeys.create({ name: "deleted", scopes: ["read"] });
    return await client.apiKeys.delete(id);
  },
  "GET /api/v1/projects": ({ client }) => client.projects.list(),
  "POST /api/v1/projects": ({ client }) => client.projects.create({ name: "made" }),
  "GET /api/v1/projects/:id": ({ client }) => client.projects.get("default"),
  "PATCH /api/v1/projects/:id": async ({ client }) => {
    const { id } = await client.projects.create({ name: "before" });
    return await client.projects.rename(id, "after");
  },
  "DELETE /api/v1/projects/:id": async ({ client }) => {
    await client.projects.create({ name: "deleted" });
    return await client.projects.delete("deleted");
  },
  "GET /api/v1/members": ({ client }) => client.members.list({ limit: 10 }),
  "POST /api/v1/members": ({ client }) => client.members.add({ email: "new@example.com", role: "viewer" }),
  "PATCH /api/v1/members/:id": async ({ client }) => {
    const { id } = await client.members.add({ email: "changed@example.com", role: "viewer" });
    return await client.members.change(id, { role: "editor" });
  },
  "DELETE /api/v1/members/:id": async ({ client }) => {
    const { id } = await client.members.add({ email: "removed@example.com", role: "viewer" });
    return await client.members.remove(id);
  },
  "GET /api/v1/audit": ({ client }) => client.audit.list({ action: ["job", "member.add"], from: new Date(0) }),
  "GET /api/v1/auth/ways": ({ client }) => client.auth.ways(),
  "POST /api/v1/auth/setup": ({ signedIn }) => signedIn("set-up@example.com"),
  "POST /api/v1/auth/login": async ({ signedIn }) => {
    const page = await signedIn("login@example.com");
    return await page.auth.login({ email: "login@example.com", password: PASSWORD });
  },
  "POST /api/v1/auth/logout": async ({ signedIn }) => (await signedIn("logout@example.com")).auth.logout(),
  "GET /api/v1/sessions": async ({ signedIn }) => (await signedIn("sessions@example.com")).sessions.list(),
  "DELETE /api/v1/sessions/:id": async ({ signedIn }) => {
    const page = await signedIn("session@example.com");
    return await page.sessions.revoke((await page.sessions.list()).items[0]!.id);
  },
  "POST /api/v1/me/password": async ({ signedIn }) => {
    const page = await signedIn("password@example.com");
    return await page.changePassword({ current: PASSWORD, password: `another ${PASSWORD}` });
  },
  "GET /api/v1/stats": ({ client }) => client.stats({ window: "1h" }),
  "GET /api/v1/stats/series": ({ client }) => client.statsSeries({ window: "1h", points: 12 }),
  "GET /api/v1/stats/failing": ({ client }) => client.failing({ window: "24h", limit: 5 }),
  "GET /api/v1/timeline": ({ client }) => client.timeline({ from: new Date(), state: ["active", "paused"], limit: 5 }),
  "GET /api/v1/nodes": ({ client }) => client.nodes(),
  "GET /api/v1/me": ({ client }) => client.me(),
  "GET /api/v1/health/live": ({ client }) => client.health.live(),
  "GET /api/v1/health/ready": ({ client }) => client.health.ready(),
  "GET /api/v1/health/detailed": ({ client }) => client.health.detailed(),
  "GET /metrics": ({ client }) => client.metrics(),
  "GET /openapi.json": ({ client }) => client.openapi(),
};

/** Pages for people, other names of the same, and what only `punctual dev` has. */
const NOT_FOR_CLIENTS =
  /^GET \/$|^GET \/assets\/|^GET \/api\/v1\/auth\/oidc(\/callback)?$|^GET (\/api\/v1)?\/health$|^GET \/health\/|^\w+ \/dev\/echo$/;

let api: ApiServer;
let routes: Map<string, Route>;
let given: Given;
let answers: { method: string; path: string; status: number; body: unknown }[] = [];

beforeAll(async () => {
  api = await startApi({ completeCallback: async () => "accepted" });
  routes = new Map(apiRoutes(api.deps, API_DEFAULTS).map((route) => [`${route.method} ${route.path}`, route]));
  const client = new PunctualClient({ url: api.url, key: KEY });
  await client.jobs.create({ name: "report", schedule: { cron: "0 2 * * *" }, target });
  for (const id of ["w", "leaver"]) await client.workers.register(id, { handlers: [{ name: "h" }] });
  given = {
    api,
    client: new PunctualClient({ url: api.url, key: KEY, fetch: watched }),
    scheduled: () => client.jobs.trigger("report", { delay: "1h" }),
    signedIn: async (email) => {
      const { link } = await client.members.add({ email, role: "viewer" });
      const page = new PunctualClient({ url: api.url, fetch: browserFetch(watched) });
      await page.auth.setup({ token: link!.split("=")[1]!, password: PASSWORD });
      return page;
    },
    cancelled: async () => client.executions.cancel((await client.jobs.trigger("report", { delay: "1h" })).id),
  };
});
afterAll(async () => await api.close());

/** The call, with what was answered kept. */
const watched: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const path = new URL(String(input)).pathname;
  const body = isJson ? await response.clone().json() : undefined;
  answers.push({ method: init?.method ?? "GET", path, status: response.status, body });
  return response;
};

test("every route that is served has a method of the client, and no method is for a route that is not", async () => {
  const { paths } = (await given.client.openapi()) as { paths: Record<string, Record<string, unknown>> };
  const served = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ":$1")}`),
  );
  const meant = served.filter((route) => !NOT_FOR_CLIENTS.test(route));
  expect(Object.keys(CALLS).toSorted()).toEqual([...meant, "GET /openapi.json"].toSorted());
});

test("docs/client.md has every method", () => {
  const manual = readFileSync(new URL("../../../docs/client.md", import.meta.url), "utf8");
  const named = new Set([...manual.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const methods = Object.values(given.client).flatMap((part) => methodsOf(part as object));
  expect([...methods, ...methodsOf(given.client)].filter((method) => !named.has(method))).toEqual([]);
  expect(methods.length).toBeGreaterThan(50);
});

function methodsOf(part: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== "constructor");
}

describe("the method for", () => {
  test.each(Object.keys(CALLS))("%s calls it, and is answered as the route's schema says", async (key) => {
    answers = [];
    await CALLS[key]!(given);
    const [method, path] = key.split(" ") as [string, string];
    const pattern = new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}$`);
    const answer = answers.findLast((each) => each.method === method && pattern.test(each.path));
    expect(answer, `none of ${answers.map((each) => `${each.method} ${each.path}`)} is it`).toBeDefined();
    expect(answer!.status).toBeLessThan(300);
    const schema = routes.get(key)?.responses[answer!.status]?.schema;
    if (schema !== undefined && answer!.body !== undefined)
      expect(schema.safeParse(answer!.body).error?.issues ?? []).toEqual([]);
  });
});
