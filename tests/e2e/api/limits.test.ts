// How much of everything there may be: each limit of docs/limits.md that no other test shows, at its number and one beyond.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEventStream } from "../../support/event-stream.ts";
import { createJob, PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

const many = (count: number, name = "n") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, "x"]));
const list = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const job = (fields: object) => ({ body: { name: "limited", target: ECHO, ...fields } });
const target = (fields: object) => job({ target: { ...ECHO, ...fields } });
const worker = (handlers: number) => ({ body: { handlers: list(handlers, (i) => ({ name: `h${i}` })) } });

test.each<[what: string, method: string, path: string, most: number, options: (count: number) => object]>([
  ["letters of a name", "POST", "/jobs?dryRun=true", 128, (n) => job({ name: "n".repeat(n) })],
  ["letters of a description", "POST", "/jobs?dryRun=true", 4_096, (n) => job({ description: "d".repeat(n) })],
  ["tags", "POST", "/jobs?dryRun=true", 32, (n) => job({ tags: list(n, (i) => `t${i}`) })],
  ["letters of a tag", "POST", "/jobs?dryRun=true", 64, (n) => job({ tags: ["t".repeat(n)] })],
  ["levels of a payload", "POST", "/jobs?dryRun=true", 64, (n) => job({ payload: deep(n) })],
  ["letters of a URL", "POST", "/jobs?dryRun=true", 2_048, (n) => target({ url: `https://x/${"u".repeat(n - 10)}` })],
  ["headers", "POST", "/jobs?dryRun=true", 64, (n) => target({ headers: many(n, "x-") })],
  ["letters of a header", "POST", "/jobs?dryRun=true", 8_192, (n) => target({ headers: { "x-a": "h".repeat(n) } })],
  ["query parameters of a target", "POST", "/jobs?dryRun=true", 64, (n) => target({ query: many(n) })],
  ["statuses that are success", "POST", "/jobs?dryRun=true", 32, (n) => target({ successOn: list(n, () => "200") })],
  ["attempts", "POST", "/jobs?dryRun=true", 100, (n) => job({ retry: { maxAttempts: n } })],
  [
    "letters of a cron expression",
    "POST",
    "/jobs?dryRun=true",
    256,
    (n) => job({ schedule: { cron: "* * * * *".padEnd(n) } }),
  ],
  ["items of a page", "GET", "/jobs?limit=", 200, (n) => ({ append: n })],
  [
    "instants of a preview",
    "POST",
    "/schedules/preview",
    1_000,
    (n) => ({ body: { schedule: { every: "1h" }, count: n } }),
  ],
  ["letters of a search", "GET", "/jobs?q=", 200, (n) => ({ append: "q".repeat(n) })],
  [
    "parameters of a request",
    "GET",
    "/jobs?",
    100,
    (n) => ({ append: `limit=1${"&".repeat(500)}${"&q=".repeat(n - 1)}` }),
  ],
  ["handlers of a worker", "PUT", "/workers/limited", 500, worker],
])("%s: at most so many", async (what, method, path, most, options) => {
  const ask = async (count: number) => {
    const { append = "", ...rest } = options(count) as { append?: string | number };
    return await api.request(method, `${path}${append}`, rest);
  };
  // A repeated parameter is refused too, but for what it is, and not for the number.
  const within = await ask(most);
  if (what === "parameters of a request") expect(within.body.error.details[0].code).not.toBe("too_many");
  else expect([200, within.body.error]).toEqual([within.status, undefined]);
  const beyond = await ask(most + 1);
  expect([beyond.status, beyond.body.error.code]).toEqual([400, "validation_failed"]);
  if (what === "parameters of a request") expect(beyond.body.error.details[0].code).toBe("too_many");
});

test("ids of a bulk call and triggers at once", async () => {
  const id = PROJECT;
  const bulk = (ids: number) => ({ body: { action: "pause", ids: list(ids, () => id), dryRun: true } });
  expect((await api.request("POST", "/bulk/jobs", bulk(10_000))).status).toBe(200);
  expect((await api.request("POST", "/bulk/jobs", bulk(10_001))).status).toBe(400);
  const triggers = (items: number) => ({ body: { items: list(items, () => ({ job: "many" })) } });
  await api.request("POST", "/jobs", { body: { name: "many", target: ECHO } });
  expect((await api.request("POST", "/triggers", triggers(1_000))).status).toBe(201);
  expect((await api.request("POST", "/triggers", triggers(1_001))).status).toBe(400);
});

test("levels of a body, lines of a log", async () => {
  const nested = async (levels: number) =>
    (await api.request("POST", "/jobs", { body: deep(levels) })).body.error.details[0].code;
  // A job it is not, in either case.
  expect([await nested(80), await nested(81)]).toEqual(["invalid_type", "too_deep"]);
  const lines = async (limit: number) =>
    (await api.request("GET", `/executions/${PROJECT}/logs?limit=${limit}`)).status;
  expect([await lines(1_000), await lines(1_001)]).toEqual([404, 400]);
});

