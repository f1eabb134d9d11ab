import type { Claimed } from "../store/port/queue.ts";
import { claimKey } from "./claim-key.ts";

/** Workers with something unnamed that are remembered at a time; the longest unheard-of go first. */
const WORKERS_MAX = 10_000;

/**
 * Claims that a worker holds and does not speak of: the answer that gave them never reached it, or its process was started
 * anew under the same id. One heartbeat without them says little (a result may be on its way at the same moment), but when
 * they were not named for as long as the worker's lease, nobody works on them.
 */
export class ForgottenClaims {
  readonly #monotonic: () => number;
  /** By holder: since when which claims are unnamed. */
  readonly #unnamed = new Map<string, Map<string, number>>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** To be asked at every heartbeat, with what the worker holds and the keys of what it named. */
  among(
    { holder, leaseMs }: { holder: string; leaseMs: number },
    held: Claimed[],
    named: ReadonlySet<string>,
  ): Claimed[] {
    const now = this.#monotonic();
    const before = this.#unnamed.get(holder);
    const unnamed = held.filter((one) => !named.has(keyOf(one)));
    this.#unnamed.delete(holder);
    if (unnamed.length === 0) return [];
    const since = new Map(unnamed.map((one) => [keyOf(one), before?.get(keyOf(one)) ?? now]));
    this.#unnamed.set(holder, since);
    if (this.#unnamed.size > WORKERS_MAX) this.#unnamed.delete(this.#unnamed.keys().next().value!);
    return unnamed.filter((one) => now - since.get(keyOf(one))! > leaseMs);
  }
}

function keyOf({ id, claim }: Claimed): string {
  return claimKey(id, claim);
}
