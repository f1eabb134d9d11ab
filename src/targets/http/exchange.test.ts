// Targets that do everything a target should not. Each test waits for an event, never for a time that should suffice.

import type net from "node:net";
import { describe, expect, test } from "vitest";
import type { AbortReason } from "../port.ts";
import { makeCall, makeRunner, never, settled } from "./testing/calls.ts";
import { answeringBytes, httpServer, rawServer } from "./testing/servers.ts";

const head = (status: number, ...headers: string[]) =>
  [`HTTP/1.1 ${status} Some Words`, ...headers, "", ""].join("\r\n");

/** Makes one attempt; short timeouts are for targets that never come to an end. */
async function attempt(url: string, target: Record<string, unknown> = {}, delivery?: "at_most_once") {
  return settled(await makeRunner().attempt(makeCall({ url, ...target }, delivery ? { delivery } : {}), never));
}

const doubtfulTimeout = {
  outcome: "timed_out",
  cause: { kind: "timeout" },
  doubtful: true,
  error: { code: "timeout" },
};
const doubtfulNetwork = { outcome: "failed", cause: { kind: "network" }, doubtful: true, error: { code: "network" } };

describe("a target that takes its time", () => {
  test("and never answers ends with the timeout, in doubt", async () => {
    const server = await httpServer(() => {});
    const result = await attempt(server.url, { timeout: "60ms" });
    expect(result).toMatchObject({ ...doubtfulTimeout, response: null });
    expect(result.error!.message).toBe("there was not an answer in time (target.timeout is 60ms)");
    expect(result.timings!.totalMs).toBeGreaterThanOrEqual(59);
  });

  test("over its headers ends with the timeout", async () => {
    const server = await rawServer((socket) => drip(socket, head(200, "x-slow: yes").slice(0, -2)));
    expect(await attempt(server.url, { timeout: "60ms" })).toMatchObject({ ...doubtfulTimeout, response: null });
  });

  test("over the body of a success ends with the timeout, and what came is kept", async () => {
    const server = await rawServer((socket) => {
      socket.once("data", () => {
        socket.write(`${head(200, "content-length: 1000")}first part`);
        drip(socket, "....................");
      });
    });
    const result = await attempt(server.url, { timeout: "80ms" });
    expect(result).toMatchObject({ ...doubtfulTimeout, response: { status: 200, truncated: true } });
    expect(result.response!.body).toMatch(/^first part/);
    expect(result.error!.message).toContain("the end of the answer");
  });

  test("over the body of a failure has failed all the same", async () => {
    const server = await answeringBytes(`${head(500, "content-length: 1000")}oh`);
    expect(await attempt(server.url, { timeout: "60ms" })).toMatchObject({
      outcome: "failed",
      cause: { kind: "status", status: 500 },
      doubtful: false,
      response: { status: 500, body: "oh", truncated: true },
    });
  });

  test("is given up without doubt while it is still waiting for a connection", async () => {
    const server = await httpServer(() => {});
    const runner = makeRunner({ connectionsPerOrigin: 1 });
    const abort = new AbortController();
    const first = runner.attempt(makeCall({ url: server.url }), abort.signal);
    const second = settled(await runner.attempt(makeCall({ url: server.url, timeout: "40ms" }), never));
    expect(second).toMatchObject({ outcome: "timed_out", doubtful: false });
    expect(second.error!.message).toContain("there was not a connection in time");
    abort.abort("cancelled");
    expect(await first).toMatchObject({ outcome: "cancelled", doubtful: true });
    expect(server.received).toHaveLength(1);
  });

  test("but says it may wait for weeks is not cut off at once", async () => {
    const server = await httpServer();
    expect(await attempt(server.url, { timeout: "300d", connectTimeout: "300d" })).toMatchObject({
      outcome: "succeeded",
    });
  });
});

