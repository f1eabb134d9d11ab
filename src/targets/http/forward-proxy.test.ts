import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import type { Lookup } from "./resolver.ts";
import { makeCall, makeRunner, never, settled } from "./testing/calls.ts";
import { selfSigned } from "./testing/certificate.ts";
import { connectProxy } from "./testing/connect-proxy.ts";
import { closedPort, httpServer, rawServer } from "./testing/servers.ts";

const LOOPBACK = { allow: ["127.0.0.0/8"] };
const noDoubt = { outcome: "failed", doubtful: false, response: null };
const answers = (...addresses: string[]) =>
  vi.fn<Lookup>(async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));

describe("through a proxy that is told addresses", () => {
  test("a call goes by a tunnel, which the next call uses too; the proxy hears the checked address, the target its name", async () => {
    const [server, proxy] = [await httpServer(), await connectProxy()];
    const lookup = answers("127.0.0.1");
    const runner = makeRunner({ lookup, proxy: { url: proxy.url, resolves: false } }, {}, LOOPBACK);
    const call = makeCall({ url: `http://host.example:${server.port}/path` });
    for (let times = 0; times < 2; times += 1)
      expect(await runner.attempt(call, never)).toMatchObject({ outcome: "succeeded", response: { body: "ok" } });
    expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`]);
    expect(server.received.map(({ url, headers }) => [url, headers.host])).toEqual([
      ["/path", `host.example:${server.port}`],
      ["/path", `host.example:${server.port}`],
    ]);
    expect(JSON.stringify(server.received)).not.toContain("proxy");
  });

  test("TLS is agreed on with the target and checked against its name, also through a proxy that speaks TLS itself", async () => {
    const [ofTarget, ofProxy] = [selfSigned("host.example"), selfSigned("proxy.example")];
    const [server, proxy] = [await httpServer(undefined, { tls: ofTarget }), await connectProxy({ tls: ofProxy })];
    const plain = await connectProxy();
    for (const url of [proxy.url, plain.url]) {
      const options = {
        lookup: answers("127.0.0.1"),
        ca: [ofTarget.cert, ofProxy.cert],
        proxy: { url, resolves: false },
      };
      const runner = makeRunner(options, {}, LOOPBACK);
      const result = await runner.attempt(makeCall({ url: `https://host.example:${server.port}/` }), never);
      expect(result).toMatchObject({ outcome: "succeeded", response: { body: "ok" } });
      expect(settled(result).timings!.tlsMs).toBeGreaterThan(0);
      const other = settled(await runner.attempt(makeCall({ url: `https://other.example:${server.port}/` }), never));
      expect(other).toMatchObject({ ...noDoubt, error: { code: "network" } });
      expect(other.error!.message).toContain("the certificate is for another host");
    }
    expect(server.received).toHaveLength(2);
  });

  test("a name that leads inside is refused here, and the proxy hears nothing of it", async () => {
    const [server, proxy] = [await httpServer(), await connectProxy()];
    const runner = makeRunner({ lookup: answers("127.0.0.1"), proxy: { url: proxy.url, resolves: false } }, {}, {});
    for (const host of ["rebind.example", "127.0.0.1", "localhost"])
      expect(await runner.attempt(makeCall({ url: `http://${host}:${server.port}/` }), never)).toMatchObject({
        ...noDoubt,
        error: { code: "egress_denied" },
      });
    expect(proxy.asked).toEqual([]);
  });

  test("a name is resolved once: what it leads to afterwards does not matter", async () => {
    const [server, proxy] = [await httpServer(), await connectProxy()];
    const lookup = answers("127.0.0.1");
    lookup.mockResolvedValueOnce([{ address: "127.0.0.1", family: 4 }]);
    lookup.mockResolvedValue([{ address: "10.0.0.1", family: 4 }]);
    const runner = makeRunner({ lookup, proxy: { url: proxy.url, resolves: false } }, {}, LOOPBACK);
    const result = await runner.attempt(makeCall({ url: `http://rebind.example:${server.port}/` }), never);
    expect(result).toMatchObject({ outcome: "succeeded" });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`]);
  });

  test("an address that the proxy does not reach is followed by the next, closed ones left out", async () => {
    const server = await httpServer();
    const proxy = await connectProxy({ refuse: (host) => (host === "[::1]" ? 502 : null) });
    const lookup = answers("::1", "10.0.0.1", "127.0.0.1");
    const runner = makeRunner(
      { lookup, proxy: { url: proxy.url, resolves: false } },
      {},
      { allow: ["127.0.0.1", "::1"] },
    );
    const result = await runner.attempt(makeCall({ url: `http://two.example:${server.port}/` }), never);
    expect(result).toMatchObject({ outcome: "succeeded" });
    expect(proxy.asked).toEqual([`[::1]:${server.port}`, `127.0.0.1:${server.port}`]);
  });

  test("an address that the proxy is silent about is followed by the next", async () => {
    const server = await httpServer();
    const proxy = await connectProxy({ refuse: (host) => (host === "127.0.0.2" ? "stay silent" : null) });
    const lookup = answers("127.0.0.2", "127.0.0.1");
    const runner = makeRunner({ lookup, proxy: { url: proxy.url, resolves: false } }, {}, LOOPBACK);
    const result = await runner.attempt(makeCall({ url: `http://two.example:${server.port}/` }), never);
    expect(result).toMatchObject({ outcome: "succeeded" });
    expect(proxy.asked).toEqual([`127.0.0.2:${server.port}`, `127.0.0.1:${server.port}`]);
  });

  test("calls that are not a job's go there as well", async () => {
    const [server, proxy] = [await httpServer(), await connectProxy()];
    const runner = makeRunner({ proxy: { url: proxy.url, resolves: false } });
    expect(await (await runner.fetch(server.url)).text()).toBe("ok");
    expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`]);
  });
});

describe("through a proxy that resolves", () => {
  test("a name is handed over and not looked up here; an address is handed over as it is", async () => {
    const [server, proxy] = [await httpServer(), await connectProxy()];
    const lookup = answers("10.0.0.1");
    const runner = makeRunner({ lookup, proxy: { url: proxy.url, resolves: true } }, {}, LOOPBACK);
    for (const host of ["host.example", "127.0.0.1"])
      expect(await runner.attempt(makeCall({ url: `http://${host}:${server.port}/` }), never)).toMatchObject({
        outcome: "succeeded",
      });
    expect(proxy.asked).toEqual([`host.example:${server.port}`, `127.0.0.1:${server.port}`]);
    expect(lookup).not.toHaveBeenCalled();
  });

  test.each([
    "127.0.0.1",
    "0x7f.1",
    "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "localhost",
    "metadata",
    "metadata.google.internal",
    "metadata.google.internal.",
    "printer.local",
    "a.home.arpa",
  ])("%s is refused here", async (host) => {
    const proxy = await connectProxy();
    const runner = makeRunner({ proxy: { url: proxy.url, resolves: true } }, {}, {});
    expect(await runner.attempt(makeCall({ url: `http://${host}:8080/` }), never)).toMatchObject({
      error: { code: "egress_denied", message: expect.stringContaining("PUNCTUAL_EGRESS_ALLOW") },
    });
    expect(proxy.asked).toEqual([]);
  });

  test("its certificate is that of its own name or address, not of the target's", async () => {
    const server = await httpServer();
    const tls = selfSigned("localhost");
    const proxy = await connectProxy({ tls });
    const impostor = selfSigned("host.example", "127.0.0.9");
    const other = await connectProxy({ tls: impostor });
    const outcome = async (url: string) => {
      const runner = makeRunner({ ca: [tls.cert, impostor.cert], proxy: { url, resolves: true } });
      return settled(await runner.attempt(makeCall({ url: `http://host.example:${server.port}/` }), never));
    };
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await outcome(`https://${host}:${proxy.port}`)).toMatchObject({ outcome: "succeeded" });
      const refused = await outcome(`https://${host}:${other.port}`);
      expect(refused.error!.message).toContain(
        "the egress proxy could not be asked: the certificate is for another host",
      );
    }
    expect(other.asked).toEqual([]);
  });

  test("the lists and the ports hold for names; no range speaks for a name", async () => {
    const proxy = await connectProxy({ refuse: () => 418 });
    const lists = { only: ["*.example", "8.8.8.0/24"], deny: ["evil.example"], allow: ["db.internal"] };
    const open = { ...lists, only: [...lists.only, "db.internal"], ports: [[80, 80] as const] };
    const runner = makeRunner({ proxy: { url: proxy.url, resolves: true } }, {}, open);
    const code = async (url: string) => settled(await runner.attempt(makeCall({ url }), never)).error!.code;
    for (const url of ["http://evil.example/", "http://dns.google/", "http://a.example:81/", "http://1.1.1.1/"])
      expect(await code(url)).toBe("egress_denied");
    for (const url of ["http://a.example/", "http://db.internal/", "http://8.8.8.8/"])
      expect(await code(url)).toBe("network");
    expect(proxy.asked).toEqual(["a.example:80", "db.internal:80", "8.8.8.8:80"]);
  });
});

