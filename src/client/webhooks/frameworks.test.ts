// Each framework as users run it: over real HTTP, with calls signed as the server signs them.

import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSigningKey, parseSigningKey, sign } from "../../core/webhook-signature.ts";
import { expressWebhooks } from "./express.ts";
import { fastifyWebhooks } from "./fastify.ts";
import { honoWebhooks } from "./hono.ts";
import { verifyRequest } from "./request.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { webhookOf } from "./verified-calls.ts";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const KEY = generateSigningKey();
const keys = [generateSigningKey(), KEY];
const BODY = '{ "amount": 7,  "note": "ünïcode" }';

interface Receiver {
  url: string;
  close(): Promise<void>;
}

const receivers: Record<string, () => Promise<Receiver>> = {
  fastify: async () => {
    const app = Fastify();
    app.register(async (hooks) => {
      hooks.register(fastifyWebhooks, { keys });
      hooks.all("/hook", async (request) => {
        const { payload, job, attempt } = webhookOf(request);
        return { payload, job, attempt, body: request.body ?? null };
      });
    });
    app.post("/open", async (request) => ({ body: request.body }));
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    return { url, close: () => app.close() };
  },
  express: async () => {
    const app = express();
    app.all("/hook", expressWebhooks({ keys }), (request, response) => {
      const { payload, job, attempt } = webhookOf(request);
      response.json({ payload, job, attempt, body: request.body ?? null });
    });
    app.post("/open", express.json(), (request, response) => void response.json({ body: request.body }));
    return await listening(app);
  },
  "express after express.raw()": async () => {
    const app = express();
    app.use("/hook", express.raw({ type: "*/*" }));
    app.all("/hook", expressWebhooks({ keys }), (request, response) => {
      const { payload, job, attempt } = webhookOf(request);
      response.json({ payload, job, attempt, body: request.body ?? null });
    });
    app.post("/open", express.json(), (request, response) => void response.json({ body: request.body }));
    return await listening(app);
  },
  hono: async () => {
    const app = new Hono();
    app.all("/hook", honoWebhooks({ keys }), async (context) => {
      const { payload, job, attempt } = webhookOf(context.req.raw);
      const body = context.req.method === "GET" ? null : await context.req.json();
      return context.json({ payload, job, attempt, body });
    });
    app.post("/open", async (context) => context.json({ body: await context.req.json() }));
    return await listening(fetching((request) => app.fetch(request)));
  },
  Request: async () =>
    await listening(
      fetching(async (request) => {
        if (request.url.endsWith("/open")) return Response.json({ body: await request.json() });
        try {
          const { payload, job, attempt } = await verifyRequest(request, keys);
          return Response.json({ payload, job, attempt, body: payload });
        } catch (error) {
          if (!(error instanceof WebhookVerificationError)) throw error;
          return Response.json({ error: { code: error.code } }, { status: error.status });
        }
      }),
    ),
};

describe.each(Object.entries(receivers))("%s", (_, start) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await start();
  });
  afterAll(async () => await receiver.close());

  const post = async (headers: Record<string, string>, body = BODY, method = "POST") => {
    const response = await fetch(`${receiver.url}/hook`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(method === "GET" ? {} : { body }),
    });
    return { status: response.status, body: await response.json() };
  };

  test("lets a call of Punctual's pass, with its payload and what is known of it", async () => {
    const headers = { ...signed(BODY), "punctual-job": "bill", "punctual-attempt": "3" };
    const payload = { amount: 7, note: "ünïcode" };
    expect(await post(headers)).toEqual({
      status: 200,
      body: { payload, job: "bill", attempt: 3, body: payload },
    });
  });

  test("lets a call pass that the Standard Webhooks library signed", async () => {
    const at = new Date();
    const headers = {
      "webhook-id": ID,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(KEY).sign(ID, at, BODY),
    };
    expect(await post(headers)).toMatchObject({ status: 200, body: { payload: { amount: 7 } } });
  });

  test("lets a call without a body pass", async () => {
    expect(await post(signed(""), "", "GET")).toMatchObject({ status: 200, body: { payload: null } });
  });

  test.each([
    ["a changed body", signed(BODY), BODY.replace("7", "8"), "no_matching_signature"],
    ["an old call", signed(BODY, { ageSeconds: 400 }), BODY, "timestamp_too_old"],
    ["another key", signed(BODY, { key: generateSigningKey() }), BODY, "no_matching_signature"],
    ["no headers", {}, BODY, "missing_header"],
  ])("answers 401 to %s", async (_case, headers, body, code) => {
    expect(await post(headers as Record<string, string>, body)).toMatchObject({
      status: 401,
      body: { error: { code } },
    });
  });

  test("leaves other routes alone", async () => {
    const response = await fetch(`${receiver.url}/open`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: BODY,
    });
    expect(await response.json()).toEqual({ body: { amount: 7, note: "ünïcode" } });
  });
});

test("Fastify checks the payload, not its bytes, against the route's schema", async () => {
  const app = Fastify();
  app.register(fastifyWebhooks, { keys });
  const schema = { body: { type: "object", required: ["amount"], properties: { amount: { type: "string" } } } };
  app.post("/hook", { schema }, async (request) => request.body);
  const good = await app.inject({ method: "POST", url: "/hook", headers: signed(BODY), payload: BODY });
  expect(good.json()).toEqual({ amount: "7", note: "ünïcode" });
  const bad = await app.inject({ method: "POST", url: "/hook", headers: signed("{}"), payload: "{}" });
  expect(bad.statusCode).toBe(400);
  await app.close();
});

