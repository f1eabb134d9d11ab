import type { Me } from "punctual/client";
import type { ComponentType } from "react";
import { AccountSection } from "./account-section.tsx";
import { AuditSection } from "./audit-section.tsx";
import { KeysSection } from "./keys-section.tsx";
import { MembersSection } from "./members-section.tsx";
import { ProjectSection } from "./project-section.tsx";
import { SecretsSection } from "./secrets-section.tsx";
import { SigningKeysSection } from "./signing-keys-section.tsx";

export interface Section {
  name: string;
  label: string;
  /** What stands in the sentence that the role does not include it. */
  what: string;
  scope: Me["scopes"][number] | null;
  view: ComponentType;
}

/** In the order of the navigation. Whoever lacks the scope does not see the section. */
export const SECTIONS: readonly Section[] = [
  { name: "project", label: "Project", what: "the project", scope: "read", view: ProjectSection },
  { name: "members", label: "Members", what: "the members", scope: "read", view: MembersSection },
  { name: "keys", label: "API keys", what: "API keys", scope: "admin", view: KeysSection },
  { name: "secrets", label: "Secrets", what: "secrets", scope: "read", view: SecretsSection },
  { name: "signing-keys", label: "Signing keys", what: "signing keys", scope: "read", view: SigningKeysSection },
  { name: "audit", label: "Audit", what: "the audit", scope: "admin", view: AuditSection },
  { name: "account", label: "Your account", what: "an account", scope: null, view: AccountSection },
];

export function maySee({ scope }: Section, { scopes }: Pick<Me, "scopes">): boolean {
  return scope === null || scopes.includes(scope);
}
