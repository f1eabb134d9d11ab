import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "../telemetry/log.ts";

const BACKOFF_MS = [100, 200, 500, 1_000];
const PASSES_IN_A_TURN = 8;

/** What a pass wants next: to be called again at once, or after so many milliseconds. */
export type Rest = { againInMs: number };

/**
 * Calls a pass again and again. A pass that throws (the database is away) is called again with a growing wait, for ever:
 * a node never gives up because of its database. `wake` cuts the rest short; `stop` waits for the pass under way and is
 * final, so that a start which comes late, out of another's hands, sets nothing going again.
 */
export class Loop {
  readonly #name: string;
  readonly #pass: () => Promise<Rest>;
  readonly #log: Log;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #wanted = false;
  #started = false;
  #stopped = false;
  #failures = 0;

  constructor(name: string, log: Log, pass: () => Promise<Rest>) {
    this.#name = name;
    this.#log = log;
    this.#pass = pass;
  }

  start(): void {
    this.#started = true;
    this.wake();
  }

  wake(): void {
    if (!this.#started || this.#stopped) return;
    if (this.#running !== null) {
      this.#wanted = true;
      return;
    }
    // While the database is away, wake-ups must not undo the backing off.
    if (this.#failures > 0 && this.#timer !== null) return;
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  #schedule(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#running = this.#once().finally(() => {
        this.#running = null;
      });
    }, ms);
  }

  /** A pass, and those that are wanted at once after it: nobody else gets a turn between two of them, but after some. */
  async #once(): Promise<void> {
    for (let passes = 1; !this.#stopped; passes += 1) {
      const restMs = await this.#passOnce();
      if (passes % PASSES_IN_A_TURN === 0) await nextTurn();
      if (restMs > 0) {
        // `running` is cleared after this function returns, so a timer is what can begin the next.
        if (!this.#stopped) this.#schedule(restMs);
        return;
      }
    }
  }

  async #passOnce(): Promise<number> {
    this.#wanted = false;
    let restMs: number;
    try {
      restMs = (await this.#pass()).againInMs;
      if (this.#failures > 0) this.#log.info(`${this.#name}.recovered`, { failures: this.#failures });
      this.#failures = 0;
    } catch (error) {
      restMs = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)]!;
      this.#failures += 1;
      // The first and then every tenth: an outage of an hour is not a million lines.
      if (this.#failures % 10 === 1) this.#log.warn(`${this.#name}.failed`, { failures: this.#failures, error });
    }
    return this.#wanted && this.#failures === 0 ? 0 : restMs;
  }
}
