// How a body becomes a value: valid UTF-8, valid JSON, of a depth that recursive readers need not fear, without numbers
// that JSON cannot write again and without the key that would change an object's prototype wherever it is copied.

import { type Problem, PunctualError } from "../contract/errors.ts";

/** A little more than a payload may have by itself, so that the payload's own limit is the one that is named. */
const DEPTH_MAX = 80;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** An empty body is `{}`. */
export function readJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  const value = parse(decode(bytes));
  const problem = findProblem(value, null, 0);
  if (problem) throw PunctualError.validation([problem]);
  return value;
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
