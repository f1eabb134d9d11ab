import { describe, expect, test } from "vitest";
import { httpTargetSchema } from "./target.ts";

function problem(url: string): string | undefined {
  return httpTargetSchema.safeParse({ type: "http", url }).error?.issues[0]?.message;
}

test.each(["Host", "HOST", "host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Expect", "TE"])(
  "the header %s is not the job's to set: it says for whom a request is, or where it ends",
  (name) => {
    const read = httpTargetSchema.safeParse({ type: "http", url: "https://host.example/", headers: { [name]: "x" } });
    expect(read.error?.issues[0]).toMatchObject({ path: ["headers", name], params: { code: "reserved_header" } });
  },
);

test.each(["host ", " host", "host:", "x\r\nhost", "ho\tst", ":authority", "höst", ""])(
  "%j is no name of a header",
  (name) => {
    const read = httpTargetSchema.safeParse({ type: "http", url: "https://host.example/", headers: { [name]: "x" } });
    expect(read.error?.issues[0]).toMatchObject({ params: { code: "invalid_header" } });
  },
);

describe("the URL of a target", () => {
  test.each([
    ["{{payload.url}}", "is not an absolute URL"],
    ["{{payload.scheme}}://host.example/", "is not an absolute URL"],
    ["http{{payload.s}}://host.example/", "is not an absolute URL"],
    ["https:{{payload.rest}}", "is not an absolute URL"],
    ["https:/{{payload.rest}}", "is not an absolute URL"],
    ["https://{{payload.host}}/", "host or port"],
    ["https://{{secrets.HOST}}/", "host or port"],
    ["https://a.{{payload.host}}/", "host or port"],
    ["https://host.example:{{payload.port}}/", "host or port"],
    ["https://{{payload.user}}@host.example/", "host or port"],
    ["https:///{{payload.host}}/", "is not an absolute URL"],
    ["https:////{{payload.host}}/", "is not an absolute URL"],
    ["https://\\{{payload.host}}/", "host or port"],
    ["https://?{{payload.query}}", "is not an absolute URL"],
    ["https://\t/{{payload.host}}/", "control character"],
    ["https://\n{{payload.host}}/", "control character"],
  ])("must say its scheme and host itself: %j", (url, expected) => {
    expect(problem(url)).toContain(expected);
  });

  test.each([
    "ftp://host.example/",
    "file:///etc/passwd",
    "file://host.example/etc/passwd",
    "gopher://host.example/_x",
    "javascript://host.example/%0aalert(1)",
    "ws://host.example/",
    "data:text/plain,x",
    "unix:/run/docker.sock",
    "unix://run/docker.sock",
  ])("has the scheme http or https: %s", (url) => {
    expect(problem(url)).toMatch(/use http: or https:|is not an absolute URL/);
  });

  test.each([
    ["http://public.example@127.0.0.1/", "user name or password"],
    ["http://public.example:pw@127.0.0.1/", "user name or password"],
    ["http://public.example%23@127.0.0.1/", "user name or password"],
    ["http://public.example\\@127.0.0.1/", "backslash"],
    ["http://127.0.0.1\\@public.example/", "backslash"],
    ["http:\\\\127.0.0.1/", "is not an absolute URL"],
    ["http://127.0.0.1\n.public.example/", "control character"],
    ["http://host.example/\r\nx: y", "control character"],
    ["http://[fe80::1%25eth0]/", "is not a valid URL"],
    ["http://[::1/", "is not a valid URL"],
    ["http://256.0.0.1/", "is not a valid URL"],
    ["http://0x100000000/", "is not a valid URL"],
    ["http://1.2.3.4.5/", "is not a valid URL"],
    ["http://host.example:65536/", "is not a valid URL"],
    ["http://a b.example/", "is not a valid URL"],
  ])("is refused if it could be read in two ways: %j", (url, expected) => {
    expect(problem(url)).toContain(expected);
  });

  test.each([
    "https://host.example",
    "HTTPS://Host.Example:8443/a/{{payload.id}}?b={{ payload.b }}#c",
    "http://host.example#@127.0.0.1/",
    "http://[2606:4700::1111]/{{secrets.PATH}}",
  ])("may be %s", (url) => {
    expect(problem(url)).toBeUndefined();
  });
});
