// How a body becomes a value: valid UTF-8, valid JSON, of a depth that recursive readers need not fear, without numbers
// that JSON cannot write again and without the key that would change an object's prototype wherever it is copied.

import { type Problem, PunctualError } from "../contract/errors.ts";

/** A little more than a payload may have by itself, so that the payload's own limit is the one that is named. */
const DEPTH_MAX = 80;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Values in one body. A parser takes a microsecond for each, during which a node does nothing else. */
const VALUES_MAX = 250_000;

/** An empty body is `{}`. */
export function readJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  refuseShape(bytes);
  const value = parse(decode(bytes));
  const problem = findProblem(value, null, 0);
  if (problem) throw PunctualError.validation([problem]);
  return value;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Looked at before it is parsed: what is nested a million times deep, or has a million members, would stop the node for seconds. */
function refuseShape(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > DEPTH_MAX) throw tooMuch("too_deep", `is nested deeper than ${DEPTH_MAX} levels`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (values > VALUES_MAX) throw tooMuch("too_many", `has more than ${VALUES_MAX} values`);
  }
}

/** Where the text that begins here ends: at the next quote that no odd number of backslashes stands before. */
function endOfText(bytes: Buffer, begin: number): number {
  for (let at = bytes.indexOf(QUOTE, begin + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (bytes[before - 1] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return bytes.length;
}

function tooMuch(code: string, message: string): PunctualError {
  return PunctualError.validation([{ path: "body", code, message }]);
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new PunctualError("malformed_json", "the body is not valid UTF-8", { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PunctualError(
      "malformed_json",
      `the body is not valid JSON: ${withoutExcerpt((cause as Error).message).toWellFormed()}`,
    );
  }
}

/** The parser repeats a piece of the text, and that may be of a secret with a quote too many. */
function withoutExcerpt(message: string): string {
  return message.replace(/, (?:\.{3})?".*$/s, "");
}

/** Where a value stands; written out only for what is wrong, because there may be very many. */
interface Place {
  within: Place | null;
  key: string;
}

function findProblem(value: unknown, place: Place | null, depth: number): Problem | null {
  if (typeof value === "number" && !Number.isFinite(value))
    return { path: pathOf(place) || "body", code: "out_of_range", message: "is a number too large to be kept" };
  if (typeof value !== "object" || value === null) return null;
  if (depth >= DEPTH_MAX)
    return {
      path: pathOf(place).slice(0, 200),
      code: "too_deep",
      message: `is nested deeper than ${DEPTH_MAX} levels`,
    };
  for (const key of Object.keys(value)) {
    const at = { within: place, key };
    if (key === "__proto__")
      return { path: pathOf(at), code: "unknown_field", message: 'the key "__proto__" is refused' };
    const inner = findProblem((value as Record<string, unknown>)[key], at, depth + 1);
    if (inner) return inner;
  }
  return null;
}

function pathOf(place: Place | null): string {
  const keys: string[] = [];
  for (let at = place; at !== null; at = at.within) keys.unshift(at.key);
  return keys.join(".");
}
