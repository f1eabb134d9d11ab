import type { AbortReason } from "../port.ts";

/** How an attempt hears that it is to end. An `AbortSignal` will do; its `reason` is an `AbortReason`. */
export interface AttemptSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Called once, when it is aborted; not if it was before. */
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * Aborts one attempt. It is controller and signal in one, and a plain object: making an `AbortController` and listening to
 * its signal takes longer than many a function's whole run.
 */
export class AttemptAbort implements AttemptSignal {
  #reason: AbortReason | undefined;
  #listeners: (() => void)[] | null = null;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): AbortReason | undefined {
    return this.#reason;
  }

  /** The first reason stays. */
  abort(reason: AbortReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = this.#listeners ?? [];
    this.#listeners = null;
    for (const listener of listeners) listener();
  }

  addEventListener(_: "abort", listener: () => void): void {
    if (this.#reason !== undefined) return;
    if (this.#listeners === null) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    if (this.#listeners === null) return;
    const left = this.#listeners.filter((other) => other !== listener);
    this.#listeners = left.length === 0 ? null : left;
  }
}
