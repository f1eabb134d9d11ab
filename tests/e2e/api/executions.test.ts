import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claim, createJob, failed, PROJECT, succeeded, triggerJob } from "../../support/store.ts";
import { type ApiServer, ECHO, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

let made = 0;
async function manualJob(fields: object = {}) {
  made += 1;
  const { body } = await api.request("POST", "/jobs", {
    body: { name: `manual-${made}`, target: ECHO, payload: { from: "job" }, overlap: "allow", ...fields },
  });
  return body;
}

/** Runs what is due and ends it. */
async function runDue(end: typeof succeeded) {
  const { store, nodeId } = api.database;
  const { claimed } = await claim(store, nodeId);
  await store.queue.settleFinal(claimed.map(end));
  return claimed.map(({ id }) => id);
}

describe("triggering", () => {
  test("a trigger is an execution with the job's payload or its own", async () => {
    const job = await manualJob();
    const plain = await api.request("POST", `/jobs/${job.name}/trigger`);
    expect(plain.status).toBe(201);
    expect(plain.body).toMatchObject({
      jobId: job.id,
      jobName: job.name,
      trigger: "manual",
      state: "scheduled",
      payload: { from: "job" },
      attempts: [],
      triggeredBy: "tester",
    });
    const own = await api.request("POST", `/jobs/${job.id}/trigger`, { body: { payload: null, priority: 99 } });
    expect(own.body).toMatchObject({ payload: null, priority: 99 });
    expect(await runDue(succeeded)).toHaveLength(2);
  });

  test("the same key is the same execution", async () => {
    const job = await manualJob();
    const first = await api.request("POST", `/jobs/${job.id}/trigger`, { body: { key: "order-1" } });
    const again = await api.request("POST", `/jobs/${job.id}/trigger`, { body: { key: "order-1" } });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body.id).toBe(first.body.id);
    await runDue(succeeded);
  });

  test("a delayed trigger waits, and one in the past is refused", async () => {
    const job = await manualJob();
    const { body } = await api.request("POST", `/jobs/${job.id}/trigger`, { body: { delay: "1h" } });
    expect(Date.parse(body.runAt)).toBeGreaterThan(Date.now() + 3_500_000);
    const past = await api.request("POST", `/jobs/${job.id}/trigger`, { body: { runAt: "2020-01-01T00:00:00Z" } });
    expect(past.body.error.details[0]).toMatchObject({ path: "runAt", code: "in_the_past" });
    const both = await api.request("POST", `/jobs/${job.id}/trigger`, {
      body: { runAt: new Date().toISOString(), delay: "1s" },
    });
    expect(both.status).toBe(400);
  });

  test("many are triggered together, or none if one job is unknown", async () => {
    const job = await manualJob();
    const done = await api.request("POST", "/triggers", {
      body: {
        items: [{ job: job.name }, { job: job.id, payload: 7 }, { job: job.id, key: "k" }, { job: job.id, key: "k" }],
      },
    });
    expect(done.status).toBe(201);
    expect(done.body.items.map((item: { deduplicated: boolean }) => item.deduplicated)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    const before = await api.request("GET", `/jobs/${job.id}/executions`);
    const none = await api.request("POST", "/triggers", { body: { items: [{ job: job.id }, { job: "no-such-job" }] } });
    expect(none.body.error.details[0]).toMatchObject({ path: "items.1.job", code: "not_found" });
    expect((await api.request("GET", `/jobs/${job.id}/executions`)).body.items).toHaveLength(before.body.items.length);
    await runDue(succeeded);
  });

  test("a payload over its limit is a 413 although the body may be larger", async () => {
    const job = await manualJob();
    const { status, body } = await api.request("POST", "/triggers", {
      body: { items: [{ job: job.id, payload: "x".repeat(300_000) }] },
    });
    expect([status, body.error.code, body.error.details[0].path]).toEqual([413, "body_too_large", "items.0.payload"]);
  });
});

describe("reading", () => {
  test("a running execution shows its attempt, a final one all that came of it", async () => {
    const job = await manualJob();
    const { store, nodeId } = api.database;
    const id = await triggerJob(store, job, {});
    const { claimed } = await claim(store, nodeId);
    const running = await api.request("GET", `/executions/${id}`);
    expect(running.body).toMatchObject({
      state: "running",
      attempt: 1,
      attempts: [{ number: 1, outcome: null, finishedAt: null, node: "test" }],
    });
    await store.queue.settleFinal(claimed.map(failed));
    const final = await api.request("GET", `/executions/${id}`);
    expect(final.body).toMatchObject({
      state: "failed",
      reason: { code: "attempts_exhausted" },
      error: { code: "http_status" },
      attempts: [{ number: 1, outcome: "failed" }],
      payload: { from: "job" },
    });
    expect(final.body.durationMs).toBeGreaterThanOrEqual(0);
    expect((await api.request("GET", `/jobs/${job.id}`)).body.lastExecution.id).toBe(id);
  });

  test("queue and ledger are one list, in both orders, page by page", async () => {
    const job = await manualJob();
    const { store, nodeId } = api.database;
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await triggerJob(store, job, {}));
    const { claimed } = await claim(store, nodeId);
    await store.queue.settleFinal(claimed.slice(0, 2).map(succeeded));
    ids.push(await triggerJob(store, job, { delayMs: 3_600_000 }));
    const walk = async (order: string) => {
      const seen: string[] = [];
      let cursor = "";
      do {
        const { body } = await api.request(
          "GET",
          `/executions?jobId=${job.id}&limit=2&order=${order}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...body.items.map((item: { id: string }) => item.id));
        cursor = body.nextCursor;
      } while (cursor !== null);
      return seen;
    };
    expect(await walk("asc")).toEqual(ids.toSorted());
    expect(await walk("desc")).toEqual(ids.toSorted().reverse());
    const counts = await api.request("GET", `/executions/counts?jobId=${job.id}`);
    expect(counts.body).toMatchObject({ scheduled: 1, running: 2, succeeded: 2, failed: 0 });
    await store.queue.settleFinal(claimed.slice(2).map(succeeded));
  });

  test("filters by state, trigger, tag and time; what is large only if asked for", async () => {
    const job = await manualJob({ tags: ["looked-for"] });
    const { store } = api.database;
    const good = await triggerJob(store, job, {});
    await runDue(succeeded);
    const bad = await triggerJob(store, job, {});
    await runDue(failed);
    const later = await triggerJob(store, job, { delayMs: 7_200_000 });
    const ids = async (query: string) => {
      const { status, body } = await api.request("GET", `/executions?tag=looked-for&${query}`);
      expect([query, status]).toEqual([query, 200]);
      return body.items.map((item: { id: string }) => item.id);
    };
    expect(await ids("")).toEqual([later, bad, good]);
    expect(await ids("state=failed")).toEqual([bad]);
    expect(await ids("state=failed,scheduled")).toEqual([later, bad]);
    expect(await ids("state=succeeded,failed")).toEqual([bad, good]);
    expect(await ids("state=running")).toEqual([]);
    expect(await ids("trigger=schedule,retry")).toEqual([]);
    expect(await ids(`from=${new Date(Date.now() + 3_600_000).toISOString()}`)).toEqual([later]);
    expect(await ids(`to=${encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString())}`)).toEqual([bad, good]);
    const narrow = (await api.request("GET", "/executions?tag=looked-for&limit=1")).body.items[0];
    expect([narrow.attempts, narrow.payload, narrow.result]).toEqual([undefined, undefined, undefined]);
    const wide = (await api.request("GET", "/executions?tag=looked-for&state=failed&include=attempts,payload,result"))
      .body.items[0];
    expect(wide).toMatchObject({ attempts: [{ number: 1 }], payload: { from: "job" }, result: null });
  });
});

describe("acting", () => {
  test("cancelling ends it; cancelling again is a conflict", async () => {
    const job = await manualJob();
    const { body } = await api.request("POST", `/jobs/${job.id}/trigger`, { body: { delay: "1h" } });
    const cancelled = await api.request("POST", `/executions/${body.id}/cancel`, {
      body: { reason: "no longer needed" },
    });
    expect(cancelled.body).toMatchObject({ state: "cancelled", reason: { message: "no longer needed" } });
    expect((await api.request("POST", `/executions/${body.id}/cancel`)).body.error.code).toBe("wrong_state");
    expect((await api.request("POST", `/executions/${body.id}/cancel`, { key: STRANGER_KEY })).status).toBe(404);
  });

  test("a retry of a final execution is a new one that says so", async () => {
    const job = await manualJob();
    const { body } = await api.request("POST", `/jobs/${job.id}/trigger`);
    expect((await api.request("POST", `/executions/${body.id}/retry`)).status).toBe(409);
    await runDue(failed);
    const retried = await api.request("POST", `/executions/${body.id}/retry`, { body: { payload: { n: 2 } } });
    expect(retried.status).toBe(201);
    expect(retried.body).toMatchObject({ trigger: "retry", retryOf: body.id, payload: { n: 2 } });
    await runDue(succeeded);
  });

  test("dead letters are listed, grouped, retried and discarded", async () => {
    const job = await manualJob();
    for (let n = 0; n < 3; n += 1) await triggerJob(api.database.store, job, {});
    await runDue(failed);
    const list = await api.request("GET", `/dead-letters?jobId=${job.id}&limit=2`);
    expect(list.body.items).toHaveLength(2);
    expect(list.body.items[0]).toMatchObject({
      jobName: job.name,
      status: "open",
      error: { code: "http_status" },
      execution: { state: "failed", payload: { from: "job" } },
    });
    const rest = await api.request("GET", `/dead-letters?jobId=${job.id}&limit=2&cursor=${list.body.nextCursor}`);
    expect(rest.body).toMatchObject({ items: [{ jobId: job.id }], nextCursor: null });
    const groups = await api.request("GET", `/dead-letters/groups?jobId=${job.id}`);
    expect(groups.body.items).toMatchObject([{ jobName: job.name, count: 3, error: { code: "http_status" } }]);
    const wrong = await api.request("POST", "/dead-letters/retry", {
      body: { filter: { jobId: job.id }, expected: 2 },
    });
    expect([wrong.status, wrong.body.error.code]).toEqual([409, "count_changed"]);
    const first = list.body.items[0].id;
    expect((await api.request("POST", "/dead-letters/discard", { body: { ids: [first] } })).body).toMatchObject({
      matched: 1,
      changed: 1,
      failed: 0,
    });
    const tried = await api.request("POST", "/dead-letters/retry", {
      body: { filter: { jobId: [job.id] }, expected: 2, dryRun: true },
    });
    expect(tried.body).toMatchObject({ matched: 2, changed: 0 });
    expect(
      (await api.request("POST", "/dead-letters/retry", { body: { filter: { jobId: [job.id] } } })).body,
    ).toMatchObject({ matched: 2, changed: 2, failed: 0 });
    const statuses = (await api.request("GET", `/dead-letters?jobId=${job.id}&status=retried,discarded`)).body.items;
    expect(statuses.map((letter: { status: string }) => letter.status).toSorted()).toEqual([
      "discarded",
      "retried",
      "retried",
    ]);
    await runDue(succeeded);
  });

  test("bulk operations count, expect, and tell what failed", async () => {
    const jobs = [
      await manualJob({ tags: ["bulk"] }),
      await manualJob({ tags: ["bulk"] }),
      await manualJob({ tags: ["bulk"] }),
    ];
    const bulk = (body: object) => api.request("POST", "/bulk/jobs", { body });
    expect((await bulk({ action: "pause", filter: { tag: "bulk" }, dryRun: true })).body).toMatchObject({
      matched: 3,
      changed: 0,
      failed: 0,
    });
    expect((await bulk({ action: "pause", filter: { tag: "bulk" }, expected: 4 })).body.error.code).toBe(
      "count_changed",
    );
    expect((await bulk({ action: "pause", filter: { tag: "bulk" }, expected: 3 })).body).toMatchObject({
      matched: 3,
      changed: 3,
      failed: 0,
    });
    expect((await bulk({ action: "resume", ids: jobs.map((job) => job.id) })).body).toMatchObject({
      matched: 3,
      changed: 3,
    });
    expect((await bulk({ action: "trigger", filter: { tag: ["bulk"] } })).body).toMatchObject({
      matched: 3,
      changed: 3,
    });
    const cancel = await api.request("POST", "/bulk/executions", {
      body: { action: "cancel", filter: { tag: "bulk" } },
    });
    expect(cancel.body).toMatchObject({ matched: 3, changed: 3, failed: 0 });
    const again = await api.request("POST", "/bulk/executions", {
      body: { action: "cancel", filter: { tag: "bulk", state: "cancelled" } },
    });
    expect(again.body).toMatchObject({ matched: 3, changed: 0, failed: 3 });
    expect(again.body.failures[0]).toMatchObject({ code: "wrong_state" });
    expect((await bulk({ action: "delete", ids: jobs.map((job) => job.id) })).body).toMatchObject({ changed: 3 });
    expect((await bulk({ action: "delete" })).status).toBe(400);
    expect((await bulk({ action: "delete", ids: [jobs[0].id], filter: {} })).status).toBe(400);
  });

  test("bulk operations of many take seconds, not minutes", async () => {
    const { store } = api.database;
    const ids: string[] = [];
    for (let n = 0; n < 300; n += 1) ids.push((await createJob(store, { schedule: { every: "1h" } })).id);
    const startedAt = performance.now();
    expect((await api.request("POST", "/bulk/jobs", { body: { action: "pause", ids } })).body).toMatchObject({
      changed: 300,
    });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

test("statistics add up to the ledger", async () => {
  const { body } = await api.request("GET", "/stats?window=24h");
  const { rows } = await api.database.pool.query(
    "select state, sum(count)::integer as n from punctual.execution where project_id = $1 group by state",
    [PROJECT],
  );
  for (const { state, n } of rows) expect([state, body.totals[state]]).toEqual([state, n]);
  expect(body.ratePerSecond["1m"]).toBeGreaterThan(0);
  expect(body.errorRate["15m"]).toBeGreaterThan(0);
  expect(body.durationMs.p50).not.toBeNull();
  expect(body.deadLetters).toBeGreaterThan(0);
  expect((await api.request("GET", "/stats?window=1y")).status).toBe(400);
});

test("a job's statistics come from its own executions", async () => {
  const job = await manualJob();
  await triggerJob(api.database.store, job, {});
  await triggerJob(api.database.store, job, {});
  await runDue(succeeded);
  const { body } = await api.request("GET", `/jobs/${job.name}/stats`);
  expect(body).toMatchObject({ window: "1h", states: { succeeded: 2 }, complete: true });
});