test("the head of a request", async () => {
  expect((await api.request("GET", `/jobs?q=${"q".repeat(15_000)}`)).status).toBe(400);
  expect((await api.request("GET", `/jobs?q=${"q".repeat(17_000)}`)).status).toBe(431);
});

test("a refusal does not grow with what was wrong", async () => {
  const unknown = await api.request("POST", "/jobs", { body: many(20_000) });
  expect(unknown.body.error.details).toHaveLength(100);
  expect(unknown.body.error.message).toMatch(/\(and \d+ more\)$/);
  const long = await api.request("POST", "/jobs", { body: { [`x${"é".repeat(50_000)}`]: 1 } });
  expect(long.status).toBe(400);
  expect(long.text.length).toBeLessThan(10_000);
});

test("a node has room for so many event streams, and one project never takes all of it", async () => {
  const small = await startApi({ beside: api, options: { eventStreamsMax: 4 } });
  const listen = (key: string) => openEventStream(`${small.url}/api/v1/events`, { key, headers: {} });
  const open = [
    await listen(KEY),
    await listen(KEY),
    await listen(KEY),
    await listen(STRANGER_KEY),
    await listen(STRANGER_KEY),
  ];
  expect(open.map(({ response }) => response.status)).toEqual([200, 200, 503, 200, 503]);
  expect(open[2]!.response.headers.get("retry-after")).toBe("1");
  for (const listener of open) listener.close();
  await small.close();
});

describe("jobs of a project", () => {
  test("no more are created than it may have, by no way; those that are there can be changed and restored", async () => {
    const present = await api.database.store.jobs.count(PROJECT, 1_000);
    const full = await startApi({ beside: api, jobsMax: present + 2 });
    for (const name of ["room-1", "room-2"])
      expect((await full.request("PUT", `/jobs/${name}`, { body: { target: ECHO } })).status).toBe(201);
    const creations = [
      full.request("POST", "/jobs", { body: { name: "room-3", target: ECHO } }),
      full.request("POST", "/jobs", { body: { name: "room-3", target: ECHO }, headers: { "idempotency-key": "room" } }),
      full.request("POST", "/jobs?dryRun=true", { body: { name: "room-3", target: ECHO } }),
      full.request("PUT", "/jobs/room-3", { body: { target: ECHO } }),
      full.request("PUT", "/jobs/room-3?dryRun=true", { body: { target: ECHO } }),
    ];
    for (const { status, body } of await Promise.all(creations)) {
      expect([status, body.error.code]).toEqual([409, "limit_reached"]);
      expect(body.error.message).toContain(`${present + 2} jobs, which is as many as it may have (PUNCTUAL_JOBS_MAX)`);
    }
    expect((await full.request("PUT", "/jobs/room-1", { body: { target: ECHO, priority: 9 } })).status).toBe(200);
    expect((await full.request("POST", "/jobs/room-1/versions/1/restore")).status).toBe(200);
    expect(
      (await full.request("POST", "/jobs", { body: { name: "theirs", target: ECHO }, key: STRANGER_KEY })).status,
    ).toBe(201);
    await full.close();
  });

  test("a schedule may not fire more often than the operator allows; jobs that do keep on", async () => {
    const busy = await createJob(api.database.store, { name: "busy", schedule: { every: "5s" } });
    const slow = await startApi({ beside: api, minIntervalMs: 60_000 });
    const refused = async (method: string, path: string, body: object) => {
      const { status, body: answer } = await slow.request(method, path, { body });
      expect([status, answer.error.details[0].code], `${method} ${path}`).toEqual([400, "too_often"]);
      return answer.error.message as string;
    };
    const written = (schedule: object) => ({ name: "often", target: ECHO, schedule });
    const every = await refused("POST", "/jobs", written({ every: "59s" }));
    expect(every).toContain('"59s" fires at');
    expect(every).toContain("and 59s later; the smallest interval here is 1m (PUNCTUAL_MIN_INTERVAL)");
    await refused("POST", "/jobs", written({ cron: "0,20 0 12 * * *" }));
    await refused("POST", "/jobs?dryRun=true", written({ every: "2s" }));
    await refused("PUT", "/jobs/often", written({ every: "2s" }));
    await refused("PUT", "/jobs/often?dryRun=true", written({ every: "2s" }));
    await refused("PATCH", `/jobs/${busy.id}`, { schedule: { every: "4s" } });
    for (const schedule of [{ every: "1m" }, { cron: "* * * * *" }, { cron: "0 0 12 * * *" }])
      expect((await slow.request("PUT", "/jobs/often", { body: written(schedule) })).status).toBeLessThan(300);
    const kept = { ...written({ every: "5s" }), name: "busy", priority: 1 };
    expect((await slow.request("PUT", "/jobs/busy", { body: kept })).status).toBe(200);
    expect((await slow.request("PATCH", "/jobs/busy", { body: { priority: 2 } })).status).toBe(200);
    expect((await slow.request("PATCH", "/jobs/busy", { body: { schedule: { every: "1h" } } })).status).toBe(200);
    await refused("POST", "/jobs/busy/versions/1/restore", {});
    await slow.close();
  });
});
