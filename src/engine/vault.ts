import type { Store } from "../store/port.ts";
import type { Vault } from "../targets/port.ts";

/** A secret or key that was changed is in use everywhere after this long. */
const KEPT_MS = 1_000;
const ENTRIES_MAX = 1_000;

/** Secrets and signing keys, read at most once a second per project and name: not once per call. */
export class CachedVault implements Vault {
  readonly #store: Store;
  readonly #monotonic: () => number;
  readonly #entries = new Map<string, { until: number; value: Promise<unknown> }>();

  constructor(store: Store, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  async secrets(projectId: string, names: string[]): Promise<Map<string, string>> {
    return await this.#kept(`secrets ${projectId} ${names.toSorted().join(" ")}`, () =>
      this.#store.secrets.reveal(projectId, names),
    );
  }

  async signingKeys(projectId: string, name: string | undefined): Promise<Buffer[]> {
    return await this.#kept(`keys ${projectId} ${name ?? ""}`, () =>
      this.#store.signingKeys.revealAll(projectId, name),
    );
  }

  #kept<T>(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.#monotonic();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > now) return known.value as Promise<T>;
    const value = read();
    this.#entries.set(key, { until: now + KEPT_MS, value });
    // A failure is not kept: the next call asks again.
    value.catch(() => this.#entries.delete(key));
    if (this.#entries.size > ENTRIES_MAX) this.#entries.delete(this.#entries.keys().next().value!);
    return value;
  }
}
