import { createSecretKey, type KeyObject } from "node:crypto";
import type { Store } from "../store/port.ts";
import type { Kept, Vault } from "../targets/port.ts";

/** A secret or key that was changed is in use everywhere after this long. */
const KEPT_MS = 1_000;
const ENTRIES_MAX = 1_000;

interface Entry {
  until: number;
  answer: Kept<unknown>;
}

/** Secrets and signing keys, read at most once a second per project and name: not once per call. */
export class CachedVault implements Vault {
  readonly #store: Store;
  readonly #monotonic: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(store: Store, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  secrets(projectId: string, names: string[]): Kept<ReadonlyMap<string, string>> {
    return this.#kept(`secrets ${projectId} ${names.toSorted().join(" ")}`, () =>
      this.#store.secrets.reveal(projectId, names),
    );
  }

  signingKeys(projectId: string, name: string | undefined): Kept<readonly KeyObject[]> {
    return this.#kept(`keys ${projectId} ${name ?? ""}`, async () => {
      const keys = await this.#store.signingKeys.revealAll(projectId, name);
      // Made once: to make a key of the bytes for each signature would take several times as long as to sign.
      return keys.map((key) => createSecretKey(key));
    });
  }

  #kept<T>(key: string, read: () => Promise<T>): Kept<T> {
    const now = this.#monotonic();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > now) return known.answer as Kept<T>;
    const answer = read();
    const entry: Entry = { until: now + KEPT_MS, answer };
    this.#entries.set(key, entry);
    answer.then(
      (value) => {
        entry.answer = value;
      },
      // A failure is not kept: the next call asks again.
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    if (this.#entries.size > ENTRIES_MAX) this.#entries.delete(this.#entries.keys().next().value!);
    return answer;
  }
}
