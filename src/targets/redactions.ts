import { TARGET_SECRETS_MAX } from "../contract/target.ts";
import { Redaction } from "./redaction.ts";
import { CallRefused } from "./refusal.ts";

/** What all secrets of a call may have together: what is looked for in its answer is many times as long. */
export const SECRET_CHARACTERS_MAX = 64 * 1024;
/** Of what is kept for further calls; beyond it what was not used for longest goes. */
const KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;

type Secrets = ReadonlyMap<string, string>;

/** Refuses secrets that would take too long to be looked for. */
export function refuseTooMuch(secrets: Secrets): void {
  if (secrets.size > TARGET_SECRETS_MAX)
    throw new CallRefused(
      "secrets_too_large",
      `the target uses ${secrets.size} secrets; at most ${TARGET_SECRETS_MAX} may be used`,
    );
  let characters = 0;
  for (const value of secrets.values()) characters += value.length;
  if (characters > SECRET_CHARACTERS_MAX)
    throw new CallRefused(
      "secrets_too_large",
      `the secrets of the target have ${characters} characters together; at most ${SECRET_CHARACTERS_MAX} may be used`,
    );
}

/**
 * Redactions by the secrets they are about. By their values, because the vault reads them anew every second, and to make
 * all forms of them again each time would be most of what a call costs.
 */
export class Redactions {
  readonly #make: (secrets: Secrets) => Redaction;
  readonly #kept = new Map<string, Redaction>();
  #characters = 0;

  constructor(make: (secrets: Secrets) => Redaction = (secrets) => new Redaction(secrets)) {
    this.#make = make;
  }

  of(secrets: Secrets): Redaction {
    if (secrets.size === 0) return Redaction.none;
    const key = JSON.stringify([...secrets]);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const redaction = known ?? this.#make(secrets);
    this.#kept.set(key, redaction);
    if (known === undefined) this.#makeRoom(key.length + redaction.size.characters);
    return redaction;
  }

  #makeRoom(added: number): void {
    this.#characters += added;
    for (const [key, redaction] of this.#kept) {
      if (this.#characters <= KEPT_CHARACTERS_MAX || this.#kept.size === 1) break;
      this.#kept.delete(key);
      this.#characters -= key.length + redaction.size.characters;
    }
  }
}
