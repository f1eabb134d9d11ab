// The client against a real server: what only the two together can show.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type LogLine,
  PunctualApiError,
  PunctualClient,
  type StreamedEvent,
  type StreamReset,
} from "../../../src/client/index.ts";
import { type ApiServer, KEY, READ_KEY, startApi } from "../api/api-server.ts";

const target = { type: "worker", handler: "report" } as const;
const WAIT = { timeout: 20_000, interval: 20 };

let api: ApiServer;
let client: PunctualClient;
beforeAll(async () => {
  api = await startApi();
  client = new PunctualClient({ url: api.url, key: KEY });
});
afterAll(async () => await api.close());

/** Does the work and loses the answer, so often. */
function losing(answers: number): typeof fetch {
  let left = answers;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (left-- <= 0) return response;
    await response.arrayBuffer();
    throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") });
  };
}

describe("a call whose answer was lost", () => {
  test("has its effect once, and the answer is the first one", async () => {
    const job = await client.jobs.create({ name: "lost-answers", target });
    const unlucky = new PunctualClient({ url: api.url, key: KEY, fetch: losing(2) });
    const { deduplicated, id } = await unlucky.jobs.trigger("lost-answers", { delay: "1h" });
    expect(deduplicated).toBe(false);
    expect((await client.executions.list({ jobId: job.id })).items.map((execution) => execution.id)).toEqual([id]);
  });

  test("and deleted something is done", async () => {
    await client.jobs.create({ name: "lost-delete", target });
    const unlucky = new PunctualClient({ url: api.url, key: KEY, fetch: losing(1) });
    await expect(unlucky.jobs.delete("lost-delete")).resolves.toBeUndefined();
    await expect(client.jobs.get("lost-delete")).rejects.toMatchObject({ code: "not_found" });
  });

  test("and changed a version that it named is refused: whoever named it looks again", async () => {
    await client.jobs.create({ name: "lost-patch", target });
    const unlucky = new PunctualClient({ url: api.url, key: KEY, fetch: losing(1) });
    const patch = unlucky.jobs.patch("lost-patch", { priority: 9 }, { ifMatch: 1 });
    await expect(patch).rejects.toMatchObject({ status: 412, code: "version_mismatch" });
    expect(await client.jobs.get("lost-patch")).toMatchObject({ version: 2, priority: 9 });
  });
});

describe("jobs", () => {
  test("are all read, however many pages they have", async () => {
    const names = Array.from({ length: 7 }, (_, index) => `page-${index}`);
    await Promise.all(names.map((name) => client.jobs.create({ name, target, tags: ["pages"] })));
    const read: string[] = [];
    for await (const { name } of client.jobs.all({ tag: "pages", sort: "name", limit: 3 })) read.push(name);
    expect(read).toEqual(names);
  });

  test("can be written back as they were read, which is no change", async () => {
    const job = await client.jobs.create({ name: "written-back", schedule: { every: "1h" }, target });
    const again = await client.jobs.put("written-back", job, { ifMatch: job.version });
    expect(again.version).toBe(job.version);
  });

  test("are not changed by whoever saw an older version", async () => {
    const { version } = await client.jobs.create({ name: "contended", target });
    await client.jobs.patch("contended", { priority: 1 }, { ifMatch: version });
    const late = client.jobs.put("contended", { target }, { ifMatch: version });
    await expect(late).rejects.toMatchObject({ status: 412, code: "version_mismatch" });
  });

  test("are tried out without being made", async () => {
    const tried = await client.jobs.create({ name: "dry", target }, { dryRun: true });
    expect(tried).toMatchObject({ name: "dry", version: 1 });
    await expect(client.jobs.get("dry")).rejects.toMatchObject({ code: "not_found" });
  });

  test("are refused with every field that is wrong", async () => {
    const error = await client.jobs
      .create({ name: "bad", target, priority: 101, schedule: { cron: "0 0 30 2 *" } })
      .catch((error: unknown) => error as PunctualApiError);
    expect(error).toBeInstanceOf(PunctualApiError);
    expect((error as PunctualApiError).details).toEqual([expect.objectContaining({ path: "priority" })]);
    expect((error as PunctualApiError).requestId).toMatch(/\S/);
  });

  test("triggered twice with a key run once", async () => {
    await client.jobs.create({ name: "keyed", target });
    const first = await client.jobs.trigger("keyed", { key: "order-7", delay: "1h" });
    const second = await client.jobs.trigger("keyed", { key: "order-7", delay: "1h" });
    expect([first.deduplicated, second.deduplicated, second.id]).toEqual([false, true, first.id]);
  });
});