describe("a proxy with a user and password", () => {
  test("is told them, decoded, with each tunnel and nobody else is", async () => {
    const [server, proxy] = [await httpServer(), await connectProxy()];
    const url = proxy.url.replace("//", "//me:s3%40cr%C3%BC@");
    const result = await makeRunner({ proxy: { url, resolves: false } }).attempt(makeCall({ url: server.url }), never);
    expect(result).toMatchObject({ outcome: "succeeded" });
    expect(proxy.headers[0]!["proxy-authorization"]).toBe(`Basic ${Buffer.from("me:s3@crü").toString("base64")}`);
    expect(server.received[0]!.headers).not.toHaveProperty("proxy-authorization");
  });
});

describe("a proxy at fault is named as such, without doubt and without telling where it is or what it said", () => {
  async function failure(url: string, connectTimeout = "10s") {
    const runner = makeRunner({ lookup: answers("127.0.0.1"), proxy: { url, resolves: false } }, {}, LOOPBACK);
    const result = settled(await runner.attempt(makeCall({ url: "http://host.example:8080/", connectTimeout }), never));
    expect(JSON.stringify(result)).not.toMatch(/127\.0\.0\.1|secret|Told/);
    return result;
  }

  test.each([
    [403, "the egress proxy refused the connection: 403 Forbidden"],
    [407, "the egress proxy refused the connection: 407 Proxy Authentication Required"],
    [502, "the egress proxy refused the connection: 502 Bad Gateway"],
    [302, "the egress proxy refused the connection: 302 Found"],
  ])("when it answers %i", async (status, message) => {
    const { url } = await connectProxy({ refuse: () => status });
    expect(await failure(url.replace("//", "//me:secret@"))).toMatchObject({
      ...noDoubt,
      cause: { kind: "network" },
      error: { code: "network", message: `host.example:8080: ${message}` },
    });
  });

  test("when nobody listens there", async () => {
    expect(await failure(`http://me:secret@127.0.0.1:${await closedPort()}`)).toMatchObject({
      ...noDoubt,
      cause: { kind: "network" },
      error: {
        code: "network",
        message:
          "host.example:8080: the egress proxy could not be asked: the connection was refused; is the service running? (ECONNREFUSED)",
      },
    });
  });

  test.each([
    ["something else than HTTP", "SSH-2.0-secret\r\n"],
    ["half an answer", "HTTP/1.1 200 Told"],
    ["more than its answer", "HTTP/1.1 200 Told\r\n\r\nsecret"],
    ["nothing", ""],
  ])("when it says %s", async (_, bytes) => {
    const { url } = await connectProxy({ refuse: () => bytes });
    const result = await failure(url);
    expect(result).toMatchObject({ ...noDoubt, cause: { kind: "network" }, error: { code: "network" } });
    expect(result.error!.message).toMatch(/^host\.example:8080: the egress proxy /);
  });

  test("when its certificate is not trusted", async () => {
    const { url } = await connectProxy({ tls: selfSigned("proxy.example") });
    const result = await failure(url);
    expect(result).toMatchObject({ ...noDoubt, error: { code: "network" } });
    expect(result.error!.message).toContain("the egress proxy could not be asked: the certificate is self-signed");
  });

  test("when it does not answer, which ends with the connect timeout and the connection to it", async () => {
    const { url } = await connectProxy({ refuse: () => "stay silent" });
    const closed: Promise<unknown>[] = [];
    const mute = await rawServer((socket) => void closed.push(once(socket.resume(), "close")));
    for (const silent of [url, mute.url])
      expect(await failure(silent, "40ms")).toMatchObject({
        outcome: "timed_out",
        doubtful: false,
        error: {
          code: "timeout",
          message: "no connection to host.example:8080 through the egress proxy within the connect timeout of 40 ms",
        },
      });
    expect(closed).toHaveLength(1);
    await closed[0];
  });
});
