import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { Dialler } from "./dial.ts";
import { EgressGuard } from "./egress.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { Origins } from "./origins.ts";
import { lookupBySystem, Resolver } from "./resolver.ts";
import { makeRunner } from "./testing/calls.ts";
import { selfSigned } from "./testing/certificate.ts";
import { answeringBytes, closedPort, httpServer, rawServer } from "./testing/servers.ts";

const MIB = 1024 * 1024;

describe("a call that is not a job's", () => {
  test("is answered as fetch answers", async () => {
    const server = await httpServer((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"keys":[]}'),
    );
    const response = await makeRunner().fetch(`${server.url}/keys?kid=1#x`, {
      headers: { accept: "application/json" },
    });
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ keys: [] });
    expect(server.received[0]).toMatchObject({
      method: "GET",
      url: "/keys?kid=1",
      headers: { accept: "application/json", "user-agent": "Punctual/1.2.3", host: new URL(server.url).host },
      body: "",
    });
  });

  test("sends a body, as text or as a form", async () => {
    const server = await httpServer();
    const { fetch } = makeRunner();
    await fetch(server.url, { method: "post", body: "grüße", headers: new Headers({ "content-type": "text/x" }) });
    await fetch(new URL(server.url), {
      method: "POST",
      body: new URLSearchParams({ code: "a b" }),
      redirect: "manual",
    });
    expect(server.received).toMatchObject([
      { method: "POST", body: "grüße", headers: { "content-type": "text/x", "content-length": "7" } },
      {
        body: "code=a+b",
        headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
      },
    ]);
    // Each has its own.
    expect(server.connections).toBe(2);
  });

  test.each([204, 304, 401, 404, 500])("gives back the status %i", async (status) => {
    const server = await httpServer((_, response) => response.writeHead(status).end());
    const response = await makeRunner().fetch(server.url);
    expect({ status: response.status, body: await response.text() }).toEqual({ status, body: "" });
  });

  test("follows no redirect, even if asked to", async () => {
    const inside = await httpServer();
    const server = await httpServer((_, response) => response.writeHead(302, { location: inside.url }).end());
    const response = await makeRunner().fetch(server.url, { redirect: "follow" });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(inside.url);
    expect(inside.connections).toBe(0);
  });

  test("verifies the certificate", async () => {
    const tls = selfSigned("id.example");
    const server = await httpServer(undefined, { tls });
    const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
    const trusting = makeRunner({ ca: [tls.cert], lookup });
    expect((await trusting.fetch(`https://id.example:${server.port}/`)).status).toBe(200);
    await expect(trusting.fetch(`https://other.example:${server.port}/`)).rejects.toThrow("is for another host");
    await expect(makeRunner({ lookup }).fetch(`https://id.example:${server.port}/`)).rejects.toThrow("self-signed");
    expect(server.received).toHaveLength(1);
  });
});

describe("it goes nowhere that a job may not go", () => {
  test("by address, by name and by port", async () => {
    const server = await httpServer();
    const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
    const strict = makeRunner({ lookup }, {}, {});
    for (const host of ["127.0.0.1", "2130706433", "localhost", "rebind.example"])
      await expect(strict.fetch(`http://${host}:${server.port}/`)).rejects.toThrow("PUNCTUAL_EGRESS_ALLOW");
    const narrow = makeRunner({}, {}, { allow: ["127.0.0.0/8"], ports: [[443, 443]] });
    await expect(narrow.fetch(server.url)).rejects.toThrow(`port ${server.port} of 127.0.0.1`);
    expect(server.connections).toBe(0);
  });

  test("by another scheme", async () => {
    await expect(makeRunner().fetch("ftp://host.example/")).rejects.toThrow("use http: or https:");
    await expect(makeRunner().fetch("data:text/plain,x")).rejects.toThrow("use http: or https:");
  });

  test("and is for the host that was dialled", async () => {
    const server = await httpServer();
    for (const name of ["host", "content-length", "transfer-encoding", "connection", "proxy-authorization"])
      await expect(makeRunner().fetch(server.url, { headers: { [name]: "1" } })).rejects.toThrow(
        `the header "${name}"`,
      );
    await expect(makeRunner().fetch(server.url, { headers: { x: "a\r\nhost: b" } })).rejects.toThrow(TypeError);
    await expect(makeRunner().fetch(server.url, { method: "HEAD" })).rejects.toThrow('the method "HEAD"');
    expect(server.connections).toBe(0);
  });
});

describe("it ends", () => {
  test("where an answer is too long", async () => {
    const server = await httpServer((request, response) =>
      response.end(Buffer.alloc(request.url === "/most" ? MIB : MIB + 1, "x")),
    );
    const { fetch } = makeRunner();
    expect(await (await fetch(`${server.url}/most`)).text()).toHaveLength(MIB);
    await expect(fetch(`${server.url}/more`)).rejects.toThrow("the answer is longer than 1048576 bytes");
  });

  test("where an answer is encoded although nothing was offered", async () => {
    const server = await httpServer((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    );
    await expect(makeRunner().fetch(server.url)).rejects.toThrow("encoded as gzip");
  });

  test.each([
    ["no HTTP", "SSH-2.0-OpenSSH\r\n", "not valid HTTP"],
    ["half an answer", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", "closed before the answer was complete"],
    ["a status beyond all", "HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n", "the status 999"],
  ])("where there is %s", async (_, bytes, words) => {
    const server = await answeringBytes(bytes, "end");
    await expect(makeRunner().fetch(server.url)).rejects.toThrow(words);
  });

  test("where nobody listens", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    await expect(makeRunner().fetch(url)).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
  });

  test("when its time is over, whether the answer does not come or does not end", async () => {
    const dialler = new Dialler(
      new EgressGuard({ allow: ["127.0.0.0/8"] }),
      new Resolver(lookupBySystem, { rememberedMs: 0 }),
    );
    const bounds = { connectionsPerOrigin: 1, originsMax: 1, keepAliveMs: 1, keepAliveMaxMs: 1, headerBytesMax: 1_000 };
    const origins = new Origins(dialler, bounds);
    onTestFinished(() => origins.destroy());
    const fetch = guardedFetch(origins, { userAgent: "x", timeoutMs: 30 });
    for (const bytes of ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"]) {
      const server = await answeringBytes(bytes);
      await expect(fetch(server.url)).rejects.toMatchObject({
        name: "TimeoutError",
        message: `${server.url}: no whole answer within 30 ms`,
      });
    }
  });

  test("with its signal, before and meanwhile", async () => {
    const aborter = new AbortController();
    const server = await rawServer((socket) => socket.on("data", () => aborter.abort(new Error("enough"))));
    const { fetch } = makeRunner();
    await expect(fetch(server.url, { signal: aborter.signal })).rejects.toThrow("enough");
    await expect(fetch(server.url, { signal: aborter.signal })).rejects.toThrow("enough");
    expect(server.connections).toBe(1);
  });

  test("with the node", async () => {
    const runner = makeRunner();
    const server = await rawServer((socket) => socket.on("data", () => void runner.close()));
    await expect(runner.fetch(server.url)).rejects.toThrow("this node is shutting down");
    await expect(runner.fetch(server.url)).rejects.toThrow("this node is shutting down");
    expect(server.connections).toBe(1);
  });
});