test("a key that may not do something is told what it may", async () => {
  const reader = new PunctualClient({ url: api.url, key: READ_KEY });
  await expect(reader.jobs.delete("keyed")).rejects.toThrow(
    'DELETE /api/v1/jobs/keyed was answered with 403 forbidden: this needs the scope "write"',
  );
});

test("an execution is waited for and its log followed until a worker has settled it", async () => {
  await client.jobs.create({ name: "followed", target: { type: "worker", handler: "followed" } });
  const { id } = await client.jobs.trigger("followed");
  const settled = client.executions.waitFor(id, { timeoutMs: 50_000 });
  const lines: LogLine[] = [];
  const followed = (async () => {
    for await (const line of client.executions.followLogs(id)) lines.push(line);
  })();
  await client.workers.register("follower", { handlers: [{ name: "followed" }] });
  const claim = { requestId: "1", handlers: [{ name: "followed", free: 1 }], waitMs: 20_000 };
  const [held] = await client.workers.claim("follower", claim);
  const { token } = held!;
  expect(await client.workers.claim("follower", claim)).toMatchObject([{ id, token }]);
  await client.workers.log("follower", [{ id, token, lines: [{ seq: 1, message: "begun" }] }]);
  await vi.waitUntil(() => lines.length === 1, WAIT);
  await client.workers.log("follower", [{ id, token, lines: [{ seq: 2, level: "warn", message: "half" }] }]);
  expect(await client.workers.settle("follower", [{ id, token, outcome: "succeeded", result: { pages: 3 } }])).toEqual([
    { id, accepted: true, reason: null },
  ]);
  expect(await settled).toMatchObject({ state: "succeeded", result: { pages: 3 } });
  await followed;
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual(["info begun", "warn half"]);
  const after: string[] = [];
  for await (const { message } of client.executions.followLogs(id, { after: "1.1" })) after.push(message);
  expect(after).toEqual(["half"]);
  const all: string[] = [];
  for await (const { message } of client.executions.allLogs(id, { limit: 1 })) all.push(message);
  expect(all).toEqual(["begun", "half"]);
});

test("a stream of events goes on at another node when its own ends", async () => {
  const nodes = [await startApi({ beside: api }), await startApi({ beside: api })] as const;
  let current: ApiServer = nodes[0];
  const balanced: typeof fetch = (input, init) => fetch(String(input).replace(nodes[0].url, current.url), init);
  const listener = new PunctualClient({ url: nodes[0].url, key: KEY, fetch: balanced });
  const controller = new AbortController();
  const told: (StreamedEvent | StreamReset)[] = [];
  const listening = (async () => {
    for await (const event of listener.events.stream({ types: "job.created", signal: controller.signal }))
      told.push(event);
  })();
  // Whether a listener is heard of is only seen by what it is told.
  const made = new Set<string>();
  const tellOne = async () => {
    const before = told.length;
    for (let tries = 0; told.length === before && tries < 100; tries += 1) {
      made.add((await client.jobs.create({ name: `told-${crypto.randomUUID()}`, target })).id);
      await vi.waitUntil(() => told.length > before, { timeout: 500 }).catch(() => {});
    }
    expect(told.length).toBeGreaterThan(before);
  };
  await tellOne();
  current = nodes[1];
  await nodes[0].close();
  await tellOne();
  controller.abort();
  await listening;
  await nodes[1].close();
  for (const event of told) if (event.type !== "reset") expect(made).toContain(event.data.jobId);
});
