import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import { buildApi } from "../../../src/api/server.ts";
import type { LogLevel, LogLine } from "../../../src/contract/log.ts";
import type { Claimed } from "../../../src/store/port/queue.ts";
import { type EventStream, openEventStream } from "../../support/event-stream.ts";
import { claim, createJob, failed, PROJECT, succeeded, triggerJob } from "../../support/store.ts";
import { type ApiServer, ECHO, KEY, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

async function running(): Promise<Claimed> {
  const { store, nodeId } = api.database;
  const id = await triggerJob(store, await createJob(store));
  return (await claim(store, nodeId)).claimed.find((one) => one.id === id)!;
}

async function executionOf(key: string): Promise<string> {
  const body = { name: `job-${randomUUID()}`, target: ECHO };
  const made = await api.request("POST", "/jobs", { key, body });
  return (await api.request("POST", `/jobs/${made.body.id}/trigger`, { key, body: { delay: "1h" } })).body.id;
}

async function say({ id, claim }: Claimed, from: number, to: number, level: LogLevel = "info"): Promise<void> {
  const lines = Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    level,
    message: `line ${from + index}`,
    fields: null,
  }));
  expect(await api.database.store.logs.append([{ id, claim, lines }])).toMatchObject({ dropped: 0 });
}

async function settle(one: Claimed): Promise<void> {
  await api.database.store.queue.settleFinal([succeeded(one)]);
}

const follow = (id: string, query = "", headers: Record<string, string> = {}) =>
  openEventStream(`${api.url}/api/v1/executions/${id}/logs${query}`, { key: KEY, headers });

const linesOf = (stream: EventStream) => stream.events("log").map(({ data }) => data as LogLine);

test("a log is read page by page, oldest first", async () => {
  const one = await running();
  await say(one, 1, 5);
  const seqs: number[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages += 1) {
    expect(pages).toBeLessThan(4);
    const { status, body } = await api.request(
      "GET",
      `/executions/${one.id}/logs?limit=2${cursor === "" ? "" : `&after=${cursor}`}`,
    );
    expect(status).toBe(200);
    seqs.push(...body.items.map(({ seq }: LogLine) => seq));
    cursor = body.nextCursor;
  }
  expect(seqs).toEqual([1, 2, 3, 4, 5]);
  const { body } = await api.request("GET", `/executions/${one.id}/logs`);
  expect(body.nextCursor).toBeNull();
  expect(body.items[0]).toEqual({
    attempt: 1,
    seq: 1,
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    level: "info",
    message: "line 1",
    fields: null,
  });
});

test("it is read after a line, however that is named, from a level up, and by those who may only read", async () => {
  const one = await running();
  await say(one, 1, 3);
  await say(one, 4, 4, "error");
  const seqs = async (query: string) =>
    (await api.request("GET", `/executions/${one.id}/logs?${query}`, { key: READ_KEY })).body.items.map(
      ({ seq }: LogLine) => seq,
    );
  expect(await seqs("after=2")).toEqual([3, 4]);
  expect(await seqs("after=1.2")).toEqual([3, 4]);
  expect(await seqs("cursor=1.2")).toEqual([3, 4]);
  expect(await seqs("after=2.1")).toEqual([]);
  expect(await seqs("level=warn")).toEqual([4]);
  expect(await seqs("limit=1000")).toEqual([1, 2, 3, 4]);
});

test("the lines of all attempts follow each other", async () => {
  const { store, nodeId } = api.database;
  const one = await running();
  await say(one, 1, 2);
  const { attempt } = failed(one);
  await store.queue.settleRetry([{ id: one.id, claim: one.claim, jobId: one.jobId, delayMs: 0, attempt }]);
  const again = (await claim(store, nodeId)).claimed.find(({ id }) => id === one.id)!;
  await say(again, 1, 2);
  const { body } = await api.request("GET", `/executions/${one.id}/logs?after=1.1&limit=2`);
  expect(body.items.map(({ attempt, seq }: LogLine) => [attempt, seq])).toEqual([
    [1, 2],
    [2, 1],
  ]);
  expect(body.nextCursor).toBe("2.1");
});

test("an execution that is not there, or not in the project, has no log to read or to follow", async () => {
  const one = await running();
  const sse = { accept: "text/event-stream" };
  expect((await api.request("GET", `/executions/${randomUUID()}/logs`)).status).toBe(404);
  expect((await api.request("GET", `/executions/${one.id}/logs`, { key: STRANGER_KEY })).status).toBe(404);
  expect((await api.request("GET", "/executions/nonsense/logs")).status).toBe(404);
  expect((await api.request("GET", `/executions/${randomUUID()}/logs`, { headers: sse })).status).toBe(404);
  expect((await api.request("GET", `/executions/${one.id}/logs`, { key: STRANGER_KEY, headers: sse })).status).toBe(
    404,
  );
});

test.each([
  ["after=nonsense", "after", "nonsense"],
  ["after=1.2.3", "after", "1.2.3"],
  ["after=-1", "after", "-1"],
  ["after=99999999999", "after", "99999999999"],
  ["cursor=x", "cursor", "x"],
  ["level=loud", "level", "loud"],
  ["limit=0", "limit", "0"],
  ["limit=1001", "limit", "1001"],
])("%s is refused, naming the field and the value", async (query, path, value) => {
  const one = await running();
  for (const accept of ["application/json", "text/event-stream"]) {
    const { status, body } = await api.request("GET", `/executions/${one.id}/logs?${query}`, { headers: { accept } });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "validation_failed", details: [{ path, value }] });
  }
});

