import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import { buildApi } from "../../../src/api/server.ts";
import { KeyRing } from "../../../src/core/keyring.ts";
import { createPostgresStore } from "../../../src/store/postgres/store.ts";
import { ECHO, KEY, startApi } from "./api-server.ts";

test("without its database the API answers 503 with Retry-After, and health says so", async () => {
  const api = await startApi();
  const store = createPostgresStore({
    url: "postgres://nobody@127.0.0.1:1/nothing",
    listenUrl: null,
    prepared: true,
    connectionsMax: 2,
    nodeId: randomUUID(),
    keys: new KeyRing([Buffer.from(Array.from({ length: 32 }, (_, n) => n))]),
    horizonMs: 2_000,
    retentionMs: 86_400_000,
    tzdata: "x",
    onProblem: () => {},
  });
  const app = await buildApi({ ...api.deps, store }, API_DEFAULTS);
  const authorization = { authorization: `Bearer ${KEY}` };
  for (const request of [
    { method: "GET", url: "/api/v1/jobs" },
    { method: "POST", url: "/api/v1/jobs", payload: { name: "x", target: ECHO } },
    { method: "POST", url: "/api/v1/jobs", payload: { name: "x", target: ECHO }, headers: { "idempotency-key": "k" } },
    { method: "GET", url: `/api/v1/executions/${randomUUID()}` },
    { method: "GET", url: "/api/v1/stats" },
  ] as const) {
    const reply = await app.inject({
      ...request,
      headers: { ...authorization, ...("headers" in request ? request.headers : {}) },
    });
    expect([request.url, reply.statusCode, reply.headers["retry-after"]]).toEqual([request.url, 503, "1"]);
    expect(reply.json().error.code).toBe("unavailable");
  }
  expect((await app.inject({ url: "/api/v1/health/live" })).statusCode).toBe(200);
  expect((await app.inject({ url: "/api/v1/health/ready" })).statusCode).toBe(503);
  expect((await app.inject({ url: "/api/v1/health" })).json().status).toBe("unavailable");
  const detail = await app.inject({ url: "/api/v1/health/detailed", headers: authorization });
  expect(detail.json()).toMatchObject({ status: "unavailable", database: { reachable: false }, queue: null });
  await app.close();
  await store.close();
  await api.close();
});
