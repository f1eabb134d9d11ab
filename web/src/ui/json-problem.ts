// What is wrong with a text that should be JSON, and where, in words. The browser's own parser decides just the same, but each
// browser says it differently, and not every one says where.

export interface JsonProblem {
  /** From 0, as an editor counts. */
  offset: number;
  /** From 1, as people count. */
  line: number;
  column: number;
  message: string;
}

/** The first mistake, or null if it is JSON. */
export function jsonProblem(text: string): JsonProblem | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const reader = new Reader(text);
    try {
      reader.document();
    } catch (stop) {
      if (stop instanceof Mistake) return placed(text, stop.offset, stop.message);
      // So deep that reading it ran out of stack, as did the browser's parser.
    }
    return placed(text, 0, "this is too deeply nested");
  }
}

/** "Line 3, column 5: a comma is missing". */
export function problemText({ line, column, message }: JsonProblem): string {
  return `Line ${line}, column ${column}: ${message}.`;
}

class Mistake extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

function placed(text: string, offset: number, message: string): JsonProblem {
  const before = text.slice(0, offset).split("\n");
  return { offset, line: before.length, column: before.at(-1)!.length + 1, message };
}

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const SPACE = /[ \t\n\r]*/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail("there is something after the end of the value");
  }

  #value(): void {
    this.#space();
    const next = this.#text[this.#at];
    if (next === undefined) this.#fail("a value is missing");
    if (next === "'") this.#fail("text stands in double quotes, not in single ones");
    if (next === "{") this.#object();
    else if (next === "[") this.#array();
    else if (next === '"') this.#string();
    else if (next === "-" || (next >= "0" && next <= "9")) this.#number();
    else this.#word();
  }

  #object(): void {
    this.#entries("}", () => {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail("the name of a field is missing; it stands in double quotes");
      this.#string();
      this.#space();
      if (this.#text[this.#at] !== ":") this.#fail("a colon is missing after the name of the field");
      this.#at += 1;
      this.#value();
    });
  }

  #array(): void {
    this.#entries("]", () => this.#value());
  }

  #entries(close: "}" | "]", entry: () => void): void {
    const opened = this.#at;
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      entry();
      this.#space();
      const next = this.#text[this.#at];
      if (next === undefined) this.#fail(`this ${this.#text[opened]} is never closed`, opened);
      if (next !== "," && next !== close) this.#fail(`a comma or ${close} is missing`);
      this.#at += 1;
      if (next === close) return;
      const comma = this.#at - 1;
      this.#space();
      if (this.#text[this.#at] === close) this.#fail(`there is a comma before the ${close}`, comma);
    }
  }

  #string(): void {
    const opened = this.#at;
    for (this.#at += 1; ; this.#at += 1) {
      const next = this.#text[this.#at];
      if (next === undefined) this.#fail("this text is never closed with a double quote", opened);
      if (next === "\n")
        this.#fail("this text is not closed on its line; a line break in a text is written \\n", opened);
      if (next < " ") this.#fail("a control character in a text is written as \\u and four digits");
      if (next === '"') break;
      if (next === "\\") this.#escape();
    }
    this.#at += 1;
  }

  #escape(): void {
    const rest = this.#text.slice(this.#at + 1, this.#at + 6);
    if (/^u[\da-fA-F]{4}/.test(rest)) this.#at += 5;
    else if (/^["\\/bfnrt]/.test(rest)) this.#at += 1;
    else this.#fail("a backslash in a text is written twice");
  }

  #number(): void {
    const end = this.#endOf(NUMBER);
    if (end === null) this.#fail("a digit is missing");
    this.#at = end;
    if (/[\w.]/.test(this.#text[this.#at] ?? "")) this.#fail("this is not how a number goes on");
  }

  #word(): void {
    const end = this.#endOf(WORD) ?? this.#at + 1;
    const word = this.#text.slice(this.#at, end);
    if (!["true", "false", "null"].includes(word)) this.#fail(`“${word}” is no value; text stands in double quotes`);
    this.#at = end;
  }

  #space(): void {
    this.#at = this.#endOf(SPACE) ?? this.#at;
  }

  #endOf(pattern: RegExp): number | null {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text) ? pattern.lastIndex : null;
  }

  #fail(message: string, offset = this.#at): never {
    throw new Mistake(offset, message);
  }
}
