import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../support/engine.ts";
import { type ApiServer, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());
beforeEach(async () => {
  await api.database.pool.query("delete from punctual.queue; delete from punctual.worker");
});

const HANDLERS = [{ name: "report", slots: 5 }];

async function join(handlers: object[] = HANDLERS): Promise<string> {
  const id = `w-${randomUUID()}`;
  const { status, body } = await api.request("PUT", `/workers/${id}`, { body: { name: "anna", handlers } });
  expect([status, body]).toEqual([200, { leaseMs: 30_000, heartbeatMs: 10_000 }]);
  return id;
}

async function trigger(fields: object = {}): Promise<string> {
  const name = `job-${randomUUID()}`;
  const target = { type: "worker", handler: "report" };
  const job = await api.request("POST", "/jobs", { body: { name, target, overlap: "allow", ...fields } });
  expect(job.status).toBe(201);
  return (await api.request("POST", `/jobs/${name}/trigger`)).body.id;
}

const claim = (id: string, more: object = {}) =>
  api.request("POST", `/workers/${id}/claim`, {
    body: { requestId: randomUUID(), handlers: [{ name: "report", free: 5 }], ...more },
  });

async function claimed(id: string): Promise<{ id: string; token: string }> {
  const { status, body } = await claim(id, { waitMs: 20_000 });
  expect(status).toBe(200);
  return body.executions[0];
}

const execution = async (id: string) => (await api.request("GET", `/executions/${id}`)).body;

test("a worker takes an execution, says how far it is, logs, hands its result in, and leaves", async () => {
  const worker = await join();
  const id = await trigger({ payload: { format: "pdf" } });
  const run = await claimed(worker);
  expect(run).toMatchObject({ id, handler: "report", attempt: 1, payload: { format: "pdf" } });
  const beat = await api.request("POST", `/workers/${worker}/heartbeat`, {
    body: { executions: [{ id, token: run.token, progress: 0.4 }] },
  });
  expect([beat.status, beat.body]).toEqual([200, { items: [{ id, status: "ok" }], drain: false }]);
  expect(await execution(id)).toMatchObject({ state: "running", progress: 0.4, attempts: [{ worker: "anna" }] });
  const logged = await api.request("POST", `/workers/${worker}/logs`, {
    body: { items: [{ id, token: run.token, lines: [{ seq: 1, message: "halfway" }] }] },
  });
  expect([logged.status, logged.body]).toEqual([202, { accepted: 1, dropped: 0 }]);
  const settle = () =>
    api.request("POST", `/workers/${worker}/settle`, {
      body: { items: [{ id, token: run.token, outcome: "succeeded", result: { rows: 7 } }] },
    });
  for (let i = 0; i < 2; i += 1)
    expect((await settle()).body).toEqual({ items: [{ id, accepted: true, reason: null }] });
  expect(await execution(id)).toMatchObject({
    state: "succeeded",
    result: { rows: 7 },
    progress: 0.4,
    attempts: [{ outcome: "succeeded", worker: "anna" }],
  });
  expect((await api.request("DELETE", `/workers/${worker}`)).status).toBe(204);
  expect((await api.request("DELETE", `/workers/${worker}`)).status).toBe(204);
  expect((await api.request("GET", `/workers/${worker}`)).status).toBe(404);
});

test("a failure is kept with its stack and cause, and its retry goes to a worker again", async () => {
  const worker = await join();
  const id = await trigger({ retry: { maxAttempts: 2, initialDelay: "10ms", jitter: false } });
  for (const attempt of [1, 2]) {
    const run = await claimed(worker);
    expect(run).toMatchObject({ id, attempt });
    const error = { code: "SMTP", message: "no route", stack: "Error: no route\n  at send", cause: "ECONNREFUSED" };
    const items = [{ id, token: run.token, outcome: "failed", error }];
    expect((await api.request("POST", `/workers/${worker}/settle`, { body: { items } })).body.items[0].accepted).toBe(
      true,
    );
  }
  expect(await execution(id)).toMatchObject({
    state: "failed",
    error: { code: "SMTP", message: "no route", stack: expect.stringContaining("at send"), cause: "ECONNREFUSED" },
    reason: { code: "attempts_exhausted" },
  });
});

test("a claim that waits is answered by a trigger, and repeated under its id it is answered the same", async () => {
  const worker = await join();
  const requestId = randomUUID();
  const waiting = claim(worker, { requestId, waitMs: 20_000 });
  const id = await trigger();
  const first = (await waiting).body.executions;
  expect(first.map((run: { id: string }) => run.id)).toEqual([id]);
  const again = (await claim(worker, { requestId, waitMs: 20_000 })).body.executions;
  expect(again).toMatchObject([{ id, token: first[0].token }]);
});

