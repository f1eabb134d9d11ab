import { describe, expect, test } from "vitest";
import { EgressGuard } from "./egress.ts";

const strict = new EgressGuard();

describe("by default", () => {
  test.each([
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["loopback", "::1"],
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["unspecified", "::"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["metadata of Alibaba", "100.100.100.200"],
    ["link-local", "169.254.1.1"],
    ["metadata of most clouds", "169.254.169.254"],
    ["metadata of Amazon over IPv6", "fd00:ec2::254"],
    ["metadata of Oracle", "192.0.0.192"],
    ["metadata of Amazon's containers", "169.254.170.2"],
    ["metadata of Tencent", "169.254.0.23"],
    ["metadata of Google over IPv6", "fd20:ce::254"],
    ["metadata of Scaleway over IPv6", "fd00:42::42"],
    ["wire server of Azure", "168.63.129.16"],
    ["protocol assignments", "192.0.0.8"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["benchmarking", "198.18.0.1"],
    ["benchmarking", "198.19.255.255"],
    ["6to4 relay", "192.88.99.1"],
    ["multicast", "224.0.0.1"],
    ["multicast", "239.255.255.255"],
    ["multicast", "ff02::1"],
    ["multicast to all", "ff0e::1"],
    ["multicast of one source", "232.1.1.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unique local", "fc00::1"],
    ["unique local", "fdff::1"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["discard", "100::1"],
    ["segment routing", "5f00::1"],
    ["outside the given-out block", "4000::1"],
    ["mapped loopback", "::ffff:127.0.0.1"],
    ["mapped loopback in hex", "::ffff:7f00:1"],
    ["mapped private", "::ffff:10.0.0.1"],
    ["compatible loopback", "::127.0.0.1"],
    ["translated loopback", "::ffff:0:127.0.0.1"],
    ["NAT64 of private", "64:ff9b::10.0.0.1"],
    ["NAT64 of metadata", "64:ff9b::a9fe:a9fe"],
    ["beside the prefix of NAT64, which is 96 bits long and no shorter", "64:ff9b::1:808:808"],
    ["NAT64 as if its prefix had 32 bits", "64:ff9b:808:808::"],
    ["NAT64 as if its prefix had 64 bits", "64:ff9b::8:808:800:0"],
    ["local NAT64", "64:ff9b:1::1"],
    ["local NAT64 of public", "64:ff9b:1::808:808"],
    ["6to4 of private", "2002:a00:1::1"],
    ["6to4 of public", "2002:808:808::1"],
    ["Teredo", "2001:0:53aa:64c::1"],
    ["ORCHID", "2001:20::1"],
    ["ISATAP of private", "2606:4700::5efe:10.0.0.1"],
    ["ISATAP of private, universal bit", "2606:4700::200:5efe:10.0.0.1"],
  ])("%s (%s) is refused", (_, address) => {
    expect(strict.addressRefusal("host.example", address)).toContain(
      "PUNCTUAL_EGRESS_ALLOW=host.example would allow it",
    );
  });

  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "169.253.255.255",
    "192.0.1.1",
    "198.20.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::200e",
    "2001:200::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2606:4700::5efe:8.8.8.8",
  ])("%s is public", (address) => {
    expect(strict.addressRefusal("host.example", address)).toBeNull();
  });

  test.each(["", "not an address", "1.2.3.4.5", "::g", "127.0.0.1/8"])(
    "%j is refused because it cannot be judged",
    (address) => {
      expect(strict.addressRefusal("host.example", address)).toContain("not an IP address");
    },
  );

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://①②⑦.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]:8080/x",
    "http://[0:0:0:0:0:ffff:7f00:1]/",
    "http://localhost/",
    "http://LOCALHOST:3000/",
    "http://localhost./",
    "http://app.localhost/",
    "https://169.254.169.254/latest/meta-data/",
    "http://0/",
    "http://00/",
    "http://0x0/",
    "http://4294967295/",
    "http://017700000001/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0177.0.0.01/",
    "http://00000000177.0.0.1/",
    "http://127.0.1/",
    "http://127.0.0.01/",
    "http://0x7F.00.0.1/",
    "http://127.0.0.1../",
    "http://１２７.０.０.１/",
    "http://１２７。０。０。１/",
    "http://０x7f.1/",
    "http://127%2e0%2e0%2e1/",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.1\u3002/",
    "http://%6c%6f%63%61%6c%68%6f%73%74/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "http://loc\u00adalhost/",
    "http://localhost../",
    "http://a.b.LocalHost./",
    "http://127.0\t.0.1/",
    "http://127.0.\n0.1/",
    "http://public.example@127.0.0.1/",
    "http://public.example:pw@127.0.0.1/",
    "http://127.0.0.1\\@public.example/",
    "http://127.0.0.1#@public.example/",
    "http://127.0.0.1?@public.example/",
    "http:\\\\127.0.0.1/",
    "http:127.0.0.1/",
    "http:///127.0.0.1/",
    "http://0251.0376.0251.0376/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://169.254.43518/",
    "http://[::]/",
    "http://[0::1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::5efe:8.8.8.8]/",
  ])("a job with the URL %s can be refused when it is saved", (url) => {
    expect(strict.refusal(url)).toMatch(/would allow it$/);
  });

  test("a job with a name can only be judged when it is called", () => {
    expect(strict.refusal("https://anything.example/")).toBeNull();
    expect(strict.refusal("not a url")).toBe('"not a url" is not a URL');
  });

  test("a refusal does not tell what the name leads to", () => {
    expect(strict.addressRefusal("db.example", "10.1.2.3")).not.toContain("10.1.2.3");
  });
});

