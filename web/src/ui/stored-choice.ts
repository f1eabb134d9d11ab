import { useSyncExternalStore } from "react";

/** A choice of the person at this browser, kept there. Where nothing can be kept it lasts as long as the page. */
export class StoredChoice<T extends string> {
  readonly #key: string;
  readonly #isValid: (value: string) => value is T;
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(key: string, preset: T, isValid: (value: string) => value is T) {
    this.#key = `punctual.${key}`;
    this.#isValid = isValid;
    this.#value = this.#read() ?? preset;
  }

  get value(): T {
    return this.#value;
  }

  choose(value: T): void {
    this.#value = value;
    try {
      localStorage.setItem(this.#key, value);
    } catch {
      // Storage may be switched off or full: the choice still holds for this page.
    }
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #read(): T | null {
    try {
      const kept = localStorage.getItem(this.#key);
      return kept !== null && this.#isValid(kept) ? kept : null;
    } catch {
      return null;
    }
  }
}

export function useChoice<T extends string>(choice: StoredChoice<T>): T {
  return useSyncExternalStore(choice.subscribe, () => choice.value);
}
