// Nodes with one role each, as real processes over one database: what none of them can do alone, they do together.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ADMIN_KEY, startNodesForFile, type TestNode } from "../support/nodes.ts";
import { startTarget } from "../support/target.ts";

/** Far above what is promised (200 ms), so that a busy machine does not fail; what was measured is printed. */
const PROMPT_MS_MAX = 2_000;
/** What was started before the pause was answered may arrive after it. */
const CALL_MS_MAX = 900;
const WAIT = { timeout: 15_000, interval: 20 };
const TRIGGERS = 5;

interface Listed {
  items: { name: string; roles: string[]; alive: boolean }[];
}

interface Fetched {
  state: string;
  trigger: string;
  attempts: { outcome: string; node: string }[];
}

let nodes: Record<"api" | "planner" | "dispatcher", TestNode>;
beforeAll(async () => {
  const started = await startNodesForFile({
    api: { roles: "api" },
    planner: { roles: "planner" },
    dispatcher: { roles: "dispatcher" },
  });
  nodes = started.nodes;
  return started.end;
});

async function createJob(api: TestNode, name: string, url: string, schedule: object | null = null): Promise<void> {
  await api.insist("PUT", `/jobs/${name}`, { schedule, target: { type: "http", url } });
}

/** What a node answers once it is not too busy, as with its own start on a slow machine. */
async function read<Body>(node: TestNode, path: string): Promise<Body> {
  const { body } = await vi.waitUntil(async () => {
    const answer = await node.api<Body>("GET", path);
    return answer.status === 503 ? null : answer;
  }, WAIT);
  return body;
}

async function execution(api: TestNode, id: unknown): Promise<Fetched> {
  return await read<Fetched>(api, `/executions/${id}`);
}

test("a planner, a dispatcher and an api node run together what is scheduled and what is triggered, promptly", async () => {
  const { api, dispatcher } = nodes;
  const target = await startTarget();
  await createJob(api, "each-second", `${target.url}/ok`, { every: "1s" });
  await createJob(api, "by-hand", `${target.url}/ok`);
  const delays: number[] = [];
  for (let n = 0; n < TRIGGERS; n += 1) {
    const asked = Date.now();
    const { id } = await api.insist("POST", "/jobs/by-hand/trigger");
    const call = await vi.waitUntil(() => target.calls().find((seen) => seen.id === id), WAIT);
    delays.push(call.in - asked);
    await vi.waitUntil(async () => (await execution(api, id)).state === "succeeded", WAIT);
    const { trigger, attempts } = await execution(api, id);
    expect({ trigger, attempts }).toMatchObject({
      trigger: "manual",
      attempts: [{ outcome: "succeeded", node: dispatcher.name }],
    });
  }
  console.log(`from the trigger on one node to the call by another: ${delays.join(", ")} ms`);
  expect(Math.max(...delays)).toBeLessThan(PROMPT_MS_MAX);

  const scheduled = () => target.calls().filter(({ job }) => job === "each-second");
  await vi.waitUntil(() => scheduled().length >= 2, WAIT);
  for (const call of scheduled()) expect(call.in).toBeGreaterThanOrEqual(Date.parse(call.scheduledAt));
  expect(new Set(scheduled().map(({ id }) => id)).size).toBe(scheduled().length);

  // A change acts on the other nodes too: the paused job is not called while another fires on.
  await api.insist("POST", "/jobs/each-second/pause");
  const paused = Date.now();
  await createJob(api, "goes-on", `${target.url}/ok`, { every: "1s" });
  await vi.waitUntil(() => target.calls().filter(({ job }) => job === "goes-on").length >= 3, WAIT);
  expect(scheduled().filter((call) => call.in > paused + CALL_MS_MAX)).toEqual([]);

  for (const node of Object.values(nodes)) expect(node.complaints(), node.name).toEqual([]);
  // Its target is gone in a moment.
  await vi.waitUntil(async () => (await api.api("DELETE", "/jobs/goes-on")).status === 204, WAIT);
});

test("a cancel asked of the api node aborts the call that the dispatcher node has under way", async () => {
  const { api } = nodes;
  const hanging = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void hanging.close());
  await once(hanging, "listening");
  await createJob(api, "hangs", `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`);
  const arrived = once(hanging, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const { id } = await api.insist("POST", "/jobs/hangs/trigger");
  const [, response] = await arrived;
  const gone = once(response, "close");
  const asked = performance.now();
  await api.insist("POST", `/executions/${id}/cancel`);
  await gone;
  const ms = Math.round(performance.now() - asked);
  console.log(`from the cancel on one node to the end of the call by another: ${ms} ms`);
  expect(ms).toBeLessThan(PROMPT_MS_MAX);
  await vi.waitUntil(async () => (await execution(api, id)).state === "cancelled", WAIT);
});

test("all nodes are listed with their roles until they leave, and each answers for its own health and metrics", async () => {
  const { api, planner, dispatcher } = nodes;
  const listed = (await read<Listed>(api, "/nodes")).items.map(({ name, roles, alive }) => ({ name, roles, alive }));
  expect(listed.sort((a, b) => a.name.localeCompare(b.name))).toEqual(
    ["api", "dispatcher", "planner"].map((role) => ({ name: role, roles: [role], alive: true })),
  );
  for (const node of Object.values(nodes)) {
    for (const path of ["/health", "/health/live", "/health/ready"])
      for (const prefix of ["", "/api/v1"]) expect(await status(`${node.url}${prefix}${path}`), node.name).toBe(200);
    expect(await status(`${node.url}/metrics`, ADMIN_KEY), node.name).toBe(200);
    expect(await status(`${node.url}/metrics`), node.name).toBe(401);
    expect(await node.metric("process_resident_memory_bytes"), node.name).toBeGreaterThan(0);
  }
  for (const { url, name } of [planner, dispatcher]) {
    expect(await status(`${url}/api/v1/jobs`, ADMIN_KEY), name).toBe(404);
    expect([401, 404], name).toContain(await status(`${url}/api/v1/jobs`));
  }

  expect(await planner.stop()).toMatchObject({ code: 0 });
  await vi.waitUntil(async () => {
    const { items } = await read<Listed>(api, "/nodes");
    return items.every(({ name, alive }) => alive === (name !== planner.name));
  }, WAIT);
  for (const node of [dispatcher, api]) expect(await node.stop(), node.name).toMatchObject({ code: 0 });
});

/** Of a node that is not busy with its own start any more. */
async function status(url: string, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return await vi.waitUntil(async () => {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.status === 503 ? null : response.status;
  }, WAIT);
}
