import type { Role } from "punctual/client";

/** What each may do, in the order of how much. Each may also do what those before it may. */
export const ROLE_CHOICES: readonly (readonly [role: Role, label: string])[] = [
  ["viewer", "viewer: looks at jobs and executions"],
  ["operator", "operator: also triggers, pauses, retries, cancels"],
  ["editor", "editor: also saves and deletes jobs and secrets"],
  ["admin", "admin: also sees to keys, members and the audit"],
];
