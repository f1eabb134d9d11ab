import { describe, expect, test, vi } from "vitest";
import type { EgressLists } from "./egress.ts";
import type { Lookup } from "./resolver.ts";
import { makeCall, makeRunner, never, settled } from "./testing/calls.ts";
import { selfSigned } from "./testing/certificate.ts";
import { closedPort, httpServer, rawServer } from "./testing/servers.ts";

const to = (...addresses: string[]) => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
const answers = (...addresses: string[]) => vi.fn<Lookup>(async () => to(...addresses));
const onlyFirst: EgressLists = { allow: ["127.0.0.1"] };
const noDoubt = { outcome: "failed", doubtful: false, response: null };

describe("a name", () => {
  test("that leads to a closed address is refused without doubt and for good, and the address stays untold", async () => {
    const server = await httpServer();
    const runner = makeRunner({ lookup: answers("127.0.0.1") }, {}, {});
    const result = settled(await runner.attempt(makeCall({ url: `http://rebind.example:${server.port}/` }), never));
    expect(result).toMatchObject({ ...noDoubt, cause: null, error: { code: "egress_denied" } });
    expect(result.error!.message).toBe(
      "rebind.example leads into a private or otherwise special network; PUNCTUAL_EGRESS_ALLOW=rebind.example would allow it",
    );
    expect(JSON.stringify(result)).not.toContain("127.0.0.1");
    expect(server.connections).toBe(0);
  });

  test("is resolved once, and what was checked is what is dialled", async () => {
    const server = await httpServer();
    // The second answer is the trap: a resolver that is asked again at connect time would walk into it.
    const lookup = vi.fn<Lookup>().mockResolvedValueOnce(to("127.0.0.1")).mockResolvedValue(to("127.0.0.2"));
    const runner = makeRunner({ lookup }, {}, onlyFirst);
    expect(await runner.attempt(makeCall({ url: `http://rebind.example:${server.port}/` }), never)).toMatchObject({
      outcome: "succeeded",
    });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(server.received[0]!.headers.host).toBe(`rebind.example:${server.port}`);
  });

  test("that is pointed inside later is refused as soon as it is dialled again", async () => {
    const server = await httpServer((_, response) => response.writeHead(200, { connection: "close" }).end());
    const lookup = vi.fn<Lookup>().mockResolvedValueOnce(to("127.0.0.1")).mockResolvedValue(to("127.0.0.2"));
    const runner = makeRunner({ lookup, dnsRememberedMs: 0 }, {}, onlyFirst);
    const call = makeCall({ url: `http://rebind.example:${server.port}/` });
    expect(await runner.attempt(call, never)).toMatchObject({ outcome: "succeeded" });
    expect(await runner.attempt(call, never)).toMatchObject({ error: { code: "egress_denied" } });
  });

  test("that was answered for keeps its connection, which goes to what was checked, wherever the name leads meanwhile", async () => {
    const server = await httpServer();
    const inside = await httpServer(undefined, { host: "127.0.0.2" });
    const lookup = vi.fn<Lookup>().mockResolvedValueOnce(to("127.0.0.1")).mockResolvedValue(to("127.0.0.2"));
    const runner = makeRunner({ lookup, dnsRememberedMs: 0 }, {}, onlyFirst);
    const call = makeCall({ url: `http://rebind.example:${server.port}/` });
    for (let times = 0; times < 3; times += 1)
      expect(await runner.attempt(call, never)).toMatchObject({ outcome: "succeeded" });
    expect([server.connections, inside.connections, lookup.mock.calls.length]).toEqual([1, 0, 1]);
  });

  test("has its connections for itself: another name that leads to the same place is judged for itself", async () => {
    const server = await httpServer();
    const lists = { allow: ["open.example"] };
    const runner = makeRunner({ lookup: answers("127.0.0.1") }, {}, lists);
    const outcomes: string[] = [];
    for (const host of ["open.example", "other.example", "open.example", "127.0.0.1"]) {
      const result = await runner.attempt(makeCall({ url: `http://${host}:${server.port}/` }), never);
      outcomes.push(settled(result).error?.code ?? "called");
    }
    expect(outcomes).toEqual(["called", "egress_denied", "called", "egress_denied"]);
    expect(server.connections).toBe(1);
  });

  test.each(["127.0.0.1%lo", "::1%lo", "::ffff:127.0.0.1%1", "fe80::1%eth0", "0177.0.0.1", "not an address", ""])(
    "that the resolver answers for with %j is refused",
    async (address) => {
      const runner = makeRunner({ lookup: answers(address) }, {}, {});
      const result = await runner.attempt(makeCall({ url: "http://odd.example/" }), never);
      expect(result).toMatchObject({ ...noDoubt, cause: null, error: { code: "egress_denied" } });
    },
  );

  test("with open and closed addresses is dialled at the open ones only", async () => {
    const closed = await httpServer(undefined, { host: "127.0.0.2" });
    const runner = makeRunner({ lookup: answers("127.0.0.2", "10.0.0.1", "::ffff:127.0.0.2") }, {}, onlyFirst);
    expect(await runner.attempt(makeCall({ url: `http://mixed.example:${closed.port}/` }), never)).toMatchObject({
      error: { code: "egress_denied" },
    });
    const open = await httpServer();
    const mixed = makeRunner({ lookup: answers("127.0.0.2", "127.0.0.1") }, {}, onlyFirst);
    expect(await mixed.attempt(makeCall({ url: `http://mixed.example:${open.port}/` }), never)).toMatchObject({
      outcome: "succeeded",
    });
    expect(closed.connections).toBe(0);
  });

  test("with a dead address is reached through the next", async () => {
    const server = await httpServer();
    const runner = makeRunner({ lookup: answers("127.0.0.9", "127.0.0.1") });
    expect(await runner.attempt(makeCall({ url: `http://two.example:${server.port}/` }), never)).toMatchObject({
      outcome: "succeeded",
    });
  });

  test("whose addresses are all dead is refused, without telling them", async () => {
    const runner = makeRunner({ lookup: answers("127.0.0.8", "127.0.0.9") });
    const result = settled(await runner.attempt(makeCall({ url: "http://two.example:1/" }), never));
    expect(result).toMatchObject({ ...noDoubt, cause: { kind: "network" }, error: { code: "network" } });
    expect(result.error!.message).toBe(
      "two.example:1: the connection was refused; is the service running? (ECONNREFUSED)",
    );
  });

  test.each([
    ["ENOTFOUND", "the name could not be found"],
    ["EAI_AGAIN", "the name servers did not answer"],
  ])("that gives %s has failed without doubt", async (code, words) => {
    const lookup = async () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code} 10.0.0.53`), { code }));
    const result = settled(await makeRunner({ lookup }).attempt(makeCall({ url: "http://nowhere.example/" }), never));
    expect(result).toMatchObject({ ...noDoubt, cause: { kind: "network" }, error: { code: "network" } });
    expect(result.error!.message).toBe(`nowhere.example:80: ${words} (${code})`);
  });

  test("without addresses has failed without doubt", async () => {
    const result = await makeRunner({ lookup: answers() }).attempt(makeCall({ url: "http://empty.example/" }), never);
    expect(result).toMatchObject({
      ...noDoubt,
      error: { code: "network", message: "the name empty.example has no addresses" },
    });
  });

  test("that is never answered for ends with the connect timeout, without doubt", async () => {
    const lookup = vi.fn<Lookup>(() => new Promise(() => {}));
    const runner = makeRunner({ lookup });
    const call = makeCall({ url: "http://mute.example/", connectTimeout: "40ms" });
    const results = await Promise.all([runner.attempt(call, never), runner.attempt(call, never)]);
    for (const result of results) {
      expect(result).toMatchObject({
        outcome: "timed_out",
        cause: { kind: "timeout" },
        doubtful: false,
        error: { code: "timeout" },
      });
      expect(settled(result).error!.message).toBe(
        "no connection to mute.example:80 within the connect timeout of 40 ms",
      );
    }
    // However many calls wait for it, it occupies the system's resolver once.
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  test("on the operator's deny list is not even resolved", async () => {
    const lookup = answers("127.0.0.1");
    const runner = makeRunner({ lookup }, {}, { allow: ["127.0.0.0/8"], deny: ["*.evil.example"] });
    expect(await runner.attempt(makeCall({ url: "http://a.evil.example/" }), never)).toMatchObject({
      error: { code: "egress_denied" },
    });
    expect(lookup).not.toHaveBeenCalled();
  });

  test("is resolved by the system as other programs do", async () => {
    const server = await httpServer();
    const result = await makeRunner().attempt(makeCall({ url: `http://localhost:${server.port}/` }), never);
    expect(result).toMatchObject({ outcome: "succeeded" });
  });
});

