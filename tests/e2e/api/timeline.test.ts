import { afterAll, beforeAll, expect, test } from "vitest";
import type { Timeline, TimelineLane } from "../../../src/contract/timeline.ts";
import { layExecutions } from "../../support/ledger.ts";
import { createJob, PROJECT, triggerJob } from "../../support/store.ts";
import { type ApiServer, STRANGER_KEY, startApi } from "./api-server.ts";

const HOUR_MS = 3_600_000;
let api: ApiServer;

beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

async function timeline(query = "", options: { key?: string } = {}): Promise<Timeline> {
  const { status, body } = await api.request("GET", `/timeline?${query}`, options);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function laneOf(name: string, query = ""): Promise<TimelineLane> {
  const { items } = await timeline(`q=${name}&${query}`);
  expect(items.map(({ jobName }) => jobName)).toEqual([name]);
  return items[0]!;
}

const instants = (lane: TimelineLane) => lane.planned.reduce((sum, { count }) => sum + count, 0);

test("it reaches from 18 hours ago to 6 hours ahead, unless it is said otherwise", async () => {
  const { from, to, now, stepMs } = await timeline();
  expect(Date.parse(now) - Date.parse(from)).toBe(18 * HOUR_MS);
  expect(Date.parse(to) - Date.parse(now)).toBe(6 * HOUR_MS);
  expect(stepMs).toBe(300_000);
  expect(await timeline("from=2026-06-01T00:00:00Z")).toMatchObject({ to: "2026-06-02T00:00:00.000Z" });
  expect(await timeline("to=2026-06-01T00:00:00Z")).toMatchObject({ from: "2026-05-31T00:00:00.000Z" });
  const minute = await timeline("from=2026-06-01T00:00:00Z&to=2026-06-01T00:01:00Z");
  expect(minute.stepMs).toBe(1_000);
});

test("a window that ends before it begins, or is longer than a week, is refused with the reason", async () => {
  for (const to of ["2026-06-01T00:00:00Z", "2026-06-08T00:00:00.001Z"]) {
    const { status, body } = await api.request("GET", `/timeline?from=2026-06-01T00:00:00Z&to=${to}`);
    expect([status, body.error.details[0].path]).toEqual([400, "to"]);
  }
  expect((await timeline("from=2026-06-01T00:00:00Z&to=2026-06-08T00:00:00Z")).stepMs).toBe(2_100_000);
  expect((await api.request("GET", "/timeline?from=yesterday")).status).toBe(400);
});

test("it ends with the year 9999, after which there is nothing to ask for", async () => {
  expect(await timeline("from=9999-12-31T12:00:00Z")).toMatchObject({ to: "9999-12-31T23:59:59.999Z" });
  for (const from of ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-01:00"]) {
    const { status, body } = await api.request("GET", `/timeline?from=${from}`);
    expect([status, body.error.code], from).toEqual([400, "validation_failed"]);
  }
});

test("a lane has what the job did and what its schedule will do", async () => {
  const { store, pool } = api.database;
  const job = await createJob(store, {
    name: "lane-hourly",
    schedule: { cron: "0 * * * *", timezone: "Europe/Berlin" },
  });
  const now = (await store.now()).getTime();
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const [ran, missed] = await layExecutions(pool, job, [
    { at: new Date(hour - 3 * HOUR_MS), state: "succeeded", durationMs: 60_000 },
    { at: new Date(hour - 2 * HOUR_MS), state: "skipped", reason: "misfire" },
  ]);
  const lane = await laneOf("lane-hourly");
  expect(lane).toMatchObject({ jobId: job.id, jobState: "active", complete: true });
  expect(lane.scheduleDescription).toMatch(/hour/i);
  expect(lane.spans).toMatchObject([
    { executionId: ran, state: "succeeded", reason: null, count: 1 },
    { executionId: missed, state: "skipped", reason: "misfire", from: new Date(hour - 2 * HOUR_MS).toISOString() },
  ]);
  expect(lane.planned).toHaveLength(6);
  expect(lane.planned[0]).toMatchObject({ from: new Date(hour + HOUR_MS).toISOString(), count: 1 });
});

test("instants that lie close together are one, and a paused job has none to come", async () => {
  const job = await createJob(api.database.store, { name: "lane-secondly", schedule: { every: "1s" } });
  const lane = await laneOf("lane-secondly");
  expect(lane.planned.length).toBeLessThanOrEqual(74);
  expect(instants(lane)).toBeGreaterThan(6 * 3_600 - 10);
  expect(instants(lane)).toBeLessThanOrEqual(6 * 3_600);
  await api.database.store.jobs.pause(PROJECT, job.id, { actor: "test", reason: null, until: null });
  const paused = await laneOf("lane-secondly");
  expect([paused.jobState, paused.planned]).toEqual(["paused", []]);
});

test("no more is planned than the schedule has runs left, of which some may be in the queue", async () => {
  await createJob(api.database.store, { name: "lane-bounded", schedule: { every: "1s", maxRuns: 30 } });
  const lane = await laneOf("lane-bounded");
  const waiting = lane.spans.filter(({ state }) => state === "scheduled").reduce((sum, { count }) => sum + count, 0);
  expect(instants(lane) + waiting).toBe(30);
});

test("what was triggered for later is planned too, also of a paused job", async () => {
  const { store } = api.database;
  const job = await createJob(store, { name: "lane-manual", schedule: { every: "1h" } }, { paused: true });
  const runAt = new Date((await store.now()).getTime() + 30 * 60_000);
  await triggerJob(store, job, { runAt });
  await triggerJob(store, job, { runAt });
  expect((await laneOf("lane-manual")).planned).toEqual([
    { from: runAt.toISOString(), to: runAt.toISOString(), count: 2 },
  ]);
});

test("lanes come by name, page by page, and can be chosen by tag and state", async () => {
  for (const name of ["page-c", "page-a", "page-b"]) await createJob(api.database.store, { name, tags: ["paged"] });
  await createJob(api.database.store, { name: "page-d", tags: ["paged"] }, { paused: true });
  const first = await timeline("tag=paged&state=active&limit=2");
  expect(first.items.map(({ jobName }) => jobName)).toEqual(["page-a", "page-b"]);
  const second = await timeline(`tag=paged&state=active&limit=2&cursor=${first.nextCursor}`);
  expect([second.items.map(({ jobName }) => jobName), second.nextCursor]).toEqual([["page-c"], null]);
  expect((await timeline("tag=paged")).items).toHaveLength(4);
  expect((await timeline("", { key: STRANGER_KEY })).items).toEqual([]);
  expect((await api.request("GET", "/timeline?cursor=x")).body.error.code).toBe("invalid_cursor");
});
