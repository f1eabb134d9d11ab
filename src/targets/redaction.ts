import type { Json } from "../contract/json.ts";
import { FORM_CHARACTERS_MIN, type Form, FormIndex, type Found } from "./form-index.ts";
import { commonFormsOf, formsOf } from "./secret-forms.ts";

/**
 * Secrets that a call carried must not come back into the ledger through what the target answered: echo services and
 * error pages repeat headers and URLs, commands print what they were given. Each value is looked for as it is and in the
 * forms that programs write values in.
 */
export class Redaction {
  static readonly none = new Redaction([]);
  readonly #indexes: readonly FormIndex[];

  /**
   * Of these and of all that `others` is about: what it has worked out of them is taken over. `parts` are looked for in
   * their commonest forms only.
   */
  constructor(
    secrets: Iterable<[name: string, value: string]>,
    { parts = [], others = null }: { parts?: Iterable<[name: string, part: string]>; others?: Redaction | null } = {},
  ) {
    const added = new FormIndex([...allForms(secrets, formsOf), ...allForms(parts, commonFormsOf)]);
    this.#indexes = [...(added.size === 0 ? [] : [added]), ...(others === null ? [] : others.#indexes)];
  }

  /** `isCut`: the text goes on, so that it may end in the middle of a secret. */
  clean(text: string, isCut = false): string {
    if (this.#indexes.length === 0 || text.length < FORM_CHARACTERS_MIN) return text;
    const found = this.#foundIn(text);
    if (isCut) found.push(...this.#cutSecrets(text));
    return found.length === 0 ? text : replaced(text, found);
  }

  /** Every string in it, names of members too. */
  cleanJson(value: Json): Json {
    if (this.#indexes.length === 0) return value;
    if (typeof value === "string") return this.clean(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.cleanJson(item));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.clean(name), this.cleanJson(item)]));
  }

  /** The length of the longest text that is looked for. */
  get reach(): number {
    return Math.max(0, ...this.#indexes.map(({ reach }) => reach));
  }

  /** How many texts are looked for, and how long they are together. */
  get size(): { forms: number; characters: number } {
    const size = { forms: 0, characters: 0 };
    for (const index of this.#indexes) {
      size.forms += index.size;
      size.characters += index.characters;
    }
    return size;
  }

  /**
   * Where to cut a text so that no secret is cut in two: at the place, or before it where a secret stands across it, or
   * behind a secret that the text begins with. Sure only if `reach` characters follow the place, or the text ends.
   */
  cutPoint(text: string, place: number): number {
    let cut = place;
    const { reach } = this;
    // Backwards: what stands across a place that was moved begins before it.
    for (let at = place - 1; at >= 0 && at + reach > cut; at--) if (this.#endAt(text, at) > cut) cut = at;
    if (cut > 0) return cut;
    let end = this.#endAt(text, 0);
    for (let at = 1; at < end; at++) end = Math.max(end, this.#endAt(text, at));
    return end;
  }

  /** Where the longest form that begins here ends; the place itself if there is none. */
  #endAt(text: string, at: number): number {
    let end = at;
    for (const index of this.#indexes)
      if (index.mayBegin(text, at)) end = Math.max(end, index.longestAt(text, at)?.end ?? at);
    return end;
  }

  #foundIn(text: string): Found[] {
    const found: Found[] = [];
    for (const index of this.#indexes)
      for (let at = index.nextPlace(text, 0); at >= 0; at = index.nextPlace(text, at + 1)) {
        const one = index.longestAt(text, at);
        if (one !== null) found.push(one);
      }
    return found;
  }

  /** Of each index the longest: what is cut off at a later place lies within it. */
  #cutSecrets(text: string): Found[] {
    const found: Found[] = [];
    for (const index of this.#indexes) {
      let one: Found | null = null;
      let at = index.nextPlace(text, Math.max(0, text.length - index.reach));
      for (; at >= 0 && one === null; at = index.nextPlace(text, at + 1)) one = index.cutAt(text, at);
      if (one !== null) found.push(one);
    }
    return found;
  }
}

function* allForms(
  values: Iterable<[name: string, value: string]>,
  formsOfOne: (value: string) => string[],
): Generator<Form> {
  for (const [name, value] of values) for (const text of formsOfOne(value)) yield { text, shown: `[secret ${name}]` };
}

/** What overlaps is replaced as a whole, under the name of the longest: no end of one may be left standing beside another. */
function replaced(text: string, found: Found[]): string {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let cleaned = "";
  let at = 0;
  for (let index = 0; index < found.length; ) {
    let longest = found[index]!;
    const { start } = longest;
    let { end } = longest;
    for (index++; index < found.length && found[index]!.start < end; index++) {
      const next = found[index]!;
      if (next.end - next.start > longest.end - longest.start) longest = next;
      end = Math.max(end, next.end);
    }
    cleaned += text.slice(at, start) + longest.shown;
    at = end;
  }
  return cleaned + text.slice(at);
}
