/** The longest that a timer takes; what is longer would be over at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Ends a try when its time is over or the caller gives up, whichever is first. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#controller.abort(this.#caller?.reason);
  passed = false;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#timer = timeoutMs > TIMER_MS_MAX ? undefined : setTimeout(() => this.#pass(), timeoutMs);
    if (caller?.aborted) this.#abort();
    caller?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  #pass(): void {
    this.passed = true;
    this.#controller.abort();
  }
}
