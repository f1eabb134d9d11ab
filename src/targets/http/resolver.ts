import { lookup as systemLookup } from "node:dns/promises";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** All addresses of a name; rejects as `dns.lookup` does. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/** Names as the operating system resolves them, with `/etc/hosts` and search domains. */
export const lookupBySystem: Lookup = (hostname) => systemLookup(hostname, { all: true, order: "verbatim" });

/**
 * Asks for each name once at a time and remembers the answer for a moment. The system's resolver works in a handful of
 * threads that the whole process shares: a hundred calls to a name whose servers do not answer must hold one of them,
 * not all. Remembering is safe, because every address is judged again whenever it is dialled.
 */
export class Resolver {
  readonly #lookup: Lookup;
  readonly #rememberedMs: number;
  readonly #namesMax: number;
  readonly #answers = new Map<string, { answer: Promise<ResolvedAddress[]>; untilMs: number }>();

  constructor(lookup: Lookup, { rememberedMs, namesMax = 1_000 }: { rememberedMs: number; namesMax?: number }) {
    this.#lookup = lookup;
    this.#rememberedMs = rememberedMs;
    this.#namesMax = namesMax;
  }

  resolve(hostname: string): Promise<ResolvedAddress[]> {
    const known = this.#answers.get(hostname);
    if (known !== undefined && performance.now() < known.untilMs) return known.answer;
    const entry = { answer: this.#lookup(hostname), untilMs: Number.POSITIVE_INFINITY };
    this.#answers.delete(hostname);
    this.#answers.set(hostname, entry);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= this.#namesMax) break;
      this.#answers.delete(oldest);
    }
    entry.answer.then(
      () => {
        entry.untilMs = performance.now() + this.#rememberedMs;
      },
      () => {
        if (this.#answers.get(hostname) === entry) this.#answers.delete(hostname);
      },
    );
    return entry.answer;
  }
}
