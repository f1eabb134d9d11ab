import { createHash, timingSafeEqual } from "node:crypto";
import { SCOPES, type Scope } from "../contract/api-key.ts";
import { PunctualError } from "../contract/errors.ts";
import type { Membership } from "../store/port/accounts.ts";
import type { ActorKind } from "../store/port/audit.ts";
import type { Permission } from "./rules.ts";

/** What somebody may do in one project. */
export interface Grant {
  projectId: string;
  projectName: string;
  scopes: readonly Scope[];
}

interface Who {
  kind: ActorKind;
  /** Stays the same whatever they are called: a key's id, an account's, a token's subject. */
  id: string;
  /** Kept as the actor of what they do. */
  name: string;
  /** May see to the instance itself (its nodes, its projects), and act in every project. */
  instanceAdmin: boolean;
  /** Of somebody who is signed in. */
  session: { id: string; memberships: readonly Membership[] } | null;
}

/** Somebody whose credentials are good, before a project is named. */
export interface Identity extends Who {
  /** Where they act if they name no project: a key's own. */
  home: Grant | null;
  /** What they may do in the project of this id or name; null if they have no part in it, or there is none. */
  enter(called: string): Promise<Grant | null>;
}

/** Whoever is behind a request, in the project they named. Without one its id is empty and there are no scopes. */
export interface Principal extends Who, Grant {}

export type Authenticate = (token: string) => Promise<Identity | null> | Identity | null;

export const NOBODY: Principal = {
  kind: "nobody",
  id: "",
  name: "anonymous",
  instanceAdmin: false,
  session: null,
  projectId: "",
  projectName: "",
  scopes: [],
};

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
  if (permission === "person") return principal.session !== null;
  if (permission === "instance") return principal.instanceAdmin;
  return principal.scopes.some((scope) => IMPLIED[scope].includes(permission));
}

/** Whether it is asked for in a project, and not of the caller alone. */
export function needsProject(permission: Permission): boolean {
  return !["open", "known", "person", "instance"].includes(permission);
}

/** Throws unless the principal may. */
export function demand(principal: Principal, permission: Permission): void {
  if (may(principal, permission)) return;
  throw new PunctualError("forbidden", `this needs ${needs(permission)}; ${has(principal)}`);
}

function needs(permission: Permission): string {
  if (permission === "instance") return "an instance admin";
  return permission === "person" ? "somebody who is signed in" : `the scope "${permission}"`;
}

function has({ kind, name, scopes, projectName }: Principal): string {
  const listed = scopes.map((scope) => `"${scope}"`).join(", ") || "no scope";
  return kind === "key" ? `the key "${name}" has ${listed}` : `${name} has ${listed} in the project "${projectName}"`;
}

/** Finds a project that an instance admin names. */
export type FindProject = (idOrName: string) => Promise<{ id: string; name: string } | null>;

/** A key belongs to one project, and naming another is asking for what is not there; an instance admin's acts in any. */
export function keyIdentity(
  key: { id: string; name: string; instanceAdmin: boolean; grant: Grant },
  findProject: FindProject,
): Identity {
  const { id, name, instanceAdmin, grant } = key;
  const enter = async (called: string): Promise<Grant | null> => {
    if (called === grant.projectId || called === grant.projectName) return grant;
    const project = instanceAdmin ? await findProject(called) : null;
    return project && { ...grant, projectId: project.id, projectName: project.name };
  };
  return { kind: "key", id, name, instanceAdmin, session: null, home: grant, enter };
}

/**
 * Keys that are given as settings. Hashes are compared, all of them and in constant time, so that the time taken says
 * nothing about how much of a guess was right.
 */
export function fixedKeys(keys: readonly { token: string; identity: Identity }[]): Authenticate {
  const known = keys.map(({ token, identity }) => ({ hash: hashOf(token), identity }));
  return (token) => {
    const hash = hashOf(token);
    let found: Identity | null = null;
    for (const key of known) if (timingSafeEqual(key.hash, hash)) found = key.identity;
    return found;
  };
}

/** The first way that knows the token decides. */
export function anyWay(...ways: readonly Authenticate[]): Authenticate {
  return async (token) => {
    for (const way of ways) {
      const identity = await way(token);
      if (identity !== null) return identity;
    }
    return null;
  };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
