import type { Me } from "../contract/me.ts";
import type { Principal } from "./principal.ts";

/** Whoever asks, as they are told. */
export function meView({ kind, name, projectId, projectName, scopes, instanceAdmin, session }: Principal): Me {
  const memberships = session?.memberships ?? [];
  return {
    kind: kind as Me["kind"],
    name,
    project: projectId === "" ? null : { id: projectId, name: projectName },
    scopes: [...scopes],
    instanceAdmin,
    projects: memberships.map((each) => ({ id: each.projectId, name: each.projectName, role: each.role })),
  };
}
