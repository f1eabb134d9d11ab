import type { Json } from "../contract/json.ts";
import { formsOf } from "./secret-forms.ts";

/** A shorter text would be found everywhere, and is no secret. */
const FORM_CHARACTERS_MIN = 4;

/**
 * Secrets that a call carried must not come back into the ledger through what the target answered: echo services and
 * error pages repeat headers and URLs, commands print what they were given. Each value is looked for as it is and in the
 * forms that programs write values in.
 */
export class Redaction {
  static readonly none = new Redaction([]);
  readonly #forms: readonly { form: string; shown: string }[];

  /** Of these and of all that `others` is about: what it has worked out of them is taken over. */
  constructor(secrets: Iterable<[name: string, value: string]>, others: Redaction | null = null) {
    const added = [...secrets].flatMap(([name, value]) =>
      formsOf(value)
        .filter((form) => form.length >= FORM_CHARACTERS_MIN)
        .map((form) => ({ form, shown: `[secret ${name}]` })),
    );
    // Longer ones first: a short secret that is part of a long one must not leave the rest of it standing.
    this.#forms = [...added, ...(others === null ? [] : others.#forms)].sort((a, b) => b.form.length - a.form.length);
  }

  /** `isCut`: the text goes on, so that it may end in the middle of a secret. */
  clean(text: string, isCut = false): string {
    let cleaned = text;
    for (const { form, shown } of this.#forms) if (cleaned.includes(form)) cleaned = cleaned.replaceAll(form, shown);
    return isCut ? this.#withoutCutSecret(cleaned) : cleaned;
  }

  /** Every string in it, names of members too. */
  cleanJson(value: Json): Json {
    if (this.#forms.length === 0) return value;
    if (typeof value === "string") return this.clean(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.cleanJson(item));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.clean(name), this.cleanJson(item)]));
  }

  /** The length of the longest text that is looked for. */
  get reach(): number {
    return this.#forms[0]?.form.length ?? 0;
  }

  /**
   * Where to cut a text so that no secret is cut in two: at the place, or before it where a secret stands across it, or
   * behind a secret that the text begins with. Sure only if `reach` characters follow the place, or the text ends.
   */
  cutPoint(text: string, place: number): number {
    let cut = place;
    for (let moved = true; moved; ) {
      moved = false;
      for (const { form } of this.#forms) {
        const at = text.lastIndexOf(form, cut - 1);
        if (at < 0 || at + form.length <= cut) continue;
        if (at === 0) return form.length;
        cut = at;
        moved = true;
      }
    }
    return cut;
  }

  #withoutCutSecret(text: string): string {
    for (const { form, shown } of this.#forms)
      for (let length = Math.min(form.length, text.length); length >= FORM_CHARACTERS_MIN; length--)
        if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + shown;
    return text;
  }
}
