import type { Claimed } from "../store/port/queue.ts";

/** Of all workers together; about a kilobyte each. The workers that were given nothing for longest are forgotten first. */
const CLAIMS_MAX = 20_000;

interface Given {
  /** The worker's name. */
  to: string;
  byToken: Map<string, Claimed>;
}

/**
 * Claims that this node gave to workers: their results need not be looked up. A memory and not the truth: what is not in it,
 * because another node gave it or it was forgotten, is read from the queue; and whether a claim still stands is for the
 * statement to say that writes its result.
 */
export class HandedOutClaims {
  readonly #byHolder = new Map<string, Given>();
  #size = 0;

  add({ holder, name }: { holder: string; name: string }, claims: Claimed[]): void {
    if (claims.length === 0) return;
    const byToken = this.#byHolder.get(holder)?.byToken ?? new Map<string, Claimed>();
    const before = byToken.size;
    for (const one of claims) byToken.set(one.claim, one);
    this.#size += byToken.size - before;
    this.#byHolder.delete(holder);
    this.#byHolder.set(holder, { to: name, byToken });
    for (const [longest] of this.#byHolder) {
      if (this.#size <= CLAIMS_MAX) return;
      this.forget(longest);
    }
  }

  /** Of one worker; null if there is nothing. */
  of(holder: string): { name: string; find(named: { id: string; token: string }): Claimed | undefined } | null {
    const given = this.#byHolder.get(holder);
    if (given === undefined) return null;
    return {
      name: given.to,
      find: ({ id, token }) => {
        const claimed = given.byToken.get(token);
        return claimed?.id === id ? claimed : undefined;
      },
    };
  }

  /** What is known to have ended, or all of a worker's. */
  forget(holder: string, tokens?: readonly { token: string }[]): void {
    const byToken = this.#byHolder.get(holder)?.byToken;
    if (byToken === undefined) return;
    const before = byToken.size;
    if (tokens === undefined) byToken.clear();
    else for (const { token } of tokens) byToken.delete(token);
    this.#size += byToken.size - before;
    if (byToken.size === 0) this.#byHolder.delete(holder);
  }
}
