import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { makeCall, makeRunner, NOW_MS, never, settled } from "./testing/calls.ts";
import { closedPort, httpServer } from "./testing/servers.ts";

const json = { "content-type": "application/json" };

describe("a call", () => {
  test("carries ids, attempt, instant, trace and the payload", async () => {
    const server = await httpServer();
    const call = makeCall({ url: `${server.url}/hook` });
    await makeRunner().attempt(call, never);
    const { method, url, headers, body } = server.received[0]!;
    expect({ method, url, body }).toEqual({ method: "POST", url: "/hook", body: '{"order":17}' });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Punctual/1.2.3",
      "idempotency-key": call.rootId,
      "webhook-id": call.executionId,
      "webhook-timestamp": String(NOW_MS / 1000),
      "punctual-execution-id": call.executionId,
      "punctual-job": "nightly-report",
      "punctual-attempt": "2",
      "punctual-scheduled-at": "2026-12-01T01:00:00.000Z",
      traceparent: call.traceparent,
    });
    expect(headers).not.toHaveProperty("punctual-callback-url");
    expect(headers).not.toHaveProperty("webhook-signature");
  });

  test("is signed with all keys of the project, newest first, as Standard Webhooks verifies it", async () => {
    const server = await httpServer();
    const keys = [randomBytes(32), randomBytes(32)];
    const runner = makeRunner({ now: Date.now }, { signingKeys: keys });
    await runner.attempt(makeCall({ url: server.url, body: { text: "ünïcode {{payload.order}}" } }), never);
    const { headers, body } = server.received[0]!;
    for (const key of keys)
      expect(new Webhook(key.toString("base64")).verify(body, headers as Record<string, string>)).toEqual({
        text: "ünïcode 17",
      });
  });

  test("is not sent unsigned when the key that the target names is missing", async () => {
    const server = await httpServer();
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url, signingKey: "billing" }), never));
    expect(result).toMatchObject({
      outcome: "failed",
      cause: null,
      doubtful: false,
      error: { code: "unknown_signing_key" },
    });
    expect(result.error!.message).toContain("billing");
    expect(server.received).toEqual([]);
  });

  test("lets the job replace or leave out the idempotency key and replace user-agent and content-type", async () => {
    const server = await httpServer();
    const runner = makeRunner();
    const headers = {
      "Idempotency-Key": "order-{{payload.order}}",
      "User-Agent": "mine",
      "Content-Type": "application/vnd.x+json",
    };
    await runner.attempt(makeCall({ url: server.url, headers }), never);
    await runner.attempt(makeCall({ url: server.url, headers: { "idempotency-key": null } }), never);
    expect(server.received[0]!.headers).toMatchObject({
      "idempotency-key": "order-17",
      "user-agent": "mine",
      "content-type": "application/vnd.x+json",
    });
    expect(server.received[1]!.headers).not.toHaveProperty("idempotency-key");
  });

  test.each(["GET", "DELETE"])("%s has neither body nor content type unless the job gives one", async (method) => {
    const server = await httpServer();
    await makeRunner().attempt(makeCall({ url: server.url, method }), never);
    expect(server.received[0]).toMatchObject({ method, body: "" });
    expect(server.received[0]!.headers).not.toHaveProperty("content-type");
  });

  test("sends bodyText as it is filled in, as plain text", async () => {
    const server = await httpServer();
    await makeRunner().attempt(makeCall({ url: server.url, bodyText: "order={{payload.order}}&x=ü" }), never);
    expect(server.received[0]).toMatchObject({
      body: "order=17&x=ü",
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  });

  test("sends the payload of a trigger, not that of the job", async () => {
    const server = await httpServer();
    const call = makeCall({ url: server.url });
    const runner = makeRunner();
    await runner.attempt(call, never);
    await runner.attempt({ ...call, payload: ["other"] }, never);
    expect(server.received.map(({ body }) => body)).toEqual(['{"order":17}', '["other"]']);
  });
});

