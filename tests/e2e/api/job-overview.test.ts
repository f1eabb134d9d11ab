// What a list of jobs tells at a glance: schedules in words, the last runs, how many there are, and who else comes at the
// same instant.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claim, failed, succeeded } from "../../support/store.ts";
import { type ApiServer, ECHO, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

async function make(body: object, key?: string) {
  const made = await api.request("POST", "/jobs", { body: { target: ECHO, ...body }, ...(key ? { key } : {}) });
  expect(made.status, made.text).toBe(201);
  return made.body;
}

async function run(job: { id: string }, end: typeof succeeded): Promise<string> {
  const { body } = await api.request("POST", `/jobs/${job.id}/trigger`);
  const { store, nodeId } = api.database;
  await store.queue.settleFinal((await claim(store, nodeId)).claimed.map(end));
  return body.id;
}

describe("the schedule in words", () => {
  test("stands in every job, and is that of a preview", async () => {
    const schedule = { cron: "30 6 1,15 * MON", timezone: "Europe/Berlin" };
    const job = await make({ name: "in-words", schedule });
    const seen = await api.request("POST", "/schedules/preview", { body: { schedule } });
    expect(job.scheduleDescription).toBe(seen.body.description);
    expect(job.scheduleDescription).toBe("At 06:30, on days 1 and 15 of the month or on Monday, Europe/Berlin time");
    const { body: page } = await api.request("GET", "/jobs?q=in-words");
    expect(page.items[0].scheduleDescription).toBe(job.scheduleDescription);
    expect((await make({ name: "no-schedule" })).scheduleDescription).toBe("Only when triggered");
  });

  test("may be written back, changed or not, and means nothing", async () => {
    const job = await make({ name: "written-back", schedule: { every: "1h" } });
    const { body: read } = await api.request("GET", `/jobs/${job.id}?include=recent`);
    const put = await api.request("PUT", `/jobs/${job.id}`, { body: { ...read, scheduleDescription: "Never" } });
    expect(put).toMatchObject({ status: 200, body: { version: 1, scheduleDescription: "Every hour" } });
  });
});

describe("recent runs", () => {
  test("come with each job of a list, and with one job, if they are asked for", async () => {
    const job = await make({ name: "recent-runs", tags: ["recent"] });
    const idle = await make({ name: "recent-none", tags: ["recent"] });
    const good = await run(job, succeeded);
    const bad = await run(job, failed);
    const { status, body } = await api.request("GET", "/jobs?tag=recent&include=recent&sort=created", {
      key: READ_KEY,
    });
    expect(status).toBe(200);
    const [of, none] = body.items;
    expect(of.recent).toMatchObject({
      runs: [
        { executionId: good, state: "succeeded", attempt: 1, count: 1 },
        { executionId: bad, state: "failed", attempt: 1, count: 1 },
      ],
      successRate: 0.5,
      counted: 2,
    });
    expect(of.recent.p95DurationMs).toBeGreaterThanOrEqual(0);
    expect(of.lastExecution.id).toBe(bad);
    expect(none).toMatchObject({ id: idle.id, recent: { runs: [], successRate: null, counted: 0 } });
    const one = await api.request("GET", "/jobs/recent-runs?include=recent,lastExecutions");
    expect(one.body.recent).toEqual(of.recent);
    expect(one.body.lastExecutions).toHaveLength(2);
    const plain = await api.request("GET", "/jobs?tag=recent");
    expect(plain.body.items.map((each: object) => "recent" in each)).toEqual([false, false]);
    expect((await api.request("GET", "/jobs/recent-runs?include=everything")).status).toBe(400);
  });
});

describe("counts", () => {
  test("are of what a list with the same filter has, and hide no job of that name", async () => {
    const named = await make({ name: "counts", tags: ["counted", "a"] });
    await make({ name: "job-counts", tags: ["counted", "a"], paused: true });
    const { id } = await make({ name: "counted-gone", tags: ["counted", "b"] });
    await api.request("DELETE", `/jobs/${id}`);
    const counts = async (query: string) => (await api.request("GET", `/job-counts?${query}`, { key: READ_KEY })).body;
    const tags = [
      { tag: "a", jobs: 2 },
      { tag: "counted", jobs: 2 },
    ];
    expect(await counts("tag=counted")).toEqual({
      active: 1,
      paused: 1,
      completed: 0,
      deleted: 1,
      tags,
      complete: true,
    });
    expect(await counts("tag=counted&q=OUNTS")).toMatchObject({ active: 1, paused: 1, deleted: 0 });
    expect(await counts("tag=b")).toMatchObject({ active: 0, deleted: 1, tags: [] });
    expect(await counts("source=file:none")).toMatchObject({ active: 0, complete: true });
    expect((await api.request("GET", "/jobs/counts")).body.id).toBe(named.id);
    const elsewhere = await api.request("GET", "/job-counts", { key: STRANGER_KEY });
    expect(elsewhere.body).toMatchObject({ active: 0, paused: 0, deleted: 0, tags: [] });
    expect((await api.request("GET", "/job-counts?state=active")).status).toBe(400);
  });
});

describe("a crowd", () => {
  const schedule = { cron: "0 0 1 1 *", timezone: "UTC" };
  const preview = async (body: object, key = READ_KEY) =>
    (await api.request("POST", "/schedules/preview", { body: { schedule, ...body }, key })).body.notes;

  test("at the coming instant is told of from ten other jobs of the project on", async () => {
    for (let n = 1; n <= 10; n += 1) await make({ name: `crowd-${n}`, schedule });
    const year = new Date().getUTCFullYear() + 1;
    const note = `10 other jobs fire at the same instant, ${year}-01-01 00:00 UTC; a minute other than :00 spreads the load`;
    expect(await preview({})).toEqual([note]);
    expect(await preview({ count: 1 })).toEqual([note]);
    // A job is no crowd for itself, nor for other projects; and the moments after the first have their own.
    expect(await preview({ name: "crowd-3" })).toEqual([]);
    expect((await api.request("GET", "/jobs/crowd-3/next")).body.notes).toEqual([]);
    expect(await preview({}, STRANGER_KEY)).toEqual([]);
    expect(await preview({ from: `${year}-02-01T00:00:00Z` })).toEqual([]);
    expect(await preview({ schedule: { cron: "1 0 1 1 *", timezone: "UTC" } })).toEqual([]);
    const eleventh = await make({ name: "crowd-11", schedule });
    expect((await api.request("GET", `/jobs/${eleventh.id}/next`, { key: READ_KEY })).body.notes).toEqual([note]);
    await api.request("POST", "/jobs/crowd-1/pause");
    expect((await api.request("GET", `/jobs/${eleventh.id}/next`)).body.notes).toEqual([]);
  });

  test("is told beside what else there is to say", async () => {
    for (let n = 1; n <= 10; n += 1) await make({ name: `friday-${n}`, schedule: { cron: "0 3 13 * FRI" } });
    const notes = await preview({ schedule: { cron: "0 3 13 * FRI" } });
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatch(/^Day of month and day of week are both given: it fires when either/);
    expect(notes[1]).toMatch(/^10 other jobs fire at the same instant/);
  });
});
