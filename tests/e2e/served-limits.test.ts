// The settings of the limits reach the program that is served.
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { startNode, type TestNode } from "../support/nodes.ts";

const ORIGIN = "https://console.example.com";
const ECHO = { type: "http", url: "https://target.example/" };

async function serve(env: Record<string, string>): Promise<TestNode> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return await startNode({ databaseUrl: url, env });
}

test("requests are limited, by key and by wrong keys", async () => {
  const node = await serve({ PUNCTUAL_RATE_LIMIT: "3" });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) statuses.push((await node.api("GET", "/me")).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const wrong = { authorization: `Bearer ${"wrong-".repeat(6)}` };
  const guess = async () => (await node.api("GET", "/me", undefined, wrong)).status;
  const guesses: number[] = [];
  while (guesses.length < 601) guesses.push(...(await Promise.all(Array.from({ length: 50 }, guess))));
  expect(guesses.filter((status) => status === 401)).toHaveLength(600);
  expect(new Set(guesses)).toEqual(new Set([401, 429]));
  expect((await node.api("GET", "/health")).status).toBe(200);
});

test("jobs, their intervals, origins and https are as the operator says", async () => {
  const node = await serve({
    PUNCTUAL_JOBS_MAX: "1",
    PUNCTUAL_MIN_INTERVAL: "1m",
    PUNCTUAL_CORS_ORIGINS: ORIGIN,
    PUNCTUAL_PUBLIC_URL: "https://punctual.example.com",
  });
  const often = await node.api("PUT", "/jobs/one", { target: ECHO, schedule: { every: "59s" } });
  expect(often).toMatchObject({ status: 400, body: { error: { details: [{ code: "too_often" }] } } });
  expect((await node.api("PUT", "/jobs/one", { target: ECHO, schedule: { every: "1m" } })).status).toBe(201);
  const second = await node.api("PUT", "/jobs/two", { target: ECHO });
  expect(second).toMatchObject({ status: 409, body: { error: { code: "limit_reached" } } });
  const { headers } = await fetch(`${node.url}/api/v1/health`, { headers: { origin: ORIGIN } });
  expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
});
