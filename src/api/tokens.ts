// Tokens that an identity provider made (JWT). Who may make them, for whom and with which algorithms is fixed by the settings;
// a token says only who its bearer is and what they are in which project. Nothing of a token is believed before its
// signature fits, and an algorithm that was not set is not tried, whatever the token's head says.

import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import { ROLE_SCOPES, ROLES, type Role } from "../contract/account.ts";
import { PunctualError } from "../contract/errors.ts";
import type { JwtAlgorithm, JwtSettings } from "../contract/jwt-settings.ts";
import { fittingAlgorithms } from "../contract/public-key.ts";
import { unstorableText } from "../contract/storable.ts";
import { tokenHash } from "../core/one-time-token.ts";
import type { Store } from "../store/port.ts";
import { BriefMemory } from "./brief-memory.ts";
import type { Authenticate, Grant, Identity } from "./principal.ts";

/** Clocks of two machines are never quite the same. */
const CLOCK_TOLERANCE_S = 10;
const KEYS_KEPT_MS = 10 * 60_000;
/** After an unknown key was asked for, so that made-up tokens do not make us ask for each. */
const KEYS_COOLDOWN_MS = 30_000;
const KEYS_TIMEOUT_MS = 5_000;
const NAME_MAX = 255;
const PROJECTS_MAX = 1_000;

type Key = KeyObject | JWTVerifyGetKey;

export interface TokenDeps {
  store: Pick<Store, "projects">;
  monotonic: () => number;
  /** Through the egress guard. */
  fetch: FetchImplementation;
}

/** Null for what is no token, so that other ways may know it. */
export function tokens(settings: JwtSettings, deps: TokenDeps): Authenticate {
  const key = keyOf(settings, deps.fetch);
  const { issuer, audience } = settings;
  const options = {
    issuer,
    audience,
    algorithms: [...algorithmsOf(settings)],
    requiredClaims: ["exp", "sub"],
    clockTolerance: CLOCK_TOLERANCE_S,
  };
  const memory = new BriefMemory<JWTPayload>(deps.monotonic);
  const projects = new BriefMemory<{ id: string; name: string } | null>(deps.monotonic);
  const find = (called: string) => projects.recall(called, () => deps.store.projects.find(called));
  return async (token) => {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null;
    const ask = () => verified(token, key, options);
    const claims = await memory.recall(tokenHash(token).toString("base64"), ask, msLeft);
    return identity(claims, settings, find);
  };
}

function msLeft({ exp = 0 }: JWTPayload): number {
  return (exp + CLOCK_TOLERANCE_S) * 1_000 - Date.now();
}

function keyOf({ secret, publicKey, jwksUrl }: JwtSettings, fetch: FetchImplementation): Key {
  if (secret !== null) return createSecretKey(Buffer.from(secret));
  if (publicKey !== null) return createPublicKey(publicKey);
  const options = {
    [customFetch]: fetch,
    cacheMaxAge: KEYS_KEPT_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
  };
  return orUnavailable(createRemoteJWKSet(new URL(jwksUrl!), options));
}

/** That the keys cannot be had says nothing about the token. */
function orUnavailable(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (...token) => {
    try {
      return await keys(...token);
    } catch (error) {
      if (ABOUT_THE_TOKEN.some((kind) => error instanceof kind)) throw error;
      throw new PunctualError("unavailable", "the keys that tokens are checked with cannot be fetched; try again", {
        cause: error,
      });
    }
  };
}

/** What a set of keys says of a token that none, or more than one, of them may have signed. */
const ABOUT_THE_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

function algorithmsOf({ algorithms, secret, publicKey }: JwtSettings): readonly JwtAlgorithm[] {
  if (algorithms.length > 0) return algorithms;
  if (secret !== null) return ["HS256"];
  const fitting = publicKey === null ? null : fittingAlgorithms(publicKey);
  return fitting === null || "refused" in fitting ? ["RS256", "ES256"] : fitting.slice(0, 1);
}

async function verified(token: string, key: Key, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    const { payload } =
      typeof key === "function" ? await jwtVerify(token, key, options) : await jwtVerify(token, key, options);
    if (typeof payload.sub !== "string" || payload.sub === "")
      throw new errors.JWTClaimValidationFailed('"sub" claim must be a text that is not empty', payload, "sub");
    return payload;
  } catch (error) {
    throw error instanceof PunctualError ? error : notValid((error as Error).message, error);
  }
}

function notValid(why: string, cause?: unknown): PunctualError {
  return new PunctualError("unauthenticated", `the token is not valid: ${why}`, { cause });
}

function identity(
  claims: JWTPayload,
  { projectsClaim, roleClaim }: JwtSettings,
  find: (called: string) => Promise<{ id: string; name: string } | null>,
): Identity {
  const roles = rolesOf(claims[projectsClaim], claims[roleClaim]);
  const enter = async (called: string): Promise<Grant | null> => {
    const project = await find(called);
    const role = project && (roles.get(project.id) ?? roles.get(project.name));
    return project && role ? { projectId: project.id, projectName: project.name, scopes: ROLE_SCOPES[role] } : null;
  };
  const id = nameable(claims.sub);
  if (id === null) throw notValid(`"sub" is not a text of 1 to ${NAME_MAX} characters`);
  // An address that anybody may write down for themselves is not whom the audit is to name.
  const name = (claims.email_verified === false ? null : nameable(claims.email)) ?? id;
  return { kind: "token", id, name, instanceAdmin: false, session: null, home: null, enter };
}

/** What may stand as somebody's name in the ledger and the audit. */
function nameable(claim: unknown): string | null {
  const fits = typeof claim === "string" && claim !== "" && claim.length <= NAME_MAX;
  return fits && unstorableText(claim) === null ? claim : null;
}

/** `{"billing": "editor"}`, or names of projects beside one role for all of them. What is neither gives no part in anything. */
function rolesOf(projects: unknown, role: unknown): Map<string, Role> {
  const isRole = (value: unknown): value is Role => ROLES.includes(value as Role);
  if (typeof projects === "object" && projects !== null && !Array.isArray(projects))
    return new Map(
      Object.entries(projects)
        .slice(0, PROJECTS_MAX)
        .filter((entry): entry is [string, Role] => isRole(entry[1])),
    );
  const names = (Array.isArray(projects) ? projects : [projects]).slice(0, PROJECTS_MAX);
  return new Map(
    isRole(role) ? names.flatMap((name) => (typeof name === "string" ? [[name, role] as const] : [])) : [],
  );
}