describe("a secret", () => {
  const secrets = { TOKEN: 'k"7 +ä/s3cret' };

  test("is filled in where the job names it", async () => {
    const server = await httpServer();
    const runner = makeRunner({}, { secrets: { TOKEN: "s3cret+/x" } });
    const target = {
      url: `${server.url}/{{secrets.TOKEN}}`,
      headers: { authorization: "Bearer {{secrets.TOKEN}}" },
      body: "{{secrets.TOKEN}}",
    };
    await runner.attempt(makeCall(target), never);
    expect(server.received[0]).toMatchObject({
      url: "/s3cret%2B%2Fx",
      body: '"s3cret+/x"',
      headers: { authorization: "Bearer s3cret+/x" },
    });
  });

  test("that does not exist fails the attempt for good, by name, before anything is sent", async () => {
    const server = await httpServer();
    const result = settled(
      await makeRunner().attempt(makeCall({ url: server.url, headers: { authorization: "{{secrets.NOPE}}" } }), never),
    );
    expect(result).toMatchObject({
      outcome: "failed",
      cause: null,
      doubtful: false,
      error: { code: "unknown_secret" },
    });
    expect(result.error!.message).toContain("NOPE");
    expect(server.connections).toBe(0);
  });

  test.each([
    ["are too long together", { A: "a".repeat(40_000), B: "b".repeat(25_537) }, /65537 characters.* 65536/],
    ["are too many", Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`S${n}`, "value"])), /33 secrets.* 32/],
  ])("of those that %s fails the attempt for good, before anything is sent", async (_, values, message) => {
    const server = await httpServer();
    const bodyText = Object.keys(values)
      .map((name) => `{{secrets.${name}}}`)
      .join(" ");
    const call = makeCall({ url: server.url, bodyText });
    const result = settled(await makeRunner({}, { secrets: values as Record<string, string> }).attempt(call, never));
    expect(result).toMatchObject({
      outcome: "failed",
      cause: null,
      doubtful: false,
      error: { code: "secrets_too_large" },
    });
    expect(result.error!.message).toMatch(message);
    expect(result.error!.message).not.toMatch(/aaaa|bbbb|value/);
    expect(server.connections).toBe(0);
  });

  test("never comes back into the ledger, in whatever form the target repeats it", async () => {
    const forms = (text: string) => [
      text,
      encodeURIComponent(text),
      JSON.stringify(text),
      Buffer.from(text).toString("base64"),
    ];
    const server = await httpServer(({ url }, response) => {
      response.writeHead(302, { location: `/login?from=${url}`, "x-request-id": encodeURIComponent(secrets.TOKEN) });
      response.end(forms(secrets.TOKEN).join(" | "));
    });
    const runner = makeRunner({}, { secrets });
    const target = {
      url: `${server.url}/a/{{secrets.TOKEN}}`,
      query: { key: "{{secrets.TOKEN}}" },
      body: "{{secrets.TOKEN}}",
    };
    const result = await runner.attempt(makeCall(target), never);
    expect(server.received[0]!.url).toContain(encodeURIComponent(secrets.TOKEN));
    expect(settled(result).request!.url).toBe(`${server.url}/a/[secret TOKEN]?key=[secret TOKEN]`);
    expect(settled(result).response!.body).toBe('[secret TOKEN] | [secret TOKEN] | "[secret TOKEN]" | [secret TOKEN]=');
    for (const form of forms(secrets.TOKEN))
      expect(JSON.stringify(result)).not.toContain(form.replace(/^"|"$|=+$/g, ""));
  });

  test("cut off at the end of what is kept leaves nothing of it there", async () => {
    const server = await httpServer((_, response) =>
      response.end(`${"x".repeat(100)}0123456789-secret${"y".repeat(300_000)}`),
    );
    const runner = makeRunner({ bodyKeptBytes: 110 }, { secrets: { TOKEN: "0123456789-secret" } });
    const result = settled(
      await runner.attempt(makeCall({ url: server.url, headers: { "x-a": "{{secrets.TOKEN}}" } }), never),
    );
    expect(result.response).toMatchObject({ body: `${"x".repeat(100)}[secret TOKEN]`, truncated: true });
  });

  test("is not in the parsed result either", async () => {
    const server = await httpServer((_, response) =>
      response.writeHead(200, json).end(JSON.stringify({ got: secrets.TOKEN })),
    );
    const runner = makeRunner({}, { secrets });
    const result = settled(await runner.attempt(makeCall({ url: server.url, body: "{{secrets.TOKEN}}" }), never));
    expect(result.result).toEqual({ got: "[secret TOKEN]" });
  });

  test("or signing key that cannot be read now is tried again later", async () => {
    const vault = { secrets: vi.fn(), signingKeys: vi.fn().mockRejectedValue(new Error("the database is gone")) };
    const result = settled(await makeRunner({}, vault).attempt(makeCall({ url: "http://127.0.0.1:1" }), never));
    expect(result).toMatchObject({
      outcome: "failed",
      cause: { kind: "network" },
      doubtful: false,
      error: { code: "vault_unavailable" },
    });
    expect(vault.secrets).not.toHaveBeenCalled();
  });
});

