import type { Me } from "punctual/client";

/** In the order of the navigation. Whoever lacks the scope does not see the section; without one it is for everybody. */
export const SECTIONS = [
  { name: "project", label: "Project", what: "the project", scope: "read" },
  { name: "members", label: "Members", what: "the members", scope: "read" },
  { name: "keys", label: "API keys", what: "API keys", scope: "admin" },
  { name: "secrets", label: "Secrets", what: "secrets", scope: "read" },
  { name: "signing-keys", label: "Signing keys", what: "signing keys", scope: "read" },
  { name: "audit", label: "Audit", what: "the audit", scope: "admin" },
  { name: "account", label: "Your account", what: "an account", scope: null },
] as const satisfies readonly {
  name: string;
  label: string;
  /** As it stands in the sentence that the role does not include it. */
  what: string;
  scope: Me["scopes"][number] | null;
}[];

export type Section = (typeof SECTIONS)[number];

export function maySee({ scope }: Section, { scopes }: Pick<Me, "scopes">): boolean {
  return scope === null || scopes.includes(scope);
}