test("a claim that waits gets nothing any more once its key is revoked, and is told so", async () => {
  const worker = await join();
  const { key, id } = (await api.request("POST", "/api-keys", { body: { name: "w", scopes: ["work"] } })).body;
  const body = { requestId: randomUUID(), handlers: [{ name: "report", free: 5 }], waitMs: 30_000 };
  const waiting = api.request("POST", `/workers/${worker}/claim`, { key, body });
  await until("the claim has come", async () => {
    const { items } = (await api.request("GET", "/api-keys")).body;
    return items.find((one: { id: string }) => one.id === id).lastUsedAt;
  });
  expect((await api.request("DELETE", `/api-keys/${id}`)).status).toBe(204);
  const due = await trigger();
  const { status, body: answer } = await waiting;
  expect([status, answer.error?.message]).toEqual([401, expect.stringMatching(/^the key "w" was revoked at/)]);
  expect(await execution(due)).toMatchObject({ state: "scheduled" });
});

test("a worker whose execution is cancelled is told so", async () => {
  const worker = await join();
  const id = await trigger();
  const { token } = await claimed(worker);
  await api.request("POST", `/executions/${id}/cancel`);
  const body = { executions: [{ id, token }] };
  expect((await api.request("POST", `/workers/${worker}/heartbeat`, { body })).body.items).toEqual([
    { id, status: "cancel" },
  ]);
  const items = [{ id, token, outcome: "succeeded" }];
  expect((await api.request("POST", `/workers/${worker}/settle`, { body: { items } })).body.items).toEqual([
    { id, accepted: false, reason: "claim_lost" },
  ]);
});

test("a worker that is to drain is told with its heartbeat and gets nothing more", async () => {
  const worker = await join();
  await trigger();
  const drained = await api.request("POST", `/workers/${worker}/drain`);
  expect([drained.status, drained.body.draining]).toEqual([200, true]);
  expect((await api.request("POST", `/workers/${worker}/heartbeat`)).body).toEqual({ items: [], drain: true });
  expect((await claim(worker)).body).toEqual({ executions: [] });
  expect((await api.request("POST", "/workers/nobody/drain")).status).toBe(404);
});

test("joining and leaving are told", async () => {
  const told: string[] = [];
  const stop = api.database.store.events.subscribe(
    ({ type, data }) => void (type.startsWith("worker.") && told.push(`${type} ${data.worker}`)),
    () => {},
  );
  const worker = await join();
  await api.request("PUT", `/workers/${worker}`, { body: { name: "anna", handlers: [] } });
  await api.request("DELETE", `/workers/${worker}`);
  await until("both are told", () => told.length >= 2);
  expect(told).toEqual(["worker.joined anna", "worker.left anna"]);
  stop();
});

test("workers and handlers are listed for those who may read", async () => {
  const worker = await join([{ name: "report", slots: 5 }, { name: "mail" }]);
  const list = await api.request("GET", "/workers", { key: READ_KEY });
  expect(list.body).toMatchObject({
    items: [
      {
        id: worker,
        name: "anna",
        kind: "remote",
        handlers: [
          { name: "report", slots: 5 },
          { name: "mail", slots: 1 },
        ],
        running: 0,
        alive: true,
      },
    ],
    nextCursor: null,
  });
  expect((await api.request("GET", `/workers/${worker}`, { key: READ_KEY })).body).toMatchObject({ id: worker });
  const { items } = (await api.request("GET", "/handlers", { key: READ_KEY })).body;
  expect(items).toContainEqual(expect.objectContaining({ name: "mail", status: "unused", workers: 1, slots: 1 }));
});

describe("a job whose handler nobody offers says so", () => {
  const handler = `h-${randomUUID()}`;
  const warnings = (body: { warnings: { code: string }[] }) => body.warnings.map(({ code }) => code);

  test("when it is tried, created, read, listed and changed, until a worker comes, and again when it is gone", async () => {
    const body = { name: `job-${handler}`, target: { type: "worker", handler }, tags: [handler] };
    expect(warnings((await api.request("POST", "/jobs?dryRun=true", { body })).body)).toEqual(["handler_unknown"]);
    expect(warnings((await api.request("POST", "/jobs", { body })).body)).toEqual(["handler_unknown"]);
    const read = async () => [
      warnings((await api.request("GET", `/jobs/${body.name}`)).body),
      warnings((await api.request("GET", `/jobs?tag=${handler}`)).body.items[0]),
      warnings((await api.request("PUT", `/jobs/${body.name}`, { body })).body),
      warnings((await api.request("PUT", `/jobs/${body.name}?dryRun=true`, { body })).body),
    ];
    expect(await read()).toEqual(Array(4).fill(["handler_unknown"]));
    const worker = await join([{ name: handler }]);
    expect(await read()).toEqual(Array(4).fill([]));
    await api.request("DELETE", `/workers/${worker}`);
    expect(await read()).toEqual(Array(4).fill(["handler_unserved"]));
  });
});

