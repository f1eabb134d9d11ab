// The body of a call. A JSON body becomes one text with holes, made once per job version: a string that is nothing but
// one placeholder becomes a hole for a JSON value, a placeholder inside a longer string a hole for escaped text.

import type { Json } from "../../contract/json.ts";
import type { HttpTarget } from "../../contract/target.ts";
import type { Call } from "../port.ts";
import { asText, compile, fill, type Hole, holesOf, type Limit, type Template, type Values } from "../template.ts";

const LIMIT: Limit = { what: "target.body", charactersMax: 1024 * 1024 };
const NO_BODY = Buffer.alloc(0);

export interface BodyTemplate {
  /** The content type, unless the job names another; null: there is no body to have one. */
  contentType: string | null;
  /** The secrets its placeholders name. */
  holes: Hole[];
  build(values: Values): Buffer;
}

export function bodyTemplate(target: HttpTarget): BodyTemplate {
  if (target.bodyText !== undefined) return textBody(compile(target.bodyText));
  if (target.body !== undefined) return jsonBody(target.body);
  if (target.method === "GET" || target.method === "DELETE")
    return { contentType: null, holes: [], build: () => NO_BODY };
  return payloadBody();
}

function textBody(template: Template): BodyTemplate {
  return {
    contentType: "text/plain; charset=utf-8",
    holes: holesOf(template),
    build: (values) => Buffer.from(fill(template, values, asText, LIMIT)),
  };
}

function jsonBody(body: Json): BodyTemplate {
  const typed = new Set<Hole>();
  const template: (string | Hole)[] = [];
  appendJson(body, template, typed);
  const encode = (value: Json, hole: Hole) => (typed.has(hole) ? JSON.stringify(value) : escaped(asText(value)));
  return {
    contentType: "application/json",
    holes: holesOf(template),
    build: (values) => Buffer.from(fill(template, values, encode, LIMIT)),
  };
}

/** The payload as it is. Scheduled calls share their job's payload, so it is serialised once. */
function payloadBody(): BodyTemplate {
  let own: Buffer | null = null;
  const build = ({ call }: { call: Call }) => {
    if (call.payload !== call.job.payload) return Buffer.from(JSON.stringify(call.payload));
    own ??= Buffer.from(JSON.stringify(call.payload));
    return own;
  };
  return { contentType: "application/json", holes: [], build };
}

function appendJson(value: Json, to: (string | Hole)[], typed: Set<Hole>): void {
  if (typeof value === "string") appendString(value, to, typed);
  else if (typeof value !== "object" || value === null) append(to, JSON.stringify(value));
  else appendMembers(value, to, typed);
}

function appendMembers(value: Json[] | { [key: string]: Json }, to: (string | Hole)[], typed: Set<Hole>): void {
  const isArray = Array.isArray(value);
  append(to, isArray ? "[" : "{");
  let isFirst = true;
  for (const [key, member] of Object.entries(value)) {
    if (!isFirst) append(to, ",");
    isFirst = false;
    if (!isArray) append(to, `${JSON.stringify(key)}:`);
    appendJson(member, to, typed);
  }
  append(to, isArray ? "]" : "}");
}

function appendString(text: string, to: (string | Hole)[], typed: Set<Hole>): void {
  const pieces = compile(text);
  const only = pieces[0];
  if (pieces.length === 1 && typeof only === "object") {
    typed.add(only);
    to.push(only);
    return;
  }
  append(to, '"');
  for (const piece of pieces)
    if (typeof piece === "string") append(to, escaped(piece));
    else to.push(piece);
  append(to, '"');
}

/** Adds text to the last piece of text, so that a body without holes is one piece. */
function append(to: (string | Hole)[], text: string): void {
  const last = to.length - 1;
  if (typeof to[last] === "string") to[last] += text;
  else to.push(text);
}

/** As inside a JSON string. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
