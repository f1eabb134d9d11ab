import { expect, test } from "vitest";
import type { Claimed } from "../store/port/queue.ts";
import { HandedOutClaims } from "./handed-out.ts";

const anna = { holder: "a", name: "anna" };
const claim = (id: string, token = `token-${id}`) => ({ id, claim: token }) as Claimed;

test("a claim is found by its worker, id and token together", () => {
  const claims = new HandedOutClaims();
  const one = claim("1");
  claims.add(anna, [one]);
  expect(claims.of("a")?.name).toBe("anna");
  expect(claims.of("a")?.find({ id: "1", token: "token-1" })).toBe(one);
  expect(claims.of("a")?.find({ id: "2", token: "token-1" })).toBeUndefined();
  expect(claims.of("a")?.find({ id: "1", token: "token-2" })).toBeUndefined();
  expect(claims.of("b")).toBeNull();
});

test("what has ended is forgotten, and with the last of it the worker", () => {
  const claims = new HandedOutClaims();
  claims.add(anna, [claim("1"), claim("2")]);
  claims.forget("a", [{ token: "token-1" }]);
  expect(claims.of("a")?.find({ id: "1", token: "token-1" })).toBeUndefined();
  expect(claims.of("a")?.find({ id: "2", token: "token-2" })).toBeDefined();
  claims.forget("a", [{ token: "token-2" }]);
  expect(claims.of("a")).toBeNull();
});

test("there is an end to what is remembered: those that were given nothing for longest go first", () => {
  const claims = new HandedOutClaims();
  for (let nth = 0; nth < 30; nth += 1)
    claims.add(
      { holder: `w${nth}`, name: "" },
      Array.from({ length: 1_000 }, (_, n) => claim(String(n))),
    );
  expect(claims.of("w0")).toBeNull();
  expect(claims.of("w9")).toBeNull();
  expect(claims.of("w10")).not.toBeNull();
  expect(claims.of("w29")).not.toBeNull();
});