describe("an answer", () => {
  test("with a JSON body becomes the result; status, headers of interest, body and timings are kept", async () => {
    const server = await httpServer((_, response) => {
      response
        .writeHead(201, { ...json, "x-request-id": "r1", "set-cookie": "session=1", "x-other": "2" })
        .end('{"id":5}');
    });
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url }), never));
    expect(result).toMatchObject({
      outcome: "succeeded",
      error: null,
      result: { id: 5 },
      doubtful: false,
      cause: null,
    });
    expect(result.response).toMatchObject({ status: 201, body: '{"id":5}', truncated: false });
    expect(result.response!.headers).toMatchObject({ ...json, "x-request-id": "r1" });
    expect(result.response!.headers).not.toHaveProperty("set-cookie");
    expect(result.response!.headers).not.toHaveProperty("x-other");
    expect(result.request).toEqual({ method: "POST", url: `${server.url}/` });
  });

  test.each([
    ["text/plain", '{"id":5}'],
    ["application/json", "{broken"],
    ["application/json", ""],
    ["application/jsonp", "1"],
    ["application/json", '"\\u0000"'],
    ["application/json", '"\\ud800"'],
    ["application/json", "[".repeat(5000) + "]".repeat(5000)],
  ])("of type %s with %j has no result", async (type, body) => {
    const server = await httpServer((_, response) => response.writeHead(200, { "content-type": type }).end(body));
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url }), never));
    expect(result).toMatchObject({ outcome: "succeeded", result: null, response: { body } });
  });

  test.each([200, 201, 204, 299])("of %i is a success", async (status) => {
    const server = await httpServer((_, response) => response.writeHead(status).end());
    expect(await makeRunner().attempt(makeCall({ url: server.url }), never)).toMatchObject({
      outcome: "succeeded",
      response: { status },
    });
  });

  test.each([
    300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 408, 410, 418, 425, 429, 451, 500, 502, 503, 504, 599, 999,
  ])("of %i is a failure that is not in doubt", async (status) => {
    const server = await httpServer((_, response) => response.writeHead(status, { location: "/elsewhere" }).end("no"));
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url }), never));
    expect(result).toMatchObject({
      outcome: "failed",
      cause: { kind: "status", status },
      doubtful: false,
      error: { code: "http_status" },
    });
    expect(result.error!.message).toContain(String(status));
    expect(server.received).toHaveLength(1);
  });

  test("counts as success exactly where successOn says so", async () => {
    const server = await httpServer(({ url }, response) => response.writeHead(Number(url.slice(1))).end());
    const runner = makeRunner();
    const outcome = async (status: number) =>
      (await runner.attempt(makeCall({ url: `${server.url}/${status}`, successOn: ["204", "3xx", "404"] }), never))
        .outcome;
    expect(await Promise.all([204, 301, 404, 200, 400].map(outcome))).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
      "failed",
      "failed",
    ]);
  });

  test.each([
    ["120", 120_000],
    ["0", 0],
    ["Tue, 01 Dec 2026 01:00:30 GMT", 30_000],
    ["Tuesday, 01-Dec-26 01:00:30 GMT", 30_000],
    ["Mon, 30 Nov 2026 00:00:00 GMT", 0],
    ["soon", null],
    ["-5", null],
    ["1.5", null],
    ["Tue, 99 Foo 2026 01:00:30 GMT", null],
  ])("with Retry-After %j asks to wait %j ms", async (header, ms) => {
    const server = await httpServer((_, response) => response.writeHead(503, { "retry-after": header }).end());
    expect(settled(await makeRunner().attempt(makeCall({ url: server.url }), never)).retryAfterMs).toBe(ms);
  });

  test("of 202 leaves the execution running if the target completes by callback, and only then", async () => {
    const server = await httpServer((_, response) => response.writeHead(202).end("later"));
    const runner = makeRunner();
    const callbackUrl = "https://punctual.example/api/v1/callbacks/tok";
    const call = makeCall({ url: server.url, completion: "callback" }, { callbackUrl });
    expect(await runner.attempt(call, never)).toMatchObject({
      outcome: "accepted",
      response: { status: 202, body: "later" },
    });
    expect(server.received[0]!.headers["punctual-callback-url"]).toBe(callbackUrl);
    expect(await runner.attempt(makeCall({ url: server.url }), never)).toMatchObject({ outcome: "succeeded" });
  });

  test("of 202 is accepted even if successOn is about other statuses; another success completes at once", async () => {
    const server = await httpServer(({ url }, response) => response.writeHead(Number(url.slice(1))).end());
    const runner = makeRunner();
    const target = { completion: "callback", successOn: ["200"] };
    expect((await runner.attempt(makeCall({ url: `${server.url}/202`, ...target }), never)).outcome).toBe("accepted");
    expect((await runner.attempt(makeCall({ url: `${server.url}/200`, ...target }), never)).outcome).toBe("succeeded");
  });

  test("that repeats the callback's address does not put it into the ledger", async () => {
    const server = await httpServer(({ headers }, response) => response.end(JSON.stringify(headers)));
    const callbackUrl = "https://punctual.example/api/v1/callbacks/tok";
    const result = await makeRunner().attempt(
      makeCall({ url: server.url, completion: "callback" }, { callbackUrl }),
      never,
    );
    expect(JSON.stringify(result)).not.toContain("callbacks/tok");
  });
});

