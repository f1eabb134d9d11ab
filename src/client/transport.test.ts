import { afterEach, describe, expect, test, vi } from "vitest";
import { PunctualClient } from "./client.ts";
import { PunctualApiError, PunctualConnectionError } from "./errors.ts";
import {
  hangUp,
  json,
  refusal,
  type ScriptedServer,
  type Step,
  silence,
  startScripted,
} from "./testing/scripted-server.ts";

const JOB = { id: "1", name: "report", version: 1 };
const target = { type: "worker", handler: "report" } as const;

let server: ScriptedServer;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

async function clientOf(...steps: Step[]): Promise<PunctualClient> {
  server = await startScripted(...steps);
  return new PunctualClient({ url: server.url, key: "k" });
}

async function failureOf(promise: Promise<unknown>): Promise<PunctualApiError & PunctualConnectionError> {
  return await promise.then(
    () => expect.fail("it was to be refused"),
    (error) => error,
  );
}

test("any call is made again that was turned away unread", async () => {
  const client = await clientOf(refusal(429, "rate_limited"), json(200, JOB));
  expect(await client.jobs.patch("report", { priority: 1 })).toEqual(JOB);
  expect(server.asked).toHaveLength(2);
});

describe("a call that does no harm when it is made twice", () => {
  test.each([
    ["429", refusal(429, "rate_limited")],
    ["502", refusal(502, "bad_gateway")],
    ["503", refusal(503, "unavailable")],
    ["504", refusal(504, "timeout")],
    ["a broken connection", hangUp],
  ])("is made again after %s", async (_, step) => {
    const client = await clientOf(step, step, json(200, JOB));
    expect(await client.jobs.get("report")).toEqual(JOB);
    expect(server.asked).toHaveLength(3);
  });

  test("is given up after four tries, with the last failure", async () => {
    const client = await clientOf(refusal(503, "unavailable"));
    const error = await failureOf(client.jobs.get("report"));
    expect(error).toBeInstanceOf(PunctualApiError);
    expect(error).toMatchObject({ status: 503, code: "unavailable" });
    expect(server.asked).toHaveLength(4);
  });

  test("is made again when the time for one try is over", async () => {
    const client = await clientOf(silence, json(200, JOB));
    expect(await client.jobs.get("report", { timeoutMs: 100 })).toEqual(JOB);
    expect(server.asked).toHaveLength(2);
  });

  test("waits as long as the server asks for", async () => {
    const client = await clientOf(refusal(429, "rate_limited", { "retry-after": "1" }), json(200, JOB));
    await client.jobs.get("report");
    const [first, second] = server.asked;
    expect(second!.atMs - first!.atMs).toBeGreaterThan(990);
  });

  test("does not wait for minutes: the error says how long the server asks for", async () => {
    const client = await clientOf(refusal(503, "unavailable", { "retry-after": "3600" }));
    expect(await failureOf(client.jobs.get("report"))).toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(server.asked).toHaveLength(1);
  });

  test("is not made again after a refusal that will not pass", async () => {
    const client = await clientOf(refusal(404, "not_found"));
    expect(await failureOf(client.jobs.get("report"))).toMatchObject({ status: 404, code: "not_found" });
    expect(server.asked).toHaveLength(1);
  });
});

