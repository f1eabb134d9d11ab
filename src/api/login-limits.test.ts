import { beforeEach, expect, test } from "vitest";
import { PunctualError } from "../contract/errors.ts";
import { LoginLimits } from "./login-limits.ts";

const MINUTE = 60_000;

let now: number;
let limits: LoginLimits;
beforeEach(() => {
  now = 1_000;
  limits = new LoginLimits({ monotonic: () => now });
});

/** Null: it may be tried. */
function refusal(address: string, account: string): { code: string; retryAfterMs: number | null } | null {
  try {
    limits.attempt(address, account);
    return null;
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error;
    return { code: error.code, retryAfterMs: error.retryAfterMs };
  }
}

test("after ten wrong logins an address waits for the rest of its five minutes, whatever account it names", () => {
  for (let i = 0; i < 10; i += 1) {
    expect(refusal("192.0.2.1", `account-${i}`)).toBeNull();
    now += 1_000;
  }
  expect(refusal("192.0.2.1", "another")).toEqual({ code: "rate_limited", retryAfterMs: 5 * MINUTE - 10_000 });
  expect(refusal("192.0.2.2", "another")).toBeNull();
  now += 5 * MINUTE - 10_000;
  expect(refusal("192.0.2.1", "another")).toBeNull();
});

test("after a hundred wrong logins an account waits, wherever they came from and however it was spelt", () => {
  for (let i = 0; i < 100; i += 1)
    expect(refusal(`192.0.2.${i}`, i % 2 ? "Ada@example.com" : " ada@EXAMPLE.com")).toBeNull();
  expect(refusal("198.51.100.1", "ada@example.com")?.code).toBe("rate_limited");
  expect(refusal("198.51.100.1", "bob@example.com")).toBeNull();
});

test("many at once are as many as one after the other", () => {
  const refused = Array.from({ length: 50 }, () => refusal("192.0.2.1", "ada")).filter((each) => each !== null);
  expect(refused).toHaveLength(40);
});

test("a success forgets what was wrong for the account, and not what was wrong from the address", () => {
  for (let i = 0; i < 9; i += 1) limits.attempt("192.0.2.1", "ada");
  limits.attempt("192.0.2.1", "ada");
  limits.succeeded("192.0.2.1", "ada");
  expect(refusal("192.0.2.2", "ada")).toBeNull();
  expect(refusal("192.0.2.1", "bob")).toBeNull();
  expect(refusal("192.0.2.1", "bob")?.code).toBe("rate_limited");
});

test("what came to nothing does not count", () => {
  for (let i = 0; i < 100; i += 1) {
    expect(refusal("192.0.2.1", "ada")).toBeNull();
    limits.takeBack("192.0.2.1", "ada");
  }
});

test("whoever is right may come as often as they like", () => {
  for (let i = 0; i < 100; i += 1) {
    expect(refusal("192.0.2.1", "ada")).toBeNull();
    limits.succeeded("192.0.2.1", "ada");
  }
});

test("all addresses of an IPv6 network are one", () => {
  for (let i = 0; i < 10; i += 1) limits.attempt(`2001:db8::${i}`, `account-${i}`);
  expect(refusal("2001:db8::ffff", "x")?.code).toBe("rate_limited");
  expect(refusal("2001:db8:0:1::1", "x")).toBeNull();
});