test.each(["http://127.0.0.1:1/", "http://2130706433:1/", "http://[::ffff:127.0.0.1]:1/", "http://[::1]:1/"])(
  "the literal address in %s is checked too",
  async (url) => {
    expect(await makeRunner({}, {}, {}).attempt(makeCall({ url }), never)).toMatchObject({
      ...noDoubt,
      error: { code: "egress_denied" },
    });
  },
);

test("of an address that is refused nothing can be learned: open, closed or silent, the attempt is the same", async () => {
  const open = await httpServer();
  const silent = await rawServer(() => {});
  const ports = [open.port, await closedPort(), silent.port];
  const runner = makeRunner({ lookup: answers("127.0.0.1") }, {}, {});
  for (const [scheme, host] of [
    ["http", "127.0.0.1"],
    ["https", "127.0.0.1"],
    ["http", "inside.example"],
    ["http", "localhost"],
  ]) {
    const seen = [];
    for (const port of ports) {
      const result = settled(await runner.attempt(makeCall({ url: `${scheme}://${host}:${port}/` }), never));
      const { connectMs, tlsMs, firstByteMs } = result.timings!;
      seen.push({ ...result, request: null, timings: { connectMs, tlsMs, firstByteMs } });
    }
    expect(seen[0]).toMatchObject({
      ...noDoubt,
      error: { code: "egress_denied" },
      timings: { connectMs: 0, tlsMs: 0, firstByteMs: 0 },
    });
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  }
  // Times cannot differ where nothing is dialled.
  expect([open.connections, silent.connections]).toEqual([0, 0]);
});

