import { once } from "node:events";
import type net from "node:net";
import { describe, expect, test, vi } from "vitest";
import { makeCall, makeRunner, never, settled } from "./testing/calls.ts";
import { httpServer, rawServer } from "./testing/servers.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

describe("a connection that was used", () => {
  test.each([
    ["timeout=60", 1],
    ["timeout=2", 2],
    ["timeout=0", 2],
  ])("of which the target says %s is opened %i times for two calls", async (keepAlive, connections) => {
    const server = await httpServer((_, response) => response.writeHead(200, { "keep-alive": keepAlive }).end("ok"));
    const runner = makeRunner();
    for (let count = 0; count < 2; count++) await runner.attempt(makeCall({ url: server.url }), never);
    expect(server.connections).toBe(connections);
  });

  test("and is too old is not used again", async () => {
    const server = await rawServer((socket) => socket.on("data", () => socket.write(ok)));
    const runner = makeRunner({ keepAliveMs: 1 });
    await runner.attempt(makeCall({ url: server.url }), never);
    const endedMs = performance.now();
    await vi.waitUntil(() => performance.now() > endedMs + 1);
    await runner.attempt(makeCall({ url: server.url }), never);
    expect(server.connections).toBe(2);
  });

  test("and was closed by the target is replaced before anything is sent", async () => {
    const sockets: net.Socket[] = [];
    const server = await rawServer((socket) => {
      sockets.push(socket);
      socket.on("data", () => socket.write(ok));
    });
    const runner = makeRunner();
    await runner.attempt(makeCall({ url: server.url }), never);
    const closed = once(sockets[0]!, "close");
    sockets[0]!.end();
    await closed;
    const second = settled(await runner.attempt(makeCall({ url: server.url }), never));
    expect(second).toMatchObject({ outcome: "succeeded", response: { body: "ok" } });
    expect(server.connections).toBe(2);
  });

  test("and brought what nobody had asked for is not used again", async () => {
    const sockets: net.Socket[] = [];
    const server = await rawServer((socket) => {
      sockets.push(socket);
      socket.on("data", () => socket.write(ok));
    });
    const runner = makeRunner();
    await runner.attempt(makeCall({ url: server.url }), never);
    const closed = once(sockets[0]!, "close");
    sockets[0]!.write(ok.replace("ok", "no"));
    await closed;
    expect(await runner.attempt(makeCall({ url: server.url }), never)).toMatchObject({ response: { body: "ok" } });
    expect(server.connections).toBe(2);
  });

  test("for a DELETE with a body carries no other call", async () => {
    const server = await httpServer();
    const runner = makeRunner();
    await runner.attempt(makeCall({ url: server.url, method: "DELETE", body: { all: true } }), never);
    await runner.attempt(makeCall({ url: server.url, method: "DELETE" }), never);
    await runner.attempt(makeCall({ url: server.url }), never);
    expect(server.received.map(({ body }) => body)).toEqual(['{"all":true}', "", '{"order":17}']);
    expect(server.connections).toBe(2);
  });
});

describe("a request", () => {
  test.each([0, 1, 16_383, 16_384, 16_385, 1_000_000])("with a body of %i bytes arrives whole", async (bytes) => {
    const server = await httpServer();
    // Two bytes for each letter but the last.
    const bodyText = "{{payload}}";
    const payload = "ü".repeat(bytes / 2) + "x".repeat(bytes % 2);
    const runner = makeRunner();
    for (let count = 0; count < 2; count++)
      await runner.attempt(makeCall({ url: server.url, bodyText }, { payload }), never);
    for (const { headers, body } of server.received) {
      expect(headers["content-length"]).toBe(String(bytes));
      expect(body).toBe(payload);
    }
    expect(server.connections).toBe(1);
  });

  test.each([
    ["GET", undefined],
    ["DELETE", undefined],
    ["POST", "12"],
  ])("%s says %j of the length of its body", async (method, length) => {
    const server = await httpServer();
    await makeRunner().attempt(makeCall({ url: server.url, method }), never);
    expect(server.received[0]!.headers["content-length"]).toBe(length);
  });
});