test("who follows hears what was said, then what is said, and the end with its state", async () => {
  const one = await running();
  await say(one, 1, 600);
  const follower = await follow(one.id);
  expect(follower.response.headers.get("content-type")).toBe("text/event-stream");
  await follower.until(() => linesOf(follower).length === 600);
  await say(one, 601, 602);
  await follower.until(
    () => linesOf(follower).length === 602 && follower.heard.some(({ comment }) => comment === "ping"),
  );
  await say(one, 603, 603);
  await settle(one);
  await follower.ended;
  expect(linesOf(follower).map(({ seq }) => seq)).toEqual(Array.from({ length: 603 }, (_, index) => index + 1));
  expect(follower.heard.find(({ event }) => event === "log")).toMatchObject({
    id: "1.1",
    data: { attempt: 1, seq: 1 },
  });
  expect(follower.heard.at(-1)).toEqual({ event: "end", data: { state: "succeeded" } });
});

test("who comes back with the last id hears the rest; of an execution that is over, all at once", async () => {
  const one = await running();
  await say(one, 1, 3);
  await say(one, 4, 4, "warn");
  await settle(one);
  const seqs = async (query: string, headers = {}) => {
    const follower = await follow(one.id, query, headers);
    await follower.ended;
    expect(follower.heard.at(-1)).toMatchObject({ event: "end" });
    return linesOf(follower).map(({ seq }) => seq);
  };
  expect(await seqs("")).toEqual([1, 2, 3, 4]);
  expect(await seqs("", { "last-event-id": "1.2" })).toEqual([3, 4]);
  expect(await seqs("?after=1", { "last-event-id": "1.3" })).toEqual([4]);
  expect(await seqs("?after=3")).toEqual([4]);
  expect(await seqs("?level=warn")).toEqual([4]);
  const { status, body } = await api.request("GET", `/executions/${one.id}/logs`, {
    headers: { accept: "text/event-stream", "last-event-id": "long ago" },
  });
  expect(status).toBe(400);
  expect(body.error.details).toMatchObject([{ path: "last-event-id", value: "long ago" }]);
});

test("who follows an execution that waits for its turn hears it from its beginning", async () => {
  const { store, nodeId } = api.database;
  const id = await triggerJob(store, await createJob(store), { delayMs: 1_500 });
  const follower = await follow(id);
  await follower.until(() => follower.heard.some(({ comment }) => comment === "ping"));
  const one = await vi.waitUntil(async () => (await claim(store, nodeId)).claimed.find((each) => each.id === id), {
    timeout: 20_000,
  });
  await say(one, 1, 1);
  await settle(one);
  await follower.ended;
  expect(linesOf(follower)).toHaveLength(1);
});

test("an execution that is cancelled while it is followed ends the stream", async () => {
  const one = await running();
  const follower = await follow(one.id);
  expect((await api.request("POST", `/executions/${one.id}/cancel`)).status).toBe(200);
  await follower.ended;
  expect(follower.heard.at(-1)).toEqual({ event: "end", data: { state: "cancelled" } });
});

test("a node serves only so many followers of a project, and those who go away make room", async () => {
  const app = await buildApi(api.deps, { ...API_DEFAULTS, eventLoopDelayMsMax: 0, logFollowersMax: 4 });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const { id: ours } = await running();
  const begin = async (key = KEY, id = ours) => {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
    const response = await fetch(`${url}/api/v1/executions/${id}/logs`, { headers, signal: abort.signal });
    return { response, status: response.status, close: () => abort.abort() };
  };
  const open = [await begin(), await begin()];
  expect(open.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await begin();
  expect(refused.status).toBe(503);
  expect(refused.response.headers.get("retry-after")).toBe("1");
  expect(await refused.response.json()).toMatchObject({ error: { code: "unavailable" } });
  const theirs = await executionOf(STRANGER_KEY);
  expect((await begin(STRANGER_KEY, theirs)).status).toBe(200);
  open[0]!.close();
  await vi.waitUntil(async () => (await begin()).status === 200, { timeout: 20_000 });
});

test("a server that closes ends those who follow", async () => {
  const other = await startApi();
  const { store, nodeId } = other.database;
  const id = await triggerJob(store, await createJob(store));
  await claim(store, nodeId);
  const response = await fetch(`${other.url}/api/v1/executions/${id}/logs`, {
    headers: { authorization: `Bearer ${KEY}`, accept: "text/event-stream" },
  });
  const ended = response.text();
  await other.app.close();
  expect(await ended).not.toContain("event: end");
  await other.database.close();
});

test("the end is told after the last line, however closely they follow each other", async () => {
  for (let round = 0; round < 10; round += 1) {
    const one = await running();
    const follower = await follow(one.id);
    await say(one, 1, 20);
    await settle(one);
    await follower.ended;
    expect(linesOf(follower)).toHaveLength(20);
    expect(await api.database.store.logs.read(PROJECT, one.id, { after: null, level: "info", limit: 1 })).toMatchObject(
      {
        state: "succeeded",
      },
    );
  }
});
