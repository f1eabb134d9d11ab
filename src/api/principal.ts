import { createHash, timingSafeEqual } from "node:crypto";
import { SCOPES, type Scope } from "../contract/api-key.ts";
import { PunctualError } from "../contract/errors.ts";

/** Whoever is behind a request. */
export interface Principal {
  /** Of the key, where it has one: what is counted against its limits. */
  id?: string;
  /** Kept as the actor of what they do. */
  name: string;
  projectId: string;
  projectName: string;
  scopes: readonly Scope[];
  /** May see to the instance itself (its nodes, its projects), and act in every project. */
  instanceAdmin: boolean;
}

export type Authenticate = (token: string) => Promise<Principal | null> | Principal | null;

/** What a route asks of whoever calls it. `open` asks nothing, `known` any valid key, `instance` an instance admin's. */
export type Permission = Scope | "open" | "known" | "instance";

/** Those who may change a job may also run it, and those who may run it may look at it. */
const IMPLIED: Record<Scope, readonly Scope[]> = {
  read: ["read"],
  operate: ["read", "operate"],
  write: ["read", "operate", "write"],
  work: ["work"],
  metrics: ["metrics"],
  admin: SCOPES,
};

export function may(principal: Principal, permission: Permission): boolean {
  if (permission === "open" || permission === "known") return true;
  if (permission === "instance") return principal.instanceAdmin;
  return principal.scopes.some((scope) => IMPLIED[scope].includes(permission));
}

/** Throws unless the principal may. */
export function demand(principal: Principal, permission: Permission): void {
  if (may(principal, permission)) return;
  const needs = permission === "instance" ? "an instance admin" : `the scope "${permission}"`;
  const has = principal.scopes.map((scope) => `"${scope}"`).join(", ");
  throw new PunctualError("forbidden", `this needs ${needs}; the key "${principal.name}" has ${has || "no scope"}`);
}

/**
 * Keys that are given as settings. Hashes are compared, all of them and in constant time, so that the time taken says
 * nothing about how much of a guess was right.
 */
export function fixedKeys(keys: readonly { token: string; principal: Principal }[]): Authenticate {
  const known = keys.map(({ token, principal }) => ({ hash: hashOf(token), principal }));
  return (token) => {
    const hash = hashOf(token);
    let found: Principal | null = null;
    for (const key of known) if (timingSafeEqual(key.hash, hash)) found = key.principal;
    return found;
  };
}

/** The first way that knows the token decides. */
export function anyWay(...ways: readonly Authenticate[]): Authenticate {
  return async (token) => {
    for (const way of ways) {
      const principal = await way(token);
      if (principal !== null) return principal;
    }
    return null;
  };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