describe("a closed port", () => {
  test("is refused in the same way whether somebody listens there or not, and its host's name is not resolved", async () => {
    const server = await httpServer();
    const lookup = answers("127.0.0.1");
    const runner = makeRunner({ lookup }, {}, { allow: ["127.0.0.0/8"], ports: [[80, 80]] });
    for (const port of [server.port, await closedPort()]) {
      const result = settled(await runner.attempt(makeCall({ url: `http://host.example:${port}/` }), never));
      expect(result).toMatchObject({ ...noDoubt, cause: null, error: { code: "egress_denied" } });
      expect(result.error!.message).toBe(
        `port ${port} of host.example is not covered by PUNCTUAL_EGRESS_PORTS; adding it there would allow it`,
      );
    }
    expect(server.connections).toBe(0);
    expect(lookup).not.toHaveBeenCalled();
  });
});

test("a redirect is not followed, so that it leads nowhere inside", async () => {
  const inside = await httpServer(undefined, { host: "127.0.0.2" });
  const server = await httpServer((_, response) => response.writeHead(302, { location: `${inside.url}/secret` }).end());
  const result = await makeRunner({}, {}, onlyFirst).attempt(makeCall({ url: server.url }), never);
  expect(result).toMatchObject({ outcome: "failed", cause: { kind: "status", status: 302 } });
  expect(inside.connections).toBe(0);
});

describe("TLS", () => {
  test("with a certificate nobody vouches for fails without doubt, before anything is sent", async () => {
    const server = await httpServer(undefined, { tls: selfSigned("target.example") });
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url }), never));
    expect(result).toMatchObject({ ...noDoubt, cause: { kind: "network" }, error: { code: "network" } });
    expect(result.error!.message).toContain("the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)");
    expect(server.received).toEqual([]);
  });

  test("with a trusted certificate for the name or the address works and is timed; a new connection takes up the session", async () => {
    const tls = selfSigned("target.example");
    const server = await httpServer(undefined, { tls });
    const runner = makeRunner({ ca: [tls.cert], lookup: answers("127.0.0.1") });
    for (const url of [`https://target.example:${server.port}/`, server.url]) {
      const first = settled(await runner.attempt(makeCall({ url }), never));
      expect(first).toMatchObject({ outcome: "succeeded" });
      expect(first.timings!.tlsMs).toBeGreaterThan(0);
      expect(settled(await runner.attempt(makeCall({ url }), never)).timings!.tlsMs).toBe(0);
      await runner.attempt(makeCall({ url }, { delivery: "at_most_once" }), never);
    }
    expect(server.received.map(({ isResumed }) => isResumed)).toEqual([false, false, true, false, false, true]);
  });

  test("with a certificate for another name fails without doubt", async () => {
    const tls = selfSigned("target.example");
    const server = await httpServer(undefined, { tls });
    const runner = makeRunner({ ca: [tls.cert], lookup: answers("127.0.0.1") });
    const result = settled(await runner.attempt(makeCall({ url: `https://other.example:${server.port}/` }), never));
    expect(result).toMatchObject({ ...noDoubt, cause: { kind: "network" } });
    expect(result.error!.message).toContain("the certificate is for another host");
  });

  test("that the target does not speak fails without doubt", async () => {
    const server = await httpServer();
    const result = settled(await makeRunner().attempt(makeCall({ url: server.url.replace("http:", "https:") }), never));
    expect(result).toMatchObject({ ...noDoubt, cause: { kind: "network" } });
    expect(result.error!.message).toContain("TLS could not be agreed on");
  });

  test("that is never agreed on ends with the connect timeout, without doubt", async () => {
    const server = await rawServer(() => {});
    const url = server.url.replace("http:", "https:");
    const result = await makeRunner().attempt(makeCall({ url, connectTimeout: "50ms" }), never);
    expect(result).toMatchObject({ outcome: "timed_out", doubtful: false, error: { code: "timeout" } });
  });
});
