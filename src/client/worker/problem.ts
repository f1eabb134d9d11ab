/** What the worker was doing when something went wrong. What handlers throw is not reported here: the ledger has it. */
export interface ErrorContext {
  during: "register" | "claim" | "heartbeat" | "settle" | "log" | "leave" | "run";
  /** If it is about a single one. */
  executionId?: string;
}

export type OnError = (error: unknown, context: ErrorContext) => void;

const REMEMBERED_MAX = 100;

/** Where problems go: to the user's own hook, each one; else to the terminal, each distinct one once. */
export class Problems {
  readonly #onError: OnError | undefined;
  readonly #printed = new Map<ErrorContext["during"], Set<string>>();

  constructor(onError: OnError | undefined) {
    this.#onError = onError;
  }

  report(error: unknown, context: ErrorContext): void {
    try {
      if (this.#onError === undefined) this.#print(error, context);
      else this.#onError(error, context);
    } catch (thrown) {
      // The hook is the user's; the worker outlives it.
      this.#print(thrown, context);
    }
  }

  /** It works again: the next failure is news. */
  healthy(during: ErrorContext["during"]): void {
    this.#printed.delete(during);
  }

  /** A server that is away for an hour fails a thousand polls, and that is one thing to know. */
  #print(error: unknown, { during, executionId }: ErrorContext): void {
    const said = error instanceof Error ? error.message : String(error);
    const printed = this.#printed.get(during) ?? new Set();
    if (printed.has(said) || printed.size >= REMEMBERED_MAX) return;
    this.#printed.set(during, printed.add(said));
    const about = executionId === undefined ? "" : ` (execution ${executionId})`;
    console.error(`punctual worker, ${during}: ${said}${about}`);
  }
}
