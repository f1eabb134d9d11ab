// What is kept of a target's answer. Everything in it was chosen by a stranger, and all of it goes into PostgreSQL,
// where one U+0000 or half a surrogate pair fails the whole batch it is written in. So text is made storable here.

import type { Attempt } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import { findUnstorable } from "../../contract/storable.ts";
import type { Redaction } from "../redaction.ts";
import type { AnswerHeaders } from "./answer-reader.ts";

/** Headers that help to find out what happened; all others are dropped, among them set-cookie. */
export const KEPT_HEADERS: ReadonlySet<string> = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "date",
  "server",
  "via",
  "location",
  "retry-after",
  "www-authenticate",
  "allow",
  "etag",
  "x-request-id",
  "x-correlation-id",
  "x-amzn-requestid",
  "x-amzn-trace-id",
  "cf-ray",
  "traceparent",
]);
const HEADER_CHARACTERS_MAX = 512;
const RETRY_AFTER_PATTERN = /^\d{1,9}$/;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** An answer as it came in, read as far as it is kept. */
export interface RawAnswer {
  status: number;
  headers: AnswerHeaders;
  body: Buffer;
  /** The body goes on beyond what was read. */
  isCut: boolean;
}

export function keptAnswer(answer: RawAnswer, redaction: Redaction): NonNullable<Attempt["response"]> {
  return {
    status: answer.status,
    headers: keptHeaders(answer.headers, redaction),
    body: bodyText(answer, redaction),
    truncated: answer.isCut,
  };
}

/** The value of a whole JSON answer; null for everything else. `text` is the body as it is kept. */
export function jsonResult(answer: RawAnswer, text: string | null, redaction: Redaction): Json {
  if (text === null || text === "" || answer.isCut || !JSON_TYPE.test(answer.headers["content-type"] ?? ""))
    return null;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return null;
  }
  // "\u0000" is valid JSON and still cannot be stored; neither can a thousand nested arrays be by those who read them.
  // The text was cleaned, but a string can be escaped in more ways than can be looked for.
  return findUnstorable(value) === null ? redaction.cleanJson(value) : null;
}

/** How long the target asks to wait: seconds or a date. */
export function retryAfterMs(headers: AnswerHeaders, nowMs: number): number | null {
  const text = headers["retry-after"] ?? "";
  if (RETRY_AFTER_PATTERN.test(text)) return Number(text) * 1000;
  // Only real dates: Date.parse would take "-5" and "soon 1" as well.
  const atMs = /^[A-Z][a-z]+,? .*GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function keptHeaders(headers: AnswerHeaders, redaction: Redaction): Record<string, string> {
  const kept: Record<string, string> = {};
  // Latin-1 without control characters, so that it can be stored wherever it is cut.
  for (const name in headers) kept[name] = redaction.clean(headers[name]!).slice(0, HEADER_CHARACTERS_MAX);
  return kept;
}

function bodyText(answer: RawAnswer, redaction: Redaction): string | null {
  const { "content-encoding": encoding = "" } = answer.headers;
  // No encoding was offered, so this is a target that compresses regardless; as text it would be noise.
  if (encoding !== "" && encoding !== "identity") return null;
  // A body may be cut in the middle of a character; the streaming decoder leaves the unfinished one out.
  const text = answer.isCut ? new TextDecoder().decode(answer.body, { stream: true }) : answer.body.toString("utf8");
  return storable(redaction.clean(text, answer.isCut));
}

/** Bytes that are no UTF-8 were replaced in decoding; what is left that PostgreSQL refuses is U+0000. */
function storable(text: string): string {
  return text.includes("\u0000") ? text.replaceAll("\u0000", "\ufffd") : text;
}
