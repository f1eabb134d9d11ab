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
