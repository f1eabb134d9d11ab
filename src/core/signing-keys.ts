// What may be done with the signing keys of a project. Promised: a call that was signed is never sent unsigned because of
// a change to the keys, and never loses a signature that some receiver has only its key for. So the last key that signs a
// call cannot be deleted, only rotated, and there are never more keys for a call than signatures fit into its header.

import type { SigningKeyUse } from "../contract/signing-key.ts";

/** One version of a key. Only the newest of a name has no end. */
export interface SigningKeyVersion {
  id: string;
  name: string;
  version: number;
  use: SigningKeyUse;
  state: "active" | "expired";
  expiresAt: Date | null;
}

/** Signatures of one call. */
export const SIGNATURES_MAX = 10;
/** Keys of a project, old versions included. */
const KEYS_MAX = 1_000;

export function whyNotMade(
  keys: readonly SigningKeyVersion[],
  { name, use }: Pick<SigningKeyVersion, "name" | "use">,
): "name_taken" | "too_many" | null {
  if (keys.some((key) => key.name === name)) return "name_taken";
  return keys.length >= KEYS_MAX || isFull(keys, { name, use }) ? "too_many" : null;
}

export function whyNotRotated(keys: readonly SigningKeyVersion[], key: SigningKeyVersion): "over" | "too_many" | null {
  if (key.expiresAt !== null) return "over";
  return keys.length >= KEYS_MAX || isFull(keys, key) ? "too_many" : null;
}

/** `named`: it signs for jobs that name it; `last`: the project has no other that signs for jobs that name none. */
export function whyNotDeleted(
  keys: readonly SigningKeyVersion[],
  key: SigningKeyVersion,
  { isNamed }: { isNamed: boolean },
): "named" | "last" | null {
  if (key.expiresAt !== null) return null;
  if (isNamed) return "named";
  if (key.use === "named") return null;
  const others = keys.filter(({ id, use, expiresAt }) => id !== key.id && use === "project" && expiresAt === null);
  return others.length === 0 ? "last" : null;
}

/** The number after the highest that the name has. */
export function nextVersion(keys: readonly SigningKeyVersion[], name: string): number {
  return Math.max(0, ...keys.filter((key) => key.name === name).map(({ version }) => version)) + 1;
}

function isFull(keys: readonly SigningKeyVersion[], { name, use }: Pick<SigningKeyVersion, "name" | "use">): boolean {
  const together = keys.filter((key) => (use === "project" ? key.use === "project" : key.name === name));
  return together.filter(({ state }) => state === "active").length >= SIGNATURES_MAX;
}
