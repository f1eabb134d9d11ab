import { expect, test } from "vitest";
import type { Claimed } from "../store/port/queue.ts";
import { claimKey } from "./claim-key.ts";
import { ForgottenClaims } from "./forgotten-claims.ts";

const worker = { holder: "w", leaseMs: 30_000 };
/** All under the same token, which does not tell them apart. */
const claims = (...names: string[]) => names.map((name) => ({ id: name, claim: "token" }) as Claimed);

function desk() {
  let now = 0;
  const forgotten = new ForgottenClaims(() => now);
  return (atMs: number, held: string[], named: string[]) => {
    now = atMs;
    const keys = new Set(named.map((name) => claimKey(name, "token")));
    return forgotten.among(worker, claims(...held), keys).map(({ id }) => id);
  };
}

test("a claim that its worker has not named for longer than its lease is forgotten", () => {
  const heartbeat = desk();
  expect(heartbeat(0, ["a", "b"], ["a"])).toEqual([]);
  expect(heartbeat(10_000, ["a", "b"], ["a"])).toEqual([]);
  expect(heartbeat(30_001, ["a", "b"], ["a"])).toEqual(["b"]);
});

test("a claim that is named again in between is not", () => {
  const heartbeat = desk();
  heartbeat(0, ["a"], []);
  heartbeat(10_000, ["a"], ["a"]);
  heartbeat(20_000, ["a"], []);
  expect(heartbeat(40_000, ["a"], [])).toEqual([]);
  expect(heartbeat(50_001, ["a"], [])).toEqual(["a"]);
});