describe("connections", () => {
  test("are used again, and a reused one has no dialling phases", async () => {
    const server = await httpServer();
    const runner = makeRunner();
    const first = settled(await runner.attempt(makeCall({ url: server.url }), never));
    const second = settled(await runner.attempt(makeCall({ url: server.url }), never));
    expect(server.connections).toBe(1);
    expect(first.timings!.connectMs).toBeGreaterThan(0);
    expect(second.timings).toMatchObject({ dnsMs: 0, connectMs: 0, tlsMs: 0 });
    expect(second.timings!.totalMs).toBeGreaterThanOrEqual(second.timings!.firstByteMs);
  });

  test("are fresh for every at_most_once call, and used by no other afterwards", async () => {
    const server = await httpServer();
    const runner = makeRunner();
    await runner.attempt(makeCall({ url: server.url }), never);
    for (let count = 0; count < 3; count++)
      await runner.attempt(makeCall({ url: server.url }, { delivery: "at_most_once" }), never);
    expect(server.connections).toBe(4);
    expect(server.received.map(({ headers }) => headers.connection)).toEqual(["keep-alive", "close", "close", "close"]);
    await runner.attempt(makeCall({ url: server.url }), never);
    expect(server.connections).toBe(4);
  });

  test("are no more than the bound per origin; further calls wait their turn", async () => {
    let inFlight = 0;
    let most = 0;
    const server = await httpServer((_, response) => {
      most = Math.max(most, ++inFlight);
      setImmediate(() => {
        inFlight--;
        response.end();
      });
    });
    const runner = makeRunner({ connectionsPerOrigin: 3 });
    const calls = Array.from({ length: 30 }, (_, at) =>
      makeCall({ url: server.url }, { delivery: at % 3 ? "at_least_once" : "at_most_once" }),
    );
    const results = await Promise.all(calls.map((call) => runner.attempt(call, never)));
    expect(results.every(({ outcome }) => outcome === "succeeded")).toBe(true);
    expect(most).toBeLessThanOrEqual(3);
  });

  test("of a hanging origin leave those of others alone", async () => {
    const hanging = await httpServer(() => {});
    const other = await httpServer();
    const runner = makeRunner({ connectionsPerOrigin: 2 });
    const abort = new AbortController();
    const stuck = Array.from({ length: 5 }, () => runner.attempt(makeCall({ url: hanging.url }), abort.signal));
    expect(await runner.attempt(makeCall({ url: other.url }), never)).toMatchObject({ outcome: "succeeded" });
    abort.abort("cancelled");
    const outcomes = (await Promise.all(stuck)).map((result) => [result.outcome, settled(result).doubtful]);
    expect(outcomes.filter(([outcome]) => outcome === "cancelled")).toHaveLength(5);
    // The three that were still waiting for a connection were surely not sent.
    expect(outcomes.filter(([, doubtful]) => doubtful).length).toBeLessThanOrEqual(2);
  });

  test("to the origins used least recently are closed when there are too many", async () => {
    const servers = await Promise.all(Array.from({ length: 4 }, () => httpServer()));
    const runner = makeRunner({ originsMax: 2 });
    for (const { url } of servers) await runner.attempt(makeCall({ url }), never);
    for (const { url } of [servers[3]!, servers[2]!, servers[0]!]) await runner.attempt(makeCall({ url }), never);
    expect(servers.map(({ connections }) => connections)).toEqual([2, 1, 1, 1]);
  });

  test("that cannot be made say so without doubt", async () => {
    const result = settled(
      await makeRunner().attempt(makeCall({ url: `http://127.0.0.1:${await closedPort()}` }), never),
    );
    expect(result).toMatchObject({
      outcome: "failed",
      cause: { kind: "network" },
      doubtful: false,
      response: null,
      error: { code: "network" },
    });
    expect(result.error!.message).toContain("refused");
  });
});
