import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, KEY, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

interface Heard {
  id?: string;
  event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  data?: any;
  comment?: string;
}

/** A listener that keeps all it hears. */
async function listen(query = "", headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`${api.url}/api/v1/events${query}`, {
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    signal: abort.signal,
  });
  const heard: Heard[] = [];
  const ended = (async () => {
    let rest = "";
    for await (const chunk of response.body!) {
      const blocks = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = blocks.pop()!;
      heard.push(...blocks.map(parse));
    }
  })().catch(() => {});
  const until = async (wanted: (heard: Heard[]) => boolean) => {
    for (let tries = 0; tries < 500 && !wanted(heard); tries += 1) await sleep(10);
    expect(wanted(heard), JSON.stringify(heard)).toBe(true);
  };
  return { response, heard, until, ended, close: () => abort.abort() };
}

function parse(block: string): Heard {
  const heard: Heard = {};
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) heard.comment = line.slice(1).trim();
    else if (line.startsWith("data:")) heard.data = JSON.parse(line.slice(5));
    else if (line.startsWith("id:")) heard.id = line.slice(3).trim();
    else if (line.startsWith("event:")) heard.event = line.slice(6).trim();
  }
  return heard;
}

const events = (heard: Heard[]) => heard.filter(({ event }) => event !== undefined);

test("what happens is told as it happens, and a ping shows that the line is open", async () => {
  const listener = await listen();
  expect(listener.response.headers.get("content-type")).toBe("text/event-stream");
  const { body: job } = await api.request("POST", "/jobs", { body: { name: "told", target: ECHO } });
  const { body: execution } = await api.request("POST", "/jobs/told/trigger", { body: { delay: "1h" } });
  await api.request("POST", `/executions/${execution.id}/cancel`);
  await api.request("PATCH", "/jobs/told", { body: { priority: 1 } });
  await api.request("PATCH", "/jobs/told", { body: { priority: 1 } });
  await api.request("POST", "/jobs/told/pause");
  await api.request("POST", "/jobs/told/resume");
  await api.request("DELETE", "/jobs/told");
  await listener.until((heard) => events(heard).length >= 7 && heard.some(({ comment }) => comment === "ping"));
  expect(events(listener.heard).map(({ event }) => event)).toEqual([
    "job.created",
    "execution.scheduled",
    "execution.cancelled",
    "job.updated",
    "job.paused",
    "job.resumed",
    "job.deleted",
  ]);
  expect(events(listener.heard)[1]!.data).toMatchObject({
    type: "execution.scheduled",
    projectId: job.id && expect.any(String),
    data: { jobId: job.id, executionId: execution.id, state: "scheduled" },
  });
  listener.close();
});

test("a listener hears what it asked for and nothing of other projects", async () => {
  const { body: job } = await api.request("POST", "/jobs", { body: { name: "filtered", target: ECHO } });
  const byType = await listen("?types=job.paused,job.resumed");
  const byJob = await listen(`?jobId=${job.id}`);
  const stranger = await listen("", { authorization: `Bearer ${STRANGER_KEY}` });
  await api.request("POST", "/jobs", { body: { name: "other", target: ECHO } });
  await api.request("POST", "/jobs/filtered/pause");
  await byType.until((heard) => events(heard).length === 1);
  await byJob.until((heard) => events(heard).length === 1);
  await api.request("POST", "/jobs", { body: { name: "theirs", target: ECHO }, key: STRANGER_KEY });
  await stranger.until((heard) => events(heard).length === 1);
  expect(events(stranger.heard)[0]!.event).toBe("job.created");
  for (const listener of [byType, byJob, stranger]) listener.close();
  expect((await api.request("GET", "/events?types=nonsense")).status).toBe(400);
  expect((await api.request("GET", "/events?project=other", { key: READ_KEY })).status).toBe(404);
});

test("an instance admin may listen to a project that it names", async () => {
  const listener = await listen("?project=other");
  await api.request("POST", "/jobs", { body: { name: "mine", target: ECHO } });
  await api.request("POST", "/jobs", { body: { name: "named", target: ECHO }, key: STRANGER_KEY });
  await listener.until((heard) => events(heard).length === 1);
  expect(events(listener.heard)[0]!.data.projectId).not.toBe(PROJECT);
  listener.close();
  expect((await api.request("GET", "/events?project=nowhere")).status).toBe(404);
});

test("a listener whose key is revoked is cut off", async () => {
  const { body: made } = await api.request("POST", "/api-keys", { body: { name: "ear", scopes: ["read"] } });
  const listener = await listen("", { authorization: `Bearer ${made.key}` });
  expect(listener.response.status).toBe(200);
  await api.request("DELETE", `/api-keys/${made.id}`);
  await listener.ended;
});

test("who comes back with the last id hears what was missed; with an unknown one is told to start anew", async () => {
  const first = await listen();
  await api.request("POST", "/jobs", { body: { name: "resume-1", target: ECHO } });
  await first.until((heard) => events(heard).length === 1);
  first.close();
  await api.request("POST", "/jobs", { body: { name: "resume-2", target: ECHO } });
  const second = await listen("", { "last-event-id": first.heard.at(-1)!.id ?? events(first.heard)[0]!.id! });
  await second.until((heard) => events(heard).length === 1);
  expect(events(second.heard)[0]!.event).toBe("job.created");
  second.close();
  const lost = await listen("", { "last-event-id": "long-ago" });
  await lost.until((heard) => heard.some(({ event }) => event === "reset"));
  lost.close();
});

test("a server that closes ends its streams, its idle connections and those that were never used", async () => {
  const other = await startApi();
  const response = await fetch(`${other.url}/api/v1/events`, { headers: { authorization: `Bearer ${KEY}` } });
  await other.request("GET", "/me");
  const opened = connect(Number(new URL(other.url).port), "127.0.0.1");
  await once(opened, "connect");
  const startedAt = performance.now();
  const ended = response.text();
  await other.app.close();
  await Promise.all([ended, opened.closed || once(opened, "close")]);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await other.database.close();
});
