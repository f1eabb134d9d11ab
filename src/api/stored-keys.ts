// Keys that are kept in the database. Promised: a key that was revoked, or whose project was deleted, opens nothing on any
// node from the moment that call has returned (brief-memory.ts); one that expires ends with its time, by the database's clock.

import { PunctualError } from "../contract/errors.ts";
import { matchesHash, parseApiKey } from "../core/api-key.ts";
import type { ApiKeyRecord, PresentedApiKey } from "../store/port/api-keys.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { BriefMemory } from "./brief-memory.ts";
import { type Authenticate, type FindProject, keyIdentity } from "./principal.ts";
import { UseNotes } from "./use-notes.ts";

export class StoredKeys {
  readonly #store: Pick<Store, "apiKeys" | "projects">;
  readonly #memory: BriefMemory<PresentedApiKey | null>;
  readonly #use: UseNotes;
  readonly #findProject: FindProject;

  constructor(store: Pick<Store, "apiKeys" | "projects">, { monotonic, log }: { monotonic: () => number; log: Log }) {
    this.#store = store;
    this.#memory = new BriefMemory(monotonic);
    this.#use = new UseNotes((ids) => store.apiKeys.noteUse(ids), { monotonic, log, what: "api_key" });
    this.#findProject = (called) => store.projects.find(called);
  }

  /** Why a key is refused is told only to whoever has its secret. */
  readonly authenticate: Authenticate = async (token) => {
    const parts = parseApiKey(token);
    if (parts === null) {
      if (!token.startsWith("punctual_")) return null;
      throw new PunctualError("unauthenticated", "the key was mistyped or cut off: its checksum does not fit");
    }
    const ask = () => this.#store.apiKeys.present(parts.id);
    // It ends with its time, if that is sooner.
    const key = await this.#memory.recall(parts.id, ask, (found) => found?.msLeft ?? null);
    if (key === null || !matchesHash(parts.secret, key.hash)) return null;
    if (key.state !== "active") throw new PunctualError("unauthenticated", whyOver(key));
    this.#use.note(key.id);
    const { id, name, instanceAdmin, projectId, projectName, scopes } = key;
    return keyIdentity({ id, name, instanceAdmin, grant: { projectId, projectName, scopes } }, this.#findProject);
  };

  /** Writes down the last uses. */
  async close(): Promise<void> {
    await this.#use.close();
  }
}

export function whyOver({ name, revokedAt, expiresAt, replacedBy }: ApiKeyRecord): string {
  if (revokedAt !== null) return `the key "${name}" was revoked at ${revokedAt.toISOString()}`;
  const at = expiresAt?.toISOString();
  return replacedBy === null
    ? `the key "${name}" expired at ${at}`
    : `the key "${name}" was rotated to ${replacedBy} and ended at ${at}; use the new one`;
}
