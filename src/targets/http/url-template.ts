// URLs with placeholders. Only path and query can have them, so the origin is fixed. A filled-in value is
// percent-encoded whole: it can neither add a parameter nor leave its segment. Percent-encoding does not stop "..",
// which means the parent folder even when it comes from a value; such a URL is refused.

import type { Json } from "../../contract/json.ts";
import { placeholders } from "../../contract/template.ts";
import { CallRefused } from "../refusal.ts";
import { asText, fill, type Hole, holeFor, type Limit, type Template, type Values } from "../template.ts";

const LIMIT: Limit = { what: "target.url", charactersMax: 16 * 1024 };
const SHOWN_CHARACTERS_MAX = 2048;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

export interface UrlTemplate {
  origin: string;
  path: Template;
  holes: Hole[];
  /** What it is filled in to, if nothing has to be. */
  fixed: FilledUrl | null;
}

export interface FilledUrl {
  /** Path and query as sent. */
  path: string;
  /** The whole URL for people, secrets left out. */
  shownUrl: string;
}

export function compileUrl(url: string, query: Record<string, string>): UrlTemplate {
  const holes: Hole[] = [];
  const mark = markAbsentFrom(url + JSON.stringify(query));
  // The parser normalises the fixed text as browsers do; letters and digits in place of the holes pass it unchanged.
  const marked = (text: string) => {
    let at = 0;
    let result = "";
    for (const { path, start, end } of placeholders(text)) {
      result += `${text.slice(at, start)}${mark}${holes.push(holeFor(path)) - 1}z`;
      at = end;
    }
    return result + text.slice(at);
  };
  const parsed = new URL(marked(url));
  const parameters = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(marked(value))}`);
  const search = [parsed.search.slice(1), ...parameters].filter((part) => part !== "").join("&");
  const whole = search === "" ? parsed.pathname : `${parsed.pathname}?${search}`;
  const path = whole
    .split(new RegExp(`(${mark}\\d+z)`))
    .map((piece) => (piece.startsWith(mark) ? holes[Number.parseInt(piece.slice(mark.length), 10)]! : piece))
    .filter((piece) => piece !== "");
  const { origin, protocol } = parsed;
  if (protocol !== "http:" && protocol !== "https:")
    throw new CallRefused("template", `target.url has the scheme "${protocol}"; use http: or https:`);
  const isFixed = holes.length === 0 && whole.length <= LIMIT.charactersMax;
  return { origin, path, holes, fixed: isFixed ? { path: whole, shownUrl: shortened(origin + whole) } : null };
}

export function fillUrl(template: UrlTemplate, values: Values): FilledUrl {
  if (template.fixed !== null) return template.fixed;
  const path = fill(template.path, values, (value) => encode(asText(value)), LIMIT);
  if (DOT_SEGMENT.test(path.split("?", 1)[0]!))
    throw new CallRefused("template", 'a value filled into target.url is "." or "..", which would change the path');
  const show = (value: Json, { secret }: Hole) => (secret === null ? encode(asText(value)) : `[secret ${secret}]`);
  return { path, shownUrl: shortened(template.origin + fill(template.path, values, show, LIMIT)) };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function shortened(url: string): string {
  return url.length <= SHOWN_CHARACTERS_MAX ? url : `${url.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}

function markAbsentFrom(text: string): string {
  let mark = "hole";
  while (text.includes(mark)) mark += "q";
  return mark;
}
