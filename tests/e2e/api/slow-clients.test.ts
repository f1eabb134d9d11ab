// Clients that send or read slowly, or not at all, on raw sockets against a server with little patience.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, KEY, startApi } from "./api-server.ts";

const HASTY = { headersMs: 300, requestMs: 600, unreadMs: 400, keepAliveMs: 300, checkMs: 20 };
const LONG_MS = 600_000;

let api: ApiServer;
beforeAll(async () => {
  api = await startApi({ options: { timeouts: HASTY } });
});
afterAll(async () => await api.close());

async function dial({ url } = api): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** All that the server says until it closes the connection. */
async function heardOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString();
  });
  if (!socket.closed) await once(socket, "close");
  return text;
}

const HEAD = `host: x\r\nauthorization: Bearer ${KEY}\r\n`;
const REPLY_408 = /^HTTP\/1\.1 408 .*"the request took too long to arrive"/s;

test("headers that trickle in are cut off", async () => {
  const socket = await dial();
  socket.write(`GET /api/v1/me HTTP/1.1\r\n${HEAD}`);
  const drip = setInterval(() => socket.write("x-a: b\r\n"), 50);
  onTestFinished(() => clearInterval(drip));
  expect(await heardOf(socket)).toMatch(REPLY_408);
});

test("a connection that says nothing is cut off", async () => {
  expect(await heardOf(await dial())).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

test("a body that trickles in is cut off", async () => {
  const socket = await dial();
  socket.write(`POST /api/v1/jobs HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-length: 100000\r\n\r\n`);
  const drip = setInterval(() => socket.write(" "), 50);
  onTestFinished(() => clearInterval(drip));
  expect(await heardOf(socket)).toMatch(REPLY_408);
});

test("a connection that is kept open without asking is closed after its answer, without another word", async () => {
  const socket = await dial();
  socket.write(`GET /api/v1/health/live HTTP/1.1\r\n${HEAD}\r\n`);
  const text = await heardOf(socket);
  expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 200"]);
});

test("who asks and asks without reading any answer is cut off", async () => {
  await api.request("PUT", "/jobs/large", { body: { target: ECHO, payload: "x".repeat(200_000) } });
  const socket = await dial();
  socket.pause();
  // One after the other on one connection: more than the buffers between here and there can hold.
  socket.write(`GET /api/v1/jobs/large HTTP/1.1\r\n${HEAD}\r\n`.repeat(100));
  await vi.waitUntil(async () => (await openConnections()) === 0, { timeout: 20_000, interval: 20 });
});

test("a listener that takes not even the pings is cut off", async () => {
  const [[served], listener] = await Promise.all([once(api.app.server, "connection"), listenTo(api)]);
  listener.pause();
  await flood(api, async () => (served as Socket).writableLength > 200_000, { events: 10 });
  expect((served as Socket).writableLength).toBeLessThan(1024 * 1024);
  await once(served as Socket, "close");
});

test("a listener that does not read is let go when a megabyte waits for it, and the others hear on", async () => {
  const patient = await startApi({ beside: api, options: { timeouts: { ...HASTY, unreadMs: LONG_MS } } });
  onTestFinished(() => patient.close());
  const [deaf, attentive] = [await listenTo(patient), await listenTo(patient)];
  deaf.pause();
  let heard = 0;
  attentive.on("data", (bytes) => {
    heard += bytes.length;
  });
  await flood(patient, async () => (await openConnections(patient)) === 1);
  const before = heard;
  await flood(patient, async () => heard > before);
  expect(attentive.closed).toBe(false);
});

async function listenTo(server: ApiServer): Promise<Socket> {
  const socket = await dial(server);
  socket.write(`GET /api/v1/events HTTP/1.1\r\n${HEAD}\r\n`);
  await once(socket, "data");
  return socket;
}

/** Events until something has come of them. */
async function flood(server: ApiServer, enough: () => Promise<boolean>, { events } = { events: 100 }): Promise<void> {
  const reason = { code: "x", message: "x".repeat(4_000) };
  const event = () => ({
    type: "job.updated" as const,
    timestamp: new Date().toISOString(),
    projectId: PROJECT,
    data: { jobId: randomUUID(), reason },
  });
  const publishAndLook = async () => {
    server.deps.store.events.publish(() => Array.from({ length: events }, event));
    return await enough();
  };
  await vi.waitUntil(publishAndLook, { timeout: 60_000, interval: 5 });
}

function openConnections({ app } = api): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
