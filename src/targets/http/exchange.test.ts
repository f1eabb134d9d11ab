// Targets that do everything a target should not. Each test waits for an event, never for a time that should suffice.

import type net from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AbortReason } from "../port.ts";
import { Exchange } from "./exchange.ts";
import { makeCall, makeRunner, never, settled } from "./testing/calls.ts";
import { answeringBytes, httpServer, rawServer } from "./testing/servers.ts";

const head = (status: number, ...headers: string[]) =>
  [`HTTP/1.1 ${status} Some Words`, ...headers, "", ""].join("\r\n");

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
    const time = stoppedTime();
    const server = await httpServer(() => time.runOut());
    const result = await attempt(server.url);
    expect(result).toMatchObject({ ...doubtfulTimeout, response: null });
    expect(result.error!.message).toBe("no answer within target.timeout (30s)");
  });

  test("over its headers ends with the timeout", async () => {
    const time = stoppedTime();
    const server = await rawServer((socket) => {
      socket.once("data", () => socket.write(head(200, "x-slow: yes").slice(0, -2), () => time.runOut()));
    });
    expect(await attempt(server.url)).toMatchObject({ ...doubtfulTimeout, response: null });
  });

  test("over the body of a success ends with the timeout, and what came is kept", async () => {
    const time = stoppedTime();
    time.runOutAfterBodyPart();
    const server = await answeringBytes(`${head(200, "content-length: 1000")}first part`);
    const result = await attempt(server.url);
    expect(result).toMatchObject({
      ...doubtfulTimeout,
      response: { status: 200, body: "first part", truncated: true },
    });
    expect(result.error!.message).toBe("no end of the answer within target.timeout (30s)");
  });

  test("over the body of a failure has failed all the same", async () => {
    const time = stoppedTime();
    time.runOutAfterBodyPart();
    const server = await answeringBytes(`${head(500, "content-length: 1000")}oh`);
    expect(await attempt(server.url)).toMatchObject({
      outcome: "failed",
      cause: { kind: "status", status: 500 },
      doubtful: false,
      response: { status: 500, body: "oh", truncated: true },
    });
  });

  test("and drips its body cannot draw the call out by that", async () => {
    const server = await rawServer((socket) => {
      socket.once("data", () => {
        socket.write(head(200, "content-length: 100000"));
        const timer = setInterval(() => socket.write("."), 5);
        socket.on("close", () => clearInterval(timer));
      });
    });
    expect(await attempt(server.url, { timeout: "150ms" })).toMatchObject({ outcome: "timed_out" });
  });

  test("is given up without doubt while it is still waiting for a connection", async () => {
    const abort = new AbortController();
    let arrived: () => void = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await httpServer(() => arrived());
    const runner = makeRunner({ connectionsPerOrigin: 1 });
    const first = runner.attempt(makeCall({ url: server.url }), abort.signal);
    await arrival;
    const second = settled(await runner.attempt(makeCall({ url: server.url, timeout: "40ms" }), never));
    expect(second).toMatchObject({ outcome: "timed_out", doubtful: false });
    expect(second.error!.message).toContain("no connection within target.timeout (40ms)");
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

/** Timers that go off only when the test says so. */
function stoppedTime() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const runOut = () => void vi.advanceTimersByTime(30_000);
  const runOutAfterBodyPart = () => {
    const { onBody } = Exchange.prototype;
    const heard = vi.spyOn(Exchange.prototype, "onBody").mockImplementation(function (this: Exchange, chunk) {
      onBody.call(this, chunk);
      runOut();
    });
    onTestFinished(() => void heard.mockRestore());
  };
  return { runOut, runOutAfterBodyPart };
}

describe("whatever a target does with its answer", () => {
  test("each attempt reaches it at most once, success means a whole answer, and certainty is never wrong", async () => {
    const seed = Number(process.env.PUNCTUAL_TEST_SEED ?? Date.now() % 1_000_000);
    const random = seededRandom(seed);
    const arrivals = new Map<string, { count: number; wholeAnswer: boolean }>();
    const server = await rawServer((socket) => {
      socket.on("data", (data) => {
        for (const [, id] of data.toString("latin1").matchAll(/x-test-id: (\d+)/g)) {
          const arrival = { count: (arrivals.get(id!)?.count ?? 0) + 1, wholeAnswer: false };
          arrivals.set(id!, arrival);
          misbehave(socket, random, arrival);
        }
      });
    });
    const runner = makeRunner({ connectionsPerOrigin: 8 });
    const attempts = Array.from({ length: 400 }, async (_, id) => {
      const delivery = random() < 0.3 ? "at_most_once" : "at_least_once";
      const call = makeCall({ url: server.url, headers: { "x-test-id": String(id) } }, { delivery });
      const result = settled(await runner.attempt(call, never));
      const arrival = arrivals.get(String(id)) ?? { count: 0, wholeAnswer: false };
      const story = `PUNCTUAL_TEST_SEED=${seed}, attempt ${id}: ${JSON.stringify({ result, arrival })}`;
      expect(arrival.count, story).toBeLessThanOrEqual(1);
      if (result.outcome === "succeeded") expect(arrival.wholeAnswer, story).toBe(true);
      else if (!result.doubtful && result.cause?.kind !== "status") expect(arrival.count, story).toBe(0);
    });
    await Promise.all(attempts);
    expect(arrivals.size).toBeGreaterThan(300);
  });
});

/** Answers whole or up to a random byte, in random pieces, and then keeps, ends or resets the connection. */
function misbehave(socket: net.Socket, random: () => number, arrival: { wholeAnswer: boolean }): void {
  const status = random() < 0.8 ? 200 : 500;
  const answer = `${head(status, "content-length: 40", ...(random() < 0.2 ? ["connection: close"] : []))}${"b".repeat(40)}`;
  const isWhole = random() < 0.6;
  const sent = answer.slice(0, isWhole ? answer.length : Math.floor(random() * answer.length));
  const cut = Math.floor(random() * sent.length);
  arrival.wholeAnswer = isWhole;
  socket.write(sent.slice(0, cut));
  socket.write(sent.slice(cut), () => {
    if (!isWhole || random() < 0.2) {
      if (random() < 0.5) socket.end();
      else socket.resetAndDestroy();
    }
  });
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
