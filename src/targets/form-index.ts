// Many texts that are looked for in one go. A tenant chooses the texts (forms of secrets) and what they are looked for in (the
// answer), so the work must not be the product of both. The forms are sorted: what begins at a place of a text is then found
// by halving, and a filter of first characters lets most places go without it.

/** A shorter text would be found everywhere, and is no secret. */
export const FORM_CHARACTERS_MIN = 4;
const FILTER_BITS_MAX = 16;

export interface Form {
  text: string;
  /** What stands in its place. */
  shown: string;
}

/** A stretch of a text that a form covers. */
export interface Found {
  start: number;
  end: number;
  shown: string;
}

export class FormIndex {
  readonly #forms: readonly Form[];
  /** By form: the longest other one that it begins with, or -1. */
  readonly #shorter: Int32Array;
  /** By the last byte of a character: a form begins with such a one. Most places are passed over by this alone. */
  readonly #first = new Uint8Array(256);
  /** The same of four characters. */
  readonly #filter: Uint8Array;
  /** The length of the longest form. */
  readonly reach: number;
  /** Of all forms together. */
  readonly characters: number;

  /** Of forms that are the same the first counts; those that are too short are left out. */
  constructor(forms: Iterable<Form>) {
    const distinct = new Map<string, Form>();
    for (const form of forms)
      if (form.text.length >= FORM_CHARACTERS_MIN && !distinct.has(form.text)) distinct.set(form.text, form);
    this.#forms = [...distinct.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
    this.#shorter = shorterForms(this.#forms);
    const bits = Math.min(FILTER_BITS_MAX, 5 + Math.ceil(Math.log2(this.#forms.length + 1)));
    this.#filter = new Uint8Array(2 ** bits);
    let [reach, characters] = [0, 0];
    for (const { text } of this.#forms) {
      this.#first[text.charCodeAt(0) & 0xff] = 1;
      this.#filter[firstCharacters(text, 0) & (this.#filter.length - 1)] = 1;
      reach = Math.max(reach, text.length);
      characters += text.length;
    }
    this.reach = reach;
    this.characters = characters;
  }

  get size(): number {
    return this.#forms.length;
  }

  /** A form may begin here: no is sure. */
  mayBegin(text: string, at: number): boolean {
    return this.#nextPlace(text, at, at + 1) === at;
  }

  /** The first place from here on where a form may begin; -1 if there is none. */
  nextPlace(text: string, from: number): number {
    return this.#nextPlace(text, from, text.length);
  }

  #nextPlace(text: string, from: number, to: number): number {
    const [first, filter, mask] = [this.#first, this.#filter, this.#filter.length - 1];
    const end = Math.min(to, text.length - FORM_CHARACTERS_MIN + 1);
    for (let at = from; at < end; at++)
      if (first[text.charCodeAt(at) & 0xff] === 1 && filter[firstCharacters(text, at) & mask] === 1) return at;
    return -1;
  }

  /** The longest form that stands at this place. */
  longestAt(text: string, at: number): Found | null {
    const here = text.slice(at, at + this.reach);
    // All that `here` begins with stand before it, and are what the last one before it begins with.
    let index = this.#countUpTo(here) - 1;
    while (index >= 0 && !here.startsWith(this.#forms[index]!.text)) index = this.#shorter[index]!;
    if (index < 0) return null;
    const form = this.#forms[index]!;
    return { start: at, end: at + form.text.length, shown: form.shown };
  }

  /** A form of which the text from this place to its end is the beginning. */
  cutAt(text: string, at: number): Found | null {
    const here = text.slice(at);
    const form = this.#forms[this.#countBefore(here)];
    return form?.text.startsWith(here) ? { start: at, end: text.length, shown: form.shown } : null;
  }

  #countUpTo(text: string): number {
    let [low, high] = [0, this.#forms.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#forms[middle]!.text <= text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #countBefore(text: string): number {
    let [low, high] = [0, this.#forms.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#forms[middle]!.text < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function shorterForms(forms: readonly Form[]): Int32Array {
  const shorter = new Int32Array(forms.length);
  for (let index = 0; index < forms.length; index++) {
    let other = index - 1;
    while (other >= 0 && !forms[index]!.text.startsWith(forms[other]!.text)) other = shorter[other]!;
    shorter[index] = other;
  }
  return shorter;
}

/** Four characters as one number, mixed so that its last bits depend on all of them. */
function firstCharacters(text: string, at: number): number {
  let mixed = 0;
  for (let index = at; index < at + FORM_CHARACTERS_MIN; index++)
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193) ^ (mixed >>> 15);
  return mixed ^ (mixed >>> 16);
}
