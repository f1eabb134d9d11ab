import { expect, test } from "vitest";
import { keyedRequest } from "./idempotency.ts";

const fingerprint = (request: { method?: string; url?: string; body?: unknown }) =>
  keyedRequest("p", "key", { method: "POST", url: "/jobs", body: {}, ...request })!.fingerprint.toString("hex");

test("spaces and the order of fields make no difference, everything else does", () => {
  const one = fingerprint({ body: { a: 1, b: { c: [1, 2], d: null } } });
  expect(fingerprint({ body: { b: { d: null, c: [1, 2] }, a: 1 } })).toBe(one);
  for (const other of [{ a: 1 }, { a: "1", b: { c: [1, 2], d: null } }, { a: 1, b: { c: [2, 1], d: null } }])
    expect(fingerprint({ body: other })).not.toBe(one);
  expect(fingerprint({ url: "/triggers" })).not.toBe(fingerprint({}));
  expect(fingerprint({ method: "PUT" })).not.toBe(fingerprint({}));
});

test("without the header there is no key, and a bad one is refused", () => {
  expect(keyedRequest("p", undefined, { method: "POST", url: "/", body: {} })).toBeNull();
  for (const header of ["", "a b", "x".repeat(256), "é"])
    expect(() => keyedRequest("p", header, { method: "POST", url: "/", body: {} })).toThrow(/visible ASCII/);
});