describe("of the calls that change something", () => {
  test("a POST carries an idempotency key of its own, the same for all its tries and another for the next call", async () => {
    const client = await clientOf(hangUp, refusal(503, "unavailable"), json(201, JOB));
    await client.jobs.create({ name: "report", target });
    await client.jobs.create({ name: "report", target });
    const keys = server.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test("a POST carries the caller's key if there is one", async () => {
    const client = await clientOf(json(201, JOB));
    await client.jobs.create({ name: "report", target }, { idempotencyKey: "order-7" });
    expect(server.asked[0]!.headers["idempotency-key"]).toBe("order-7");
  });

  test("a POST whose first try is still being worked on is asked for again", async () => {
    const client = await clientOf(refusal(409, "request_in_progress"), json(201, JOB));
    expect(await client.jobs.create({ name: "report", target })).toEqual(JOB);
  });

  test("a PATCH is made again only if it names the version that it changes", async () => {
    const client = await clientOf(hangUp, hangUp, json(200, JOB));
    expect(await failureOf(client.jobs.patch("report", { priority: 1 }))).toBeInstanceOf(PunctualConnectionError);
    expect(server.asked).toHaveLength(1);
    expect(await client.jobs.patch("report", { priority: 1 }, { ifMatch: 3 })).toEqual(JOB);
    expect(server.asked.map(({ headers }) => headers["if-match"])).toEqual([undefined, '"3"', '"3"']);
  });

  test("a DELETE whose answer was lost is done when the thing is gone", async () => {
    const client = await clientOf(hangUp, refusal(404, "not_found"));
    await expect(client.jobs.delete("report")).resolves.toBeUndefined();
  });

  test("a DELETE of what is not there says so", async () => {
    const client = await clientOf(refusal(503, "unavailable"), refusal(404, "not_found"));
    expect(await failureOf(client.jobs.delete("report"))).toMatchObject({ code: "not_found" });
  });

  test("those of the worker protocol carry what makes them repeatable in themselves", async () => {
    const client = await clientOf(hangUp, json(200, { executions: [] }));
    expect(await client.workers.claim("w", { requestId: "1", handlers: [] })).toEqual([]);
    expect(server.asked[1]!.headers["idempotency-key"]).toBeUndefined();
    expect(server.asked[1]!.body).toBe(server.asked[0]!.body);
  });

  test("none is made again if the caller wants no retries, and no key is spent on it", async () => {
    const client = await clientOf(refusal(503, "unavailable"));
    expect(await failureOf(client.jobs.create({ name: "report", target }, { retries: 0 }))).toMatchObject({
      status: 503,
    });
    expect(server.asked.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined]);
  });
});

describe("a caller who gives up", () => {
  test("ends the call at once, with the signal's reason", async () => {
    const client = await clientOf(silence);
    const controller = new AbortController();
    const call = failureOf(client.jobs.get("report", { signal: controller.signal }));
    await vi.waitUntil(() => server.asked.length === 1);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(server.asked).toHaveLength(1);
  });

  test("ends the wait between two tries", async () => {
    const client = await clientOf(refusal(503, "unavailable", { "retry-after": "50" }));
    const controller = new AbortController();
    const call = failureOf(client.jobs.get("report", { signal: controller.signal }));
    await vi.waitUntil(() => server.asked.length === 1);
    controller.abort();
    expect((await call).name).toBe("AbortError");
  });

  test("who gave up before makes no call", async () => {
    const client = await clientOf(json(200, JOB));
    expect((await failureOf(client.jobs.get("report", { signal: AbortSignal.abort() }))).name).toBe("AbortError");
    expect(server.asked).toHaveLength(0);
  });
});

describe("an error", () => {
  test("of the server names the call, the code and the server's words, and has every detail", async () => {
    const details = [{ path: "target.url", code: "invalid_url", message: "is not a valid URL", value: "x" }];
    const body = { error: { code: "validation_failed", message: "target.url: is not", details, requestId: "r-7" } };
    const client = await clientOf(json(400, body));
    const error = await failureOf(client.jobs.create({ name: "report", target }));
    expect(error.message).toBe("POST /api/v1/jobs was answered with 400 validation_failed: target.url: is not");
    expect(error).toMatchObject({
      name: "PunctualApiError",
      status: 400,
      code: "validation_failed",
      reason: "target.url: is not",
      details,
      requestId: "r-7",
      retryAfterMs: null,
    });
  });

  test("of something else that answered shows the beginning of what it said", async () => {
    const client = await clientOf((response) => {
      response.writeHead(403, { "content-type": "text/html" }).end("<h1>Go away</h1>");
    });
    const error = await failureOf(client.jobs.get("report"));
    expect(error).toMatchObject({ status: 403, code: "unexpected_answer" });
    expect(error.message).toContain("<h1>Go away</h1>");
  });

  test("is also what is good and no JSON: the address is not that of a Punctual server", async () => {
    const client = await clientOf((response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
    });
    expect(await failureOf(client.jobs.get("report"))).toMatchObject({ status: 200, code: "unexpected_answer" });
  });

  test("is also a redirect, which is not followed: a POST would become a GET on its way", async () => {
    const client = await clientOf((response) => {
      response.writeHead(301, { location: "https://punctual.example/api/v1/jobs" }).end();
    });
    const error = await failureOf(client.jobs.create({ name: "report", target }));
    expect(error).toMatchObject({ status: 301, code: "unexpected_answer" });
    expect(error.message).toContain("it leads to https://punctual.example/api/v1/jobs");
    expect(server.asked).toHaveLength(1);
  });

  test("of the caller's own making is not taken for one of the connection", async () => {
    const client = await clientOf(json(200, JOB));
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    expect(await failureOf(client.jobs.trigger("report", { payload: loop }))).toBeInstanceOf(TypeError);
    expect(server.asked).toHaveLength(0);
  });

  test("of the connection says what happened and keeps the cause", async () => {
    const client = await clientOf(json(200, JOB));
    await server.close();
    const error = await failureOf(client.jobs.get("report", { retries: 0 }));
    expect(error).toBeInstanceOf(PunctualConnectionError);
    expect(error.message).toMatch(
      /^GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/jobs\/report got no answer: .*ECONNREFUSED/,
    );
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test("of a try that took too long says how long it may take", async () => {
    const client = await clientOf(silence);
    const error = await failureOf(client.jobs.get("report", { retries: 0, timeoutMs: 50 }));
    expect(error.message).toContain("none came within 50 ms");
  });
});

describe("a client", () => {
  test("takes address and key from the environment", async () => {
    server = await startScripted(json(200, JOB));
    vi.stubEnv("PUNCTUAL_URL", `${server.url}/`);
    vi.stubEnv("PUNCTUAL_API_KEY", "from-the-environment");
    await new PunctualClient({ project: "shop" }).jobs.get("report");
    expect(server.asked[0]!.headers).toMatchObject({
      authorization: "Bearer from-the-environment",
      "punctual-project": "shop",
    });
  });

  test.each([
    ["", "there is no server to call"],
    ["punctual.example", "is no address of a server"],
    ["ftp://punctual.example", "is no address of a server"],
    ["https://me:secret@punctual.example", "has a user name or password in it"],
  ])("refuses the address %j", (url, problem) => {
    vi.stubEnv("PUNCTUAL_URL", "");
    expect(() => new PunctualClient({ url })).toThrow(problem);
  });

  test("takes a key that was read from a file with its line end, and refuses what can be no key", async () => {
    server = await startScripted(json(200, JOB));
    await new PunctualClient({ url: server.url, key: "k\n" }).jobs.get("report");
    expect(server.asked[0]!.headers.authorization).toBe("Bearer k");
    expect(() => new PunctualClient({ url: server.url, key: "two\nlines" })).toThrow(
      "characters in it that no key has",
    );
  });

  test.each([[Number.NaN], [-1], [0]])("makes a call once if it is to be made again %d times", async (retries) => {
    const client = await clientOf(refusal(503, "unavailable"));
    expect(await failureOf(client.jobs.get("report", { retries }))).toMatchObject({ status: 503 });
    expect(server.asked).toHaveLength(1);
  });

  test("may wait without an end", async () => {
    const client = await clientOf(json(200, JOB));
    expect(await client.jobs.get("report", { timeoutMs: Number.POSITIVE_INFINITY })).toEqual(JOB);
  });

  test.each([["/"], ["/punctual"], ["/punctual/"], ["/api/v1"], ["/punctual/api/v1/"]])(
    "finds the API below %j",
    async (path) => {
      server = await startScripted(json(200, JOB));
      await new PunctualClient({ url: server.url + path, key: "k" }).jobs.get("report");
      expect(server.asked[0]!.url).toBe(`${path.startsWith("/punctual") ? "/punctual" : ""}/api/v1/jobs/report`);
    },
  );

  test("writes ids and parameters so that they arrive as they are", async () => {
    const client = await clientOf(json(200, { items: [], nextCursor: null }));
    await client.jobs.list({ state: ["active", "paused"], q: "a&b=c d", tag: "x/y", cursor: undefined });
    await client.jobs.executions("a/b?c", { from: new Date(0), limit: 5 });
    const [list, executions] = server.asked;
    expect(Object.fromEntries(new URL(list!.url, server.url).searchParams)).toEqual({
      state: "active,paused",
      q: "a&b=c d",
      tag: "x/y",
    });
    expect(executions!.url).toBe("/api/v1/jobs/a%2Fb%3Fc/executions?from=1970-01-01T00%3A00%3A00.000Z&limit=5");
  });

  test.each([[""], ["."], [".."]])("does not take %j for the id of anything", async (id) => {
    const client = await clientOf(json(200, JOB));
    await expect(client.jobs.trigger(id)).rejects.toThrow("has an id that is none");
    await expect(client.jobs.delete(id)).rejects.toThrow("has an id that is none");
    expect(server.asked).toHaveLength(0);
  });

  test("reads page after page, and only as far as it is asked", async () => {
    const page = (items: number[], nextCursor: string | null) => json(200, { items, nextCursor });
    const client = await clientOf(page([1, 2], "b"), page([3], "c"), page([4], null));
    const all: unknown[] = [];
    for await (const job of client.jobs.all({ tag: "x" })) {
      all.push(job);
      if (all.length === 3) break;
    }
    expect(all).toEqual([1, 2, 3]);
    expect(server.asked.map(({ url }) => url)).toEqual([
      "/api/v1/jobs?limit=200&tag=x",
      "/api/v1/jobs?limit=200&tag=x&cursor=b",
    ]);
  });

  test("takes a node that is not ready for an answer, and does not ask twice", async () => {
    const client = await clientOf(json(503, { status: "unavailable", version: "1" }));
    expect(await client.health.ready()).toEqual({ status: "unavailable", version: "1" });
    expect(server.asked).toHaveLength(1);
  });

  test("may bring its own fetch", async () => {
    server = await startScripted(json(200, JOB));
    const asked: string[] = [];
    const own: typeof fetch = (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
    await new PunctualClient({ url: server.url, key: "k", fetch: own }).jobs.get("report");
    expect(asked).toEqual([`${server.url}/api/v1/jobs/report`]);
  });
});