describe("a body", () => {
  test("without end is read as far as it is kept, then the connection is dropped", async () => {
    let closed: Promise<unknown> | undefined;
    const server = await rawServer((socket) => {
      closed = closing(socket);
      socket.once("data", () => {
        socket.write(head(200, "transfer-encoding: chunked", "content-type: application/json"));
        const more = () => {
          while (socket.writable && socket.write(`400\r\n${"7".repeat(0x400)}\r\n`));
        };
        socket.on("drain", more);
        more();
      });
    });
    const result = await attempt(server.url);
    expect(result).toMatchObject({
      outcome: "succeeded",
      result: null,
      response: { truncated: true, body: "7".repeat(16_384) },
    });
    await closed;
  });

  test.each(["with its length", "in chunks"])("sent %s and cut leaves the connection usable", async (way) => {
    const server = await httpServer(({ url }, response) => {
      if (way === "in chunks") response.flushHeaders();
      response.end("x".repeat(Number(url.slice(1))));
    });
    const runner = makeRunner({ bodyKeptBytes: 1000, connectionsPerOrigin: 1 });
    for (const [size, kept, truncated] of [
      [1000, 1000, false],
      [1001, 1000, true],
      [100_000, 1000, true],
      [0, 0, false],
    ] as const) {
      const result = settled(await runner.attempt(makeCall({ url: `${server.url}/${size}` }), never));
      expect(result).toMatchObject({ outcome: "succeeded", response: { body: "x".repeat(kept), truncated } });
    }
    expect(server.connections).toBe(1);
  });

  test("that stalls after all that is kept of it does not delay a success", async () => {
    const server = await answeringBytes(head(200, "content-length: 2000") + "x".repeat(1500));
    const result = settled(await makeRunner({ bodyKeptBytes: 1000 }).attempt(makeCall({ url: server.url }), never));
    expect(result).toMatchObject({ outcome: "succeeded", response: { truncated: true } });
  });

  test("of any bytes is stored as text that PostgreSQL takes", async () => {
    const bodies = [
      Buffer.from("a\u0000b\u0000"),
      Buffer.of(0xff, 0xfe, 0x00, 0x41),
      Buffer.of(0xed, 0xa0, 0x80, 0x42),
      Buffer.of(0xc0, 0x80),
      Buffer.of(0xf0, 0x9f, 0x94),
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
    ];
    const server = await httpServer(({ url }, response) => response.end(bodies[Number(url.slice(1))]));
    const runner = makeRunner();
    for (const index of bodies.keys()) {
      const { body } = settled(await runner.attempt(makeCall({ url: `${server.url}/${index}` }), never)).response!;
      expect(body).not.toContain("\u0000");
      expect(body!.isWellFormed()).toBe(true);
    }
  });

  test("cut within a character ends before it", async () => {
    const server = await httpServer((_, response) => response.end("🔑".repeat(100)));
    for (const bodyKeptBytes of [40, 41, 42, 43]) {
      const result = settled(await makeRunner({ bodyKeptBytes }).attempt(makeCall({ url: server.url }), never));
      expect(result.response).toMatchObject({ body: "🔑".repeat(10), truncated: true });
    }
  });

  test("that is compressed although nobody asked is not kept as noise", async () => {
    const server = await httpServer((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(Buffer.of(31, 139, 8)),
    );
    expect((await attempt(server.url)).response).toMatchObject({ body: null, headers: { "content-encoding": "gzip" } });
  });

  test("that ends with the connection, as HTTP/1.0 has it, is whole", async () => {
    const server = await answeringBytes("HTTP/1.0 200 OK\r\n\r\nall of it", "end");
    expect(await attempt(server.url)).toMatchObject({
      outcome: "succeeded",
      response: { body: "all of it", truncated: false },
    });
  });
});

describe("a connection that breaks", () => {
  test.each([
    ["is reset before the answer", (socket: net.Socket) => socket.resetAndDestroy()],
    ["is closed before the answer", (socket: net.Socket) => socket.end()],
    [
      "is reset within the headers",
      (socket: net.Socket) => socket.write("HTTP/1.1 200 O", () => socket.resetAndDestroy()),
    ],
    [
      "is reset within the body",
      (socket: net.Socket) => socket.write(`${head(200, "content-length: 9")}abc`, () => socket.resetAndDestroy()),
    ],
    ["is closed within the body", (socket: net.Socket) => socket.end(`${head(200, "content-length: 9")}abc`)],
    [
      "is closed within a chunk",
      (socket: net.Socket) => socket.end(`${head(200, "transfer-encoding: chunked")}9\r\nabc`),
    ],
  ])("because it %s leaves the call in doubt", async (_, breakIt) => {
    const server = await rawServer((socket) => socket.once("data", () => breakIt(socket)));
    for (const method of ["POST", "GET"]) expect(await attempt(server.url, { method })).toMatchObject(doubtfulNetwork);
    // One connection per attempt: nothing was sent a second time behind our back.
    expect(server.connections).toBe(2);
  });

  test.each(["POST", "GET", "PUT", "DELETE"])(
    "when it was reused for a %s is in doubt and not sent again by itself",
    async (method) => {
      let requests = 0;
      const server = await rawServer((socket) => {
        socket.on("data", (data) => {
          requests += data.toString("latin1").split("HTTP/1.1\r\n").length - 1;
          if (requests === 1) socket.write(`${head(200, "content-length: 2")}ok`);
          else socket.resetAndDestroy();
        });
      });
      const runner = makeRunner();
      expect(await runner.attempt(makeCall({ url: server.url, method }), never)).toMatchObject({
        outcome: "succeeded",
      });
      expect(await runner.attempt(makeCall({ url: server.url, method }), never)).toMatchObject(doubtfulNetwork);
      expect({ requests, connections: server.connections }).toEqual({ requests: 2, connections: 1 });
    },
  );

  test("within the body of a failure leaves the failure", async () => {
    const server = await answeringBytes(`${head(503, "content-length: 99", "retry-after: 7")}abc`, "reset");
    expect(await attempt(server.url)).toMatchObject({
      cause: { kind: "status", status: 503 },
      doubtful: false,
      retryAfterMs: 7000,
    });
  });

  test("after an early refusal of a large body leaves the refusal", async () => {
    const server = await answeringBytes(head(413, "content-length: 0", "connection: close"), "end");
    const result = settled(
      await makeRunner().attempt(makeCall({ url: server.url }, { payload: "x".repeat(200_000) }), never),
    );
    expect(result).toMatchObject({ cause: { kind: "status", status: 413 }, doubtful: false });
  });

  test("because the target closes after each answer is opened anew for the next call", async () => {
    const server = await httpServer((_, response) => response.writeHead(200, { connection: "close" }).end("ok"));
    const runner = makeRunner();
    for (let count = 0; count < 3; count++)
      expect(await runner.attempt(makeCall({ url: server.url }), never)).toMatchObject({ outcome: "succeeded" });
    expect(server.connections).toBe(3);
  });
});

describe("an answer that is none", () => {
  test.each([
    ["not HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a broken header", "HTTP/1.1 200 OK\r\nbad\u0001header\r\n\r\n"],
    ["two lengths", `${head(200, "content-length: 1", "content-length: 2")}ab`],
    ["an upgrade nobody asked for", head(101, "upgrade: websocket", "connection: upgrade")],
    ["a 100 nobody asked for", `${head(100)}${head(200, "content-length: 0")}`],
    ["headers beyond measure", `HTTP/1.1 200 OK\r\n${`x-filler: ${"y".repeat(1000)}\r\n`.repeat(40)}\r\n`],
  ])("(%s) leaves the call in doubt", async (_, bytes) => {
    const server = await answeringBytes(bytes);
    expect(await attempt(server.url, { timeout: "10s" })).toMatchObject(doubtfulNetwork);
  });

  test("but merely announced (103) is waited for", async () => {
    const server = await answeringBytes(`${head(103, "link: </x>; rel=preload")}${head(201, "content-length: 2")}ok`);
    expect(await attempt(server.url)).toMatchObject({ outcome: "succeeded", response: { status: 201, body: "ok" } });
  });

  test("does not end in the next call when it comes unasked on an idle connection", async () => {
    let sockets = 0;
    const server = await rawServer((socket) => {
      const body = `answer ${++sockets}`;
      const answer = `${head(200, `content-length: ${body.length}`)}${body}`;
      socket.on("data", () =>
        socket.write(sockets === 1 ? answer + head(200, "content-length: 8").concat("poisoned") : answer),
      );
    });
    const runner = makeRunner();
    await runner.attempt(makeCall({ url: server.url }), never);
    const second = settled(await runner.attempt(makeCall({ url: server.url }), never));
    expect(second.response?.body ?? null).not.toBe("poisoned");
  });
});

describe("a call that is called off", () => {
  const reasons: [AbortReason, string][] = [
    ["timeout", "timed_out"],
    ["cancelled", "cancelled"],
    ["claim_lost", "cancelled"],
    ["shutdown", "cancelled"],
  ];

  test.each(reasons)(
    "because of %s while under way is %s, in doubt, and its connection is dropped",
    async (reason, outcome) => {
      const abort = new AbortController();
      let closed: Promise<unknown> | undefined;
      const server = await rawServer((socket) => {
        closed = closing(socket);
        socket.once("data", () => abort.abort(reason));
      });
      const result = settled(await makeRunner().attempt(makeCall({ url: server.url }), abort.signal));
      expect(result).toMatchObject({ outcome, doubtful: true, error: { code: reason } });
      await closed;
    },
  );

  test.each(reasons)("because of %s before it began is %s without doubt", async (reason, outcome) => {
    const server = await httpServer();
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url }), AbortSignal.abort(reason)));
    expect(result).toMatchObject({ outcome, doubtful: false, error: { code: reason } });
    expect(server.connections).toBe(0);
  });

  test("after its failing answer began is cancelled nevertheless", async () => {
    const abort = new AbortController();
    const server = await rawServer((socket) => {
      socket.once("data", () =>
        socket.write(`${head(500, "content-length: 99")}abc`, () => setImmediate(() => abort.abort("cancelled"))),
      );
    });
    expect(await makeRunner().attempt(makeCall({ url: server.url }), abort.signal)).toMatchObject({
      outcome: "cancelled",
    });
  });

  test("by closing the runner ends at once, and no other is made", async () => {
    const server = await httpServer(() => void runner.close());
    const runner = makeRunner({ connectionsPerOrigin: 1 });
    const calls = [1, 2].map(() => runner.attempt(makeCall({ url: server.url }), never));
    expect((await Promise.all(calls)).map((result) => settled(result).doubtful)).toEqual([true, false]);
    expect(await runner.attempt(makeCall({ url: server.url }), never)).toMatchObject({
      outcome: "cancelled",
      error: { code: "shutdown" },
    });
    expect(server.connections).toBe(1);
  });
});

function closing(socket: net.Socket): Promise<unknown> {
  return new Promise((resolve) => socket.on("close", resolve));
}

/** Writes a character whenever the last one is out, for as long as the socket lives. */
function drip(socket: net.Socket, text: string): void {
  const timer = setInterval(() => {
    if (text === "" || socket.destroyed) clearInterval(timer);
    else socket.write(text[0]!);
    text = text.slice(1);
  }, 5);
  socket.on("close", () => clearInterval(timer));
}
