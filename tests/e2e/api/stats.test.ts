import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { layExecutions, type PastExecution } from "../../support/ledger.ts";
import { createJob, PROJECT } from "../../support/store.ts";
import { type ApiServer, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;

beforeAll(async () => {
  api = await startApi({ publicUrl: "https://jobs.example", options: { dev: true } });
});
afterAll(async () => await api.close());

async function get(path: string, options: { key?: string } = {}) {
  const { status, body } = await api.request("GET", path, options);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** A job and what it did, so many minutes ago. */
async function jobThat(did: (Omit<PastExecution, "at"> & { minutesAgo: number })[]) {
  const { store, pool } = api.database;
  const job = await createJob(store);
  const now = (await store.now()).getTime();
  const ids = await layExecutions(
    pool,
    job,
    did.map(({ minutesAgo, ...execution }) => ({ ...execution, at: new Date(now - minutesAgo * 60_000) })),
  );
  return { job, ids };
}

describe("the project's figures over time", () => {
  beforeAll(async () => {
    await jobThat([
      { minutesAgo: 0, state: "succeeded", latenessMs: 5_000 },
      { minutesAgo: 0, state: "succeeded", latenessMs: 4 },
      { minutesAgo: 0, state: "failed", latenessMs: 900 },
      { minutesAgo: 0, state: "skipped", until: new Date(), count: 12 },
    ]);
  });

  test("add up to those of the whole window", async () => {
    const both = async () => [await get("/stats?window=1h"), await get("/stats/series?window=1h&points=60")];
    let [whole, series] = await both();
    // A minute may have begun between the two.
    if (whole.to !== series.to) [whole, series] = await both();
    expect(series).toMatchObject({ window: "1h", stepMs: 60_000, from: whole.from, to: whole.to });
    expect(series.points).toHaveLength(61);
    for (const measure of ["succeeded", "failed", "cancelled", "skipped", "unknown", "late"])
      expect([
        measure,
        series.points.reduce((sum: number, point: Record<string, number>) => sum + point[measure]!, 0),
      ]).toEqual([measure, whole.totals[measure]]);
  });

  test("say how many runs were late, and from when on that is", async () => {
    const { totals, lateAfterMs } = await get("/stats?window=1h");
    expect([totals.late, totals.skipped, lateAfterMs]).toEqual([1, 12, 1_000]);
  });

  test("have steps with nothing in them, and percentiles of the others", async () => {
    const { points } = await get("/stats/series?window=90d&points=10");
    expect(points[0]).toMatchObject({ succeeded: 0, durationMs: { p50: null }, latenessMs: { p99: null } });
    expect(points.at(-1).durationMs.p50).toBeGreaterThan(50);
    expect((await get("/stats/series", { key: STRANGER_KEY })).points.at(-1).succeeded).toBe(0);
  });

  test("are refused for windows and numbers of points that make no sense", async () => {
    for (const query of ["window=91d", "window=soon", "points=9", "points=501", "step=1m"])
      expect((await api.request("GET", `/stats/series?${query}`)).status, query).toBe(400);
  });
});

describe("a job's figures over time", () => {
  test("come from its own executions, by when they were due", async () => {
    const { job } = await jobThat([
      { minutesAgo: 90, state: "succeeded", durationMs: 100, latenessMs: 3 },
      { minutesAgo: 90, state: "succeeded", durationMs: 300, latenessMs: 1_000 },
      { minutesAgo: 30, state: "unknown" },
      { minutesAgo: 60 * 20, state: "failed" },
    ]);
    const { points, complete, stepMs, to } = await get(`/jobs/${job.spec.name}/series?window=2h&points=24`);
    expect([complete, stepMs, points.length]).toEqual([true, 300_000, 25]);
    const busy = points.filter((point: { succeeded: number }) => point.succeeded > 0);
    expect(busy).toHaveLength(1);
    expect(busy[0]).toMatchObject({ succeeded: 2, late: 1, durationMs: { p50: 200 }, latenessMs: { p50: 501.5 } });
    expect(Date.parse(to) - Date.parse(busy[0].at)).toBeGreaterThan(85 * 60_000);
    expect(points.filter((point: { unknown: number }) => point.unknown > 0)).toHaveLength(1);
    expect(points.some((point: { failed: number }) => point.failed > 0)).toBe(false);
    expect((await get(`/jobs/${job.id}/series?window=48h`)).points).toHaveLength(61);
  });

  test("are those of an existing job of the project", async () => {
    const { job } = await jobThat([]);
    for (const what of ["stats", "series", "days"]) {
      expect((await api.request("GET", `/jobs/none/${what}`)).status).toBe(404);
      expect((await api.request("GET", `/jobs/${job.id}/${what}`, { key: STRANGER_KEY })).status).toBe(404);
    }
  });
});

describe("a job's days", () => {
  test("are all there, oldest first, as the zone has them", async () => {
    const { job } = await jobThat([{ minutesAgo: 0, state: "failed" }]);
    const { timezone, complete, items } = await get(`/jobs/${job.spec.name}/days?timezone=Asia/Tokyo&days=3`);
    expect([timezone, complete, items.length]).toEqual(["Asia/Tokyo", true, 3]);
    const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Tokyo" }).format(await api.database.store.now());
    expect(items.at(-1)).toEqual({
      date: today,
      ...{ succeeded: 0, failed: 1, cancelled: 0, skipped: 0, unknown: 0 },
      complete: true,
    });
    expect(items[0].date < items[1].date && items[1].date < items[2].date).toBe(true);
    expect((await get(`/jobs/${job.id}/days`)).items).toHaveLength(91);
  });

  test("need a zone that there is", async () => {
    const { job } = await jobThat([]);
    const { status, body } = await api.request("GET", `/jobs/${job.id}/days?timezone=Europe/Berln`);
    expect([status, body.error.details[0].code, body.error.details[0].path]).toEqual([
      400,
      "unknown_timezone",
      "timezone",
    ]);
    expect(body.error.message).toContain("Europe/Berlin");
    expect((await api.request("GET", `/jobs/${job.id}/days?days=367`)).status).toBe(400);
  });
});

test("the jobs that fail most are told with their latest failure", async () => {
  const error = { code: "timeout", message: "no answer within 30s" };
  const { job, ids } = await jobThat(
    [5, 4, 3].map((minutesAgo) => ({ minutesAgo, state: "failed" as const, error: { ...error, stack: "at x" } })),
  );
  const { window, complete, items } = await get("/stats/failing?limit=1");
  expect([window, complete, items.length]).toEqual(["24h", true, 1]);
  expect(items[0]).toMatchObject({ jobId: job.id, jobName: job.spec.name, failed: 3, executionId: ids[2], error });
  expect(Object.keys(items[0].error)).toEqual(["code", "message"]);
  expect((await get("/stats/failing", { key: STRANGER_KEY })).items).toEqual([]);
});

test("a node that answers the echo says where, and another says that it does not", async () => {
  expect((await get("/health/detailed")).echoUrl).toMatch(/^https?:.*\/dev\/echo$/);
  const served = await startApi({ beside: api, options: { dev: false } });
  expect((await served.request("GET", "/health/detailed")).body.echoUrl).toBeNull();
  await served.close();
});

test("figures survive the job they are about", async () => {
  const { job } = await jobThat([{ minutesAgo: 1, state: "failed" }]);
  await api.database.store.jobs.delete(PROJECT, job.id, { actor: "test" });
  expect((await get(`/jobs/${job.id}/series`)).points.some((point: { failed: number }) => point.failed === 1)).toBe(
    true,
  );
  const failing = (await get("/stats/failing?limit=100")).items;
  expect(failing).toContainEqual(expect.objectContaining({ jobId: job.id, jobName: job.spec.name }));
});
