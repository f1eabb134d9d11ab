import { PunctualError } from "../contract/errors.ts";
import { idOrName } from "../contract/parameters.ts";
import type { Store } from "../store/port.ts";
import type { Principal } from "./principal.ts";

/**
 * The principal in the project that a request names. A key belongs to one project, and naming another is asking for what
 * is not there; an instance admin acts in any, with the same scopes.
 */
export async function actingIn(store: Store, principal: Principal, named: unknown): Promise<Principal> {
  if (named === undefined || named === principal.projectId || named === principal.projectName) return principal;
  const called = principal.instanceAdmin ? idOrName.safeParse(named) : null;
  const project = called?.success ? await store.projects.find(called.data) : null;
  if (project === null)
    throw new PunctualError("not_found", "there is no such project, or the key does not belong to it");
  return { ...principal, projectId: project.id, projectName: project.name };
}
