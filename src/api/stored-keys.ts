// Keys that are kept in the database. Promised: a key that was revoked, or whose project was deleted, opens nothing on any
// node from the moment that call has returned; one that expires ends with its time, by the database's clock.
//
// Asking the database for every request would cost a connection and a third of a millisecond each. So a node remembers what
// it was told, for a short and fixed time that is counted from before it asked; and whoever revokes a key answers only
// when that time has passed since the commit (`untilForgotten`). Whatever another node was told before the commit is
// forgotten by then, whether or not any message reached it. The price is paid by the few who revoke, not by every
// request, and nothing depends on NOTIFY, which may be lost (docs/adr/0007-keys-are-remembered-briefly.md).

import { setTimeout as sleep } from "node:timers/promises";
import { PunctualError } from "../contract/errors.ts";
import { matchesHash, parseApiKey } from "../core/api-key.ts";
import type { ApiKeyRecord, PresentedApiKey } from "../store/port/api-keys.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { KeyUse } from "./key-use.ts";
import type { Authenticate, Principal } from "./principal.ts";

/** The same on every node and in every version, or a revocation would be answered too soon: not a setting. */
const REMEMBERED_MS = 500;
/** Timers may fire a little early. */
const MARGIN_MS = 20;
const REMEMBERED_MAX = 10_000;

/** Over when no node remembers what it was told before this was called. */
export async function untilForgotten(): Promise<void> {
  await sleep(REMEMBERED_MS + MARGIN_MS);
}

interface Remembered {
  until: number;
  key: Promise<PresentedApiKey | null>;
}

export class StoredKeys {
  readonly #store: Pick<Store, "apiKeys">;
  readonly #monotonic: () => number;
  readonly #remembered = new Map<string, Remembered>();
  readonly #use: KeyUse;

  constructor(store: Pick<Store, "apiKeys">, { monotonic, log }: { monotonic: () => number; log: Log }) {
    this.#store = store;
    this.#monotonic = monotonic;
    this.#use = new KeyUse(store, { monotonic, log });
  }

  /** Why a key is refused is told only to whoever has its secret. */
  readonly authenticate: Authenticate = async (token) => {
    const parts = parseApiKey(token);
    if (parts === null) {
      if (!token.startsWith("punctual_")) return null;
      throw new PunctualError("unauthenticated", "the key was mistyped or cut off: its checksum does not fit");
    }
    const key = await this.#find(parts.id);
    if (key === null || !matchesHash(parts.secret, key.hash)) return null;
    if (key.state !== "active") throw new PunctualError("unauthenticated", whyOver(key));
    this.#use.note(key.id);
    return principalOf(key);
  };

  /** Writes down the last uses. */
  async close(): Promise<void> {
    await this.#use.close();
  }

  #find(id: string): Promise<PresentedApiKey | null> {
    const known = this.#remembered.get(id);
    if (known !== undefined && this.#monotonic() < known.until) return known.key;
    const askedAt = this.#monotonic();
    const entry: Remembered = { until: askedAt + REMEMBERED_MS, key: this.#store.apiKeys.present(id) };
    this.#remember(id, entry);
    entry.key.then(
      (key) => {
        // It ends with its time, if that is sooner.
        if (key?.msLeft != null) entry.until = Math.min(entry.until, askedAt + key.msLeft);
      },
      () => this.#forget(id, entry),
    );
    return entry.key;
  }

  /** The newest stand last; what finds no room is asked for again. */
  #remember(id: string, entry: Remembered): void {
    this.#remembered.delete(id);
    this.#remembered.set(id, entry);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > REMEMBERED_MAX && oldest !== undefined) this.#remembered.delete(oldest);
  }

  #forget(id: string, entry: Remembered): void {
    if (this.#remembered.get(id) === entry) this.#remembered.delete(id);
  }
}

export function whyOver({ name, revokedAt, expiresAt, replacedBy }: ApiKeyRecord): string {
  if (revokedAt !== null) return `the key "${name}" was revoked at ${revokedAt.toISOString()}`;
  const at = expiresAt?.toISOString();
  return replacedBy === null
    ? `the key "${name}" expired at ${at}`
    : `the key "${name}" was rotated to ${replacedBy} and ended at ${at}; use the new one`;
}

function principalOf({ id, name, projectId, projectName, scopes, instanceAdmin }: PresentedApiKey): Principal {
  return { id, name, projectId, projectName, scopes, instanceAdmin };
}