describe("the list allow", () => {
  const guard = new EgressGuard({
    allow: ["10.1.0.0/16", "192.168.7.7", "intra.example", "*.svc.example", "127.0.0.0/8", "::1/128"],
  });

  test.each(["10.1.2.3", "::ffff:10.1.2.3", "192.168.7.7", "127.0.0.1", "::1"])("opens %s", (address) => {
    expect(guard.addressRefusal("any.example", address)).toBeNull();
  });

  test.each(["10.2.0.1", "192.168.7.8", "169.254.169.254"])("leaves %s closed", (address) => {
    expect(guard.addressRefusal("any.example", address)).not.toBeNull();
  });

  test("trusts a listed name with any address, and no name that only looks like it", () => {
    for (const host of ["intra.example", "INTRA.example.", "a.svc.example", "a.b.svc.example"])
      expect(guard.addressRefusal(host, "10.9.9.9")).toBeNull();
    for (const host of ["x.intra.example", "svc.example", "evilsvc.example", "intra.example.evil.example"])
      expect(guard.addressRefusal(host, "10.9.9.9")).not.toBeNull();
  });

  test.each([
    ["an address inside that carries an open one", "fd12::5efe:10.1.2.3"],
    ["a link-local address that carries an open one", "fe80::5efe:10.1.2.3"],
    ["an address that carries a closed one", "2606:4700::5efe:10.2.0.1"],
    ["6to4 of an open one", "2002:a01:203::1"],
  ])("is not got around by %s", (_, address) => {
    expect(guard.addressRefusal("any.example", address)).not.toBeNull();
  });

  test("opens what NAT64 makes of an open address, and NAT64 opens nothing else", () => {
    expect(guard.addressRefusal("any.example", "64:ff9b::10.1.2.3")).toBeNull();
    const whole = new EgressGuard({ allow: ["64:ff9b::/96"] });
    expect(whole.addressRefusal("any.example", "64:ff9b::169.254.169.254")).not.toBeNull();
  });

  test("lets localhost be saved once loopback is open", () => {
    expect(guard.refusal("http://localhost:3000/")).toBeNull();
  });
});

describe("the list only", () => {
  test("closes everything else, by name or by address", () => {
    const guard = new EgressGuard({ only: ["*.example.com", "8.8.8.0/24"] });
    expect(guard.addressRefusal("api.example.com", "1.1.1.1")).toBeNull();
    expect(guard.addressRefusal("dns.google", "8.8.8.8")).toBeNull();
    expect(guard.addressRefusal("other.org", "1.1.1.1")).toBe(
      "other.org is not covered by PUNCTUAL_EGRESS_ONLY; adding it there would allow it",
    );
  });

  test("is not got around by an address that only carries a listed one", () => {
    const guard = new EgressGuard({ only: ["8.8.8.0/24"] });
    expect(guard.addressRefusal("x.example", "2606:4700::5efe:8.8.8.8")).toContain("PUNCTUAL_EGRESS_ONLY");
    expect(guard.addressRefusal("x.example", "64:ff9b::8.8.8.8")).toBeNull();
    expect(guard.addressRefusal("x.example", "::ffff:8.8.8.8")).toBeNull();
  });

  test("opens no special range: a listed name that leads inside is still refused", () => {
    const guard = new EgressGuard({ only: ["api.example.com", "10.0.0.0/8"] });
    expect(guard.addressRefusal("api.example.com", "10.0.0.1")).toContain("PUNCTUAL_EGRESS_ALLOW");
    expect(new EgressGuard({ only: ["10.0.0.0/8"], allow: ["10.0.0.0/8"] }).addressRefusal("x", "10.0.0.1")).toBeNull();
  });

  test("of names alone judges a URL when it is saved; with a range in it the address has to decide", () => {
    expect(new EgressGuard({ only: ["api.example.com"] }).refusal("https://other.org/")).toContain(
      "PUNCTUAL_EGRESS_ONLY",
    );
    expect(new EgressGuard({ only: ["api.example.com", "8.8.8.0/24"] }).refusal("https://other.org/")).toBeNull();
    expect(new EgressGuard({ only: ["api.example.com"] }).refusal("https://8.8.8.8/")).toContain(
      "PUNCTUAL_EGRESS_ONLY",
    );
  });
});