test("Express is told to verify before it parses", async () => {
  const app = express();
  app.use(express.json());
  app.post("/hook", expressWebhooks({ keys }), (_request, response) => void response.json({}));
  app.use(
    ((error, _request, response, _next) =>
      void response.status(500).json({ message: error.message })) as express.ErrorRequestHandler,
  );
  const receiver = await listening(app);
  const response = await fetch(`${receiver.url}/hook`, {
    method: "POST",
    headers: { "content-type": "application/json", ...signed(BODY) },
    body: BODY,
  });
  expect(await response.json()).toEqual({ message: expect.stringContaining("before express.json()") });
  await receiver.close();
});

test("Express does not read bodies without end", async () => {
  const app = express();
  app.post("/hook", expressWebhooks({ keys, bodyBytesMax: 1_000 }), (_request, response) => void response.json({}));
  const receiver = await listening(app);
  const body = "x".repeat(1_001);
  const response = await fetch(`${receiver.url}/hook`, { method: "POST", headers: signed(body), body });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { code: "body_too_large" } });
  await receiver.close();
});

/** A request whose body is larger than anybody wants it, and how much of it was read. */
function enormous(headers: Record<string, string> = {}) {
  const read = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      read.bytes += 1_000;
      controller.enqueue(new Uint8Array(1_000));
      if (read.bytes >= 4_000_000) controller.close();
    },
  });
  const init = { method: "POST", headers: { ...signed(""), ...headers }, body, duplex: "half" } as RequestInit;
  return { request: new Request("http://receiver.example/hook", init), read };
}

describe.each<[string, (request: Request, bodyBytesMax?: number) => Promise<Response>]>([
  [
    "Hono",
    async (request, bodyBytesMax) => {
      const app = new Hono();
      app.post("/hook", honoWebhooks({ keys, bodyBytesMax }), (context) => context.json({}));
      return await app.request(request);
    },
  ],
  [
    "verifyRequest",
    async (request, bodyBytesMax) => {
      const refused = ({ code, status }: WebhookVerificationError) => Response.json({ error: { code } }, { status });
      return await verifyRequest(request, keys, { bodyBytesMax }).then(() => Response.json({}), refused);
    },
  ],
])("%s", (_, answer) => {
  test.each([
    ["10,000 bytes", 10_000],
    ["1 MiB by default", undefined],
  ])("does not read bodies without end: %s", async (_case, bytesMax) => {
    const { request, read } = enormous();
    const response = await answer(request, bytesMax);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "body_too_large" } });
    expect(read.bytes).toBeLessThan((bytesMax ?? 1024 * 1024) + 10_000);
  });

  test("does not read at all what is announced to be too large", async () => {
    const { request, read } = enormous({ "content-length": "10001" });
    expect((await answer(request, 10_000)).status).toBe(413);
    expect(read.bytes).toBeLessThanOrEqual(1_000);
  });

  test("reads what is as large as allowed", async () => {
    const body = "x".repeat(10_000);
    const request = () => new Request("http://receiver.example/hook", { method: "POST", headers: signed(body), body });
    expect((await answer(request(), 10_000)).status).toBe(200);
    expect((await answer(request(), 9_999)).status).toBe(413);
  });
});

test("Hono's other middleware may have read the body before", async () => {
  const app = new Hono();
  app.use(async (context, next) => {
    await context.req.text();
    await next();
  });
  app.post("/hook", honoWebhooks({ keys }), async (context) => context.json(await context.req.json()));
  const response = await app.request("/hook", { method: "POST", headers: signed(BODY), body: BODY });
  expect(await response.json()).toEqual({ amount: 7, note: "ünïcode" });
});

test("a Request whose body was read before is a mistake of the receiver", async () => {
  const request = new Request("http://receiver.example/", { method: "POST", headers: signed(BODY), body: BODY });
  await request.text();
  await expect(verifyRequest(request, keys)).rejects.toThrow("was read before it could be verified");
});

test("none of them starts without a key", async () => {
  expect(() => expressWebhooks({ keys: [] })).toThrow("there is no key to verify with");
  expect(() => honoWebhooks({ keys: "" })).toThrow("is empty");
  const app = Fastify();
  app.register(fastifyWebhooks, { keys: [] });
  await expect(app.ready()).rejects.toThrow("there is no key to verify with");
});

function signed(body: string, { key = KEY, ageSeconds = 0 } = {}): Record<string, string> {
  const parsed = parseSigningKey(key);
  if ("problem" in parsed) throw new Error(parsed.problem);
  const at = Math.floor(Date.now() / 1_000) - ageSeconds;
  return {
    "webhook-id": ID,
    "webhook-timestamp": String(at),
    "webhook-signature": sign([parsed.key], ID, at, body),
  };
}

/** What runs a Request handler on Node.js. */
function fetching(handle: (request: Request) => Response | Promise<Response>): RequestListener {
  return async (request, response) => {
    const answer = await handle(await asRequest(request));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
}

async function asRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? "GET",
    headers: request.headers as Record<string, string>,
    ...(request.method === "GET" ? {} : { body: Buffer.concat(chunks) }),
  });
}

async function listening(listener: RequestListener): Promise<Receiver> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
