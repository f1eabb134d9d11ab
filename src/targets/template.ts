// Templates are cut at their placeholders once per job version; filling one in is then a walk over the pieces. A value
// is only ever put between pieces, never read for placeholders itself: what a payload contains cannot reach a secret.
// What a template may grow to is bounded, because a payload of 256 KiB can be named in it a thousand times.

import type { Json } from "../contract/json.ts";
import { placeholders } from "../contract/template.ts";
import type { Call } from "./port.ts";
import { CallRefused } from "./refusal.ts";

/** What placeholders may stand for. */
export interface Values {
  call: Call;
  secrets: ReadonlyMap<string, string>;
}

export interface Hole {
  path: string;
  /** The name of the secret that goes here, or null. */
  secret: string | null;
  read(values: Values): Json;
}

/** Text with holes, in order. */
export type Template = readonly (string | Hole)[];

export function compile(text: string): Template {
  const pieces: (string | Hole)[] = [];
  let at = 0;
  for (const { path, start, end } of placeholders(text)) {
    if (start > at) pieces.push(text.slice(at, start));
    pieces.push(holeFor(path));
    at = end;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

export function holesOf(template: Template): Hole[] {
  return template.filter((piece) => typeof piece !== "string");
}

/** The names of the secrets that go into these holes. */
export function secretsOf(holes: Hole[]): string[] {
  return [...new Set(holes.flatMap(({ secret }) => secret ?? []))];
}

/** Each value is passed through `encode`; the text between the holes is taken as it is. */
export function fill(
  template: Template,
  values: Values,
  encode: (value: Json, hole: Hole) => string,
  limit: Limit,
): string {
  let text = "";
  for (const piece of template) {
    text += typeof piece === "string" ? piece : encode(piece.read(values), piece);
    if (text.length > limit.charactersMax)
      throw new CallRefused(
        "template",
        `${limit.what} is longer than ${limit.charactersMax} characters once filled in`,
      );
  }
  return text;
}

export interface Limit {
  what: string;
  charactersMax: number;
}

/** A value where text is wanted: strings as they are, everything else as JSON. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function holeFor(path: string): Hole {
  const secret = path.startsWith("secrets.") ? path.slice("secrets.".length) : null;
  return { path, secret, read: secret === null ? reader(path) : secretReader(secret) };
}

function secretReader(name: string): Hole["read"] {
  return ({ secrets }) => {
    const value = secrets.get(name);
    if (value !== undefined) return value;
    throw new CallRefused(
      "unknown_secret",
      `there is no secret ${name}; save it with PUT /api/v1/secrets/${name} {"value":"…"}`,
    );
  };
}

function reader(path: string): Hole["read"] {
  switch (path) {
    case "job.name":
      return ({ call }) => call.job.name;
    case "job.id":
      return ({ call }) => call.jobId;
    case "execution.id":
      return ({ call }) => call.executionId;
    case "execution.scheduledAt":
      return ({ call }) => call.scheduledAt.toISOString();
    case "attempt":
      return ({ call }) => call.attempt;
  }
  const [root, ...keys] = path.split(".");
  // Saved jobs were checked; this is about those that got here some other way.
  if (root !== "payload") throw new CallRefused("template", `{{${path}}} is not a known path`);
  return ({ call }) => member(call.payload, keys, path);
}

function member(payload: Json, keys: readonly string[], path: string): Json {
  let value = payload;
  for (const key of keys) {
    // Own members only: `constructor` and its like are no part of a payload.
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
      throw new CallRefused("template", `{{${path}}} has no value: the payload has no "${key}" there`);
    value = (value as { [key: string]: Json })[key]!;
  }
  return value;
}
