import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEventStream } from "../../support/event-stream.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, KEY, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

const listen = (query = "", { key = KEY, headers = {} }: { key?: string; headers?: Record<string, string> } = {}) =>
  openEventStream(`${api.url}/api/v1/events${query}`, { key, headers });

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
  await listener.until(() => listener.events().length >= 7 && listener.heard.some(({ comment }) => comment === "ping"));
  expect(listener.events().map(({ event }) => event)).toEqual([
    "job.created",
    "execution.scheduled",
    "execution.cancelled",
    "job.updated",
    "job.paused",
    "job.resumed",
    "job.deleted",
  ]);
  expect(listener.events()[1]!.data).toMatchObject({
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
  const stranger = await listen("", { key: STRANGER_KEY });
  await api.request("POST", "/jobs", { body: { name: "other", target: ECHO } });
  await api.request("POST", "/jobs/filtered/pause");
  await byType.until(() => byType.events().length === 1);
  await byJob.until(() => byJob.events().length === 1);
  await api.request("POST", "/jobs", { body: { name: "theirs", target: ECHO }, key: STRANGER_KEY });
  await stranger.until(() => stranger.events().length === 1);
  expect(stranger.events()[0]!.event).toBe("job.created");
  for (const listener of [byType, byJob, stranger]) listener.close();
  expect((await api.request("GET", "/events?types=nonsense")).status).toBe(400);
  expect((await api.request("GET", "/events?project=other", { key: READ_KEY })).status).toBe(404);
});

test("an instance admin may listen to a project that it names", async () => {
  const listener = await listen("?project=other");
  await api.request("POST", "/jobs", { body: { name: "mine", target: ECHO } });
  await api.request("POST", "/jobs", { body: { name: "named", target: ECHO }, key: STRANGER_KEY });
  await listener.until(() => listener.events().length === 1);
  expect(listener.events()[0]!.data.projectId).not.toBe(PROJECT);
  listener.close();
  expect((await api.request("GET", "/events?project=nowhere")).status).toBe(404);
});

test("a listener whose key is revoked is cut off", async () => {
  const { body: made } = await api.request("POST", "/api-keys", { body: { name: "ear", scopes: ["read"] } });
  const listener = await listen("", { key: made.key });
  expect(listener.response.status).toBe(200);
  await api.request("DELETE", `/api-keys/${made.id}`);
  await listener.ended;
});

test("who comes back with the last id hears what was missed; with an unknown one is told to start anew", async () => {
  const first = await listen();
  await api.request("POST", "/jobs", { body: { name: "resume-1", target: ECHO } });
  await first.until(() => first.events().length === 1);
  first.close();
  await api.request("POST", "/jobs", { body: { name: "resume-2", target: ECHO } });
  const second = await listen("", { headers: { "last-event-id": first.heard.at(-1)!.id ?? first.events()[0]!.id! } });
  await second.until(() => second.events().length === 1);
  expect(second.events()[0]!.event).toBe("job.created");
  second.close();
  const lost = await listen("", { headers: { "last-event-id": "long-ago" } });
  await lost.until(() => lost.events("reset").length > 0);
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