describe("what is refused", () => {
  test("a worker that is not known: it is told to register", async () => {
    for (const [path, body] of [
      ["claim", { requestId: "r", handlers: [] }],
      ["heartbeat", { executions: [] }],
    ] as const) {
      const { status, body: answer } = await api.request("POST", `/workers/nobody/${path}`, { body });
      expect([status, answer.error.code]).toEqual([404, "not_found"]);
      expect(answer.error.message).toContain("register it first");
    }
  });

  test("another project's worker and its executions", async () => {
    const worker = await join();
    const id = await trigger();
    const { token } = await claimed(worker);
    expect((await api.request("GET", `/workers/${worker}`, { key: STRANGER_KEY })).status).toBe(404);
    expect((await api.request("GET", "/workers", { key: STRANGER_KEY })).body.items).toEqual([]);
    const body = { items: [{ id, token, outcome: "succeeded" }] };
    const settled = await api.request("POST", `/workers/${worker}/settle`, { body, key: STRANGER_KEY });
    expect(settled.body.items).toEqual([{ id, accepted: false, reason: "claim_lost" }]);
    const lines = { items: [{ id, token, lines: [{ seq: 1, message: "mine" }] }] };
    const logged = await api.request("POST", `/workers/${worker}/logs`, { body: lines, key: STRANGER_KEY });
    expect(logged.body).toEqual({ accepted: 0, dropped: 1 });
    expect(await execution(id)).toMatchObject({ state: "running" });
  });

  test("a key that may not work", async () => {
    const worker = await join();
    const answers = await Promise.all([
      api.request("PUT", `/workers/${worker}`, { key: READ_KEY, body: { handlers: [] } }),
      api.request("POST", `/workers/${worker}/settle`, { key: READ_KEY, body: { items: [] } }),
      api.request("DELETE", `/workers/${worker}`, { key: READ_KEY }),
      api.request("POST", `/workers/${worker}/drain`, { key: READ_KEY }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test("a handler that the worker did not register", async () => {
    const worker = await join();
    const { status, body } = await claim(worker, {
      handlers: [
        { name: "report", free: 1 },
        { name: "mail", free: 1 },
      ],
    });
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject([{ path: "handlers.1.name", code: "not_registered", value: "mail" }]);
  });

  test.each([
    ["an id that is none", "PUT", "/workers/a%20b", { handlers: [] }, "id"],
    ["no handlers", "PUT", "/workers/w", {}, "handlers"],
    ["a handler's name that is none", "PUT", "/workers/w", { handlers: [{ name: "a b" }] }, "handlers.0.name"],
    ["a handler named twice", "PUT", "/workers/w", { handlers: [{ name: "a" }, { name: "a" }] }, "handlers.1.name"],
    ["no slot", "PUT", "/workers/w", { handlers: [{ name: "a", slots: 0 }] }, "handlers.0.slots"],
    ["a lease that is too short", "PUT", "/workers/w", { handlers: [], lease: "1s" }, "lease"],
    ["a lease that is too long", "PUT", "/workers/w", { handlers: [], lease: "1h" }, "lease"],
    ["an unknown field", "PUT", "/workers/w", { handlers: [], slots: 1 }, "slots"],
    ["no request id", "POST", "/workers/w/claim", { handlers: [] }, "requestId"],
    ["a wait that is too long", "POST", "/workers/w/claim", { requestId: "r", handlers: [], waitMs: 30_001 }, "waitMs"],
    [
      "an execution without a token",
      "POST",
      "/workers/w/heartbeat",
      { executions: [{ id: randomUUID() }] },
      "executions.0.token",
    ],
    [
      "an outcome that is none",
      "POST",
      "/workers/w/settle",
      { items: [{ id: randomUUID(), token: "t", outcome: "ok" }] },
      "items.0.outcome",
    ],
    [
      "a line without a number",
      "POST",
      "/workers/w/logs",
      { items: [{ id: randomUUID(), token: "t", lines: [{ message: "m" }] }] },
      "items.0.lines.0.seq",
    ],
  ])("%s", async (_, method, path, body, at) => {
    const answer = await api.request(method, path, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((problem: { path: string }) => problem.path)).toContain(at);
  });

  test("a token that is none costs nothing but its own item", async () => {
    const worker = await join();
    const id = await trigger();
    const { token } = await claimed(worker);
    const items = [
      { id: randomUUID(), token: "nonsense", outcome: "succeeded" },
      { id, token: token.toUpperCase(), outcome: "failed", error: "a text is enough", retryable: false },
    ];
    const { body } = await api.request("POST", `/workers/${worker}/settle`, { body: { items } });
    expect(body.items.map(({ accepted }: { accepted: boolean }) => accepted)).toEqual([false, true]);
    expect(await execution(id)).toMatchObject({
      state: "failed",
      error: { code: "handler", message: "a text is enough" },
    });
  });
});

test("a server that closes answers the claims that wait, at once", async () => {
  const closing = await startApi();
  await closing.request("PUT", "/workers/w", { body: { handlers: HANDLERS } });
  const body = { requestId: "r", handlers: [{ name: "report", free: 1 }], waitMs: 30_000 };
  const waiting = closing.request("POST", "/workers/w/claim", { body });
  // Served in the order in which they came: once this is answered the other, as a rule, waits.
  await closing.request("POST", "/workers/w/claim", { body: { ...body, requestId: "s", waitMs: 0 } });
  const begun = performance.now();
  await closing.close();
  // With nothing, or, should it not have been looked for yet, with the advice to ask another.
  expect([200, 503]).toContain((await waiting).status);
  expect(performance.now() - begun).toBeLessThan(20_000);
});
