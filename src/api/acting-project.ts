import { PunctualError } from "../contract/errors.ts";
import { idOrName } from "../contract/parameters.ts";
import { type Identity, needsProject, type Principal } from "./principal.ts";
import type { Permission } from "./rules.ts";

/**
 * Somebody in the project that their request names. A key has its own; people and tokens, which may belong to several, say
 * which. A project that they have no part in is not there for them.
 */
export async function actingIn(identity: Identity, named: unknown, permission: Permission): Promise<Principal> {
  const { home, enter, ...who } = identity;
  if (named === undefined && home === null) {
    if (!needsProject(permission)) return { ...who, projectId: "", projectName: "", scopes: [] };
    throw new PunctualError(
      "project_required",
      `${who.name} may act in several projects; name one with the header punctual-project: <id or name>`,
    );
  }
  const called = named === undefined ? null : idOrName.safeParse(named);
  const grant = called === null ? home : called.success ? await enter(called.data) : null;
  if (grant === null)
    throw new PunctualError("not_found", "there is no such project, or whoever asks does not belong to it");
  return { ...who, ...grant };
}