describe("the list deny", () => {
  test("wins over the others, by name and by address in every form", () => {
    const lists = ["evil.example", "8.8.8.0/24", "10.0.0.0/8"];
    const guard = new EgressGuard({ allow: lists, only: [...lists, "1.1.1.1"], deny: lists });
    for (const [host, address] of [
      ["evil.example", "1.1.1.1"],
      ["x.example", "8.8.8.8"],
      ["x.example", "::ffff:8.8.8.8"],
      ["x.example", "64:ff9b::8.8.8.8"],
      ["x.example", "10.0.0.1"],
    ] as const)
      expect(guard.addressRefusal(host, address)).toBe(`${host} is refused by PUNCTUAL_EGRESS_DENY`);
    expect(guard.refusal("https://evil.example/")).toContain("PUNCTUAL_EGRESS_DENY");
    expect(guard.addressRefusal("x.example", "1.1.1.1")).toBeNull();
  });

  test.each(["https://EVIL.example/", "https://evil.example./", "https://evil.example../", "https://ｅvil。example/"])(
    "is not got around by writing a name as %s",
    (url) => {
      expect(new EgressGuard({ deny: ["evil.example"] }).refusal(url)).toContain("PUNCTUAL_EGRESS_DENY");
    },
  );

  test("holds for the address that a tunnel carries", () => {
    const guard = new EgressGuard({ deny: ["8.8.8.0/24"] });
    expect(guard.addressRefusal("x.example", "2606:4700::5efe:8.8.8.8")).toContain("PUNCTUAL_EGRESS_DENY");
  });

  test("can name every host", () => {
    expect(new EgressGuard({ deny: ["*"] }).refusal("https://any.example/")).toContain("PUNCTUAL_EGRESS_DENY");
  });

  test("understands mapped ranges", () => {
    expect(new EgressGuard({ deny: ["::ffff:8.8.0.0/112"] }).addressRefusal("x", "8.8.9.9")).not.toBeNull();
  });
});

describe("a name that somebody else resolves", () => {
  const elsewhere = { isResolvedElsewhere: true };

  test.each([
    "metadata",
    "metadata.google.internal",
    "db.corp.",
    "LOCALHOST.localdomain",
    "x.home.arpa",
    "127.0.0.1..",
  ])("is refused if it only means something inside: %s", (host) => {
    expect(strict.refusal(`http://${host}/`, elsewhere)).toContain("PUNCTUAL_EGRESS_ALLOW");
  });

  test("is open otherwise, and also if the operator lists it", () => {
    expect(strict.refusal("https://host.example/", elsewhere)).toBeNull();
    expect(strict.refusal("https://internal.example/", elsewhere)).toBeNull();
    expect(new EgressGuard({ allow: ["*.internal"] }).refusal("http://db.internal/", elsewhere)).toBeNull();
  });

  test("has to be on the list only by name, an address by its range", () => {
    const guard = new EgressGuard({ only: ["api.example", "8.8.8.0/24"] });
    for (const url of ["https://api.example/", "https://8.8.8.8/"]) expect(guard.refusal(url, elsewhere)).toBeNull();
    for (const url of ["https://other.example/", "https://1.1.1.1/"])
      expect(guard.refusal(url, elsewhere)).toContain("PUNCTUAL_EGRESS_ONLY");
  });
});

describe("the list of ports", () => {
  const guard = new EgressGuard({
    allow: ["10.0.0.0/8"],
    ports: [
      [80, 80],
      [443, 443],
      [1024, 65_535],
    ],
  });

  test.each([
    "http://host.example/",
    "https://host.example/",
    "http://host.example:443/",
    "https://host.example:1024/",
    "https://host.example:65535/",
    "http://10.0.0.1:8080/",
  ])("leaves %s open", (url) => {
    expect(guard.refusal(url)).toBeNull();
  });

  test.each([
    ["http://host.example:25/", "port 25 of host.example"],
    ["https://host.example:1023/", "port 1023 of host.example"],
    ["http://host.example:0/", "port 0 of host.example"],
    ["http://host.example:0022/", "port 22 of host.example"],
    ["http://10.0.0.1:6/", "port 6 of 10.0.0.1"],
    ["http://[2606:4700::1111]:22/", "port 22 of 2606:4700::1111"],
  ])("closes %s, whatever the host", (url, named) => {
    expect(guard.refusal(url)).toBe(`${named} is not covered by PUNCTUAL_EGRESS_PORTS; adding it there would allow it`);
  });

  test("may leave out those that come without being written", () => {
    const secure = new EgressGuard({ ports: [[443, 443]] });
    expect(secure.refusal("http://host.example/")).toContain("port 80 of host.example");
    expect(secure.refusal("https://host.example/")).toBeNull();
  });
});

test.each(["ftp://host.example/", "file:///etc/passwd", "gopher://host.example/", "ws://host.example/"])(
  "%s has a scheme that is never called",
  (url) => {
    expect(strict.refusal(url)).toContain("use http: or https:");
  },
);

test.each([
  "10.0.0.0/33",
  "10.0.0.0/8/8",
  "10.1",
  "010.0.0.1",
  "a b",
  "host:80",
  "*example.com",
  "",
  "https://x.example",
])("the list entry %j is refused instead of matching nothing", (entry) => {
  expect(() => new EgressGuard({ deny: [entry] })).toThrow(`"${entry}" is neither`);
});
