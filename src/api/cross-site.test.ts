import { expect, test } from "vitest";
import { type Origin, refuseCrossSite } from "./cross-site.ts";

const HOST = "punctual.example:7420";

function isRefused(from: Partial<Origin>, publicUrl: string | null = null): boolean {
  const request = { method: "POST", site: undefined, origin: undefined, host: HOST, ...from };
  try {
    refuseCrossSite(request, publicUrl);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden" });
    return true;
  }
}

test("what the browser says of the site decides, whatever it says of the origin", () => {
  for (const origin of [undefined, `http://${HOST}`, "https://evil.example"]) {
    expect(isRefused({ site: "same-origin", origin })).toBe(false);
    expect(isRefused({ site: "none", origin })).toBe(false);
    for (const site of ["cross-site", "same-site", "", "Same-Origin"]) expect(isRefused({ site, origin })).toBe(true);
  }
});

test("of older browsers the origin decides: it is the host that was called", () => {
  expect(isRefused({})).toBe(false);
  expect(isRefused({ origin: `http://${HOST}` })).toBe(false);
  expect(isRefused({ origin: `https://${HOST}` })).toBe(false);
  for (const origin of ["null", "", "http://punctual.example", "http://punctual.example:1", `http://x.${HOST}`])
    expect(isRefused({ origin }), origin).toBe(true);
  expect(isRefused({ origin: `http://${HOST}`, host: undefined })).toBe(true);
});

test("behind a proxy it may also be the public address, in that very form", () => {
  const publicUrl = "https://jobs.example/punctual";
  expect(isRefused({ origin: "https://jobs.example" }, publicUrl)).toBe(false);
  for (const origin of ["http://jobs.example", "https://jobs.example:8443", "https://jobs.example.evil.example"])
    expect(isRefused({ origin }, publicUrl), origin).toBe(true);
});

test("to look is allowed from everywhere, for the answer cannot be read there", () => {
  for (const method of ["GET", "HEAD", "OPTIONS"])
    expect(isRefused({ method, site: "cross-site", origin: "https://evil.example" })).toBe(false);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect(isRefused({ method, site: "cross-site" })).toBe(true);
});
