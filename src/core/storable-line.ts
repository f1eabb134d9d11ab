// A log line as it can be kept. Programs log whatever they meet: half a character, a NUL byte, a megabyte, an object that
// contains itself. None of it may cost the other lines of its batch, so that a line is mended here and never refused.

import type { LogLevel, LogLineInput } from "../contract/log.ts";
import { LOG_FIELDS_MAX, LOG_MESSAGE_MAX } from "../contract/log-limits.ts";
import { findUnstorable } from "../contract/storable.ts";

export interface StorableLine {
  seq: number;
  /** null: when it arrives. */
  at: string | null;
  level: LogLevel;
  message: string;
  /** JSON. */
  fields: string | null;
}

export function storableLine({ seq, at, level, message, fields }: LogLineInput): StorableLine {
  return {
    seq,
    at: storableMoment(at),
    level,
    message: storableText(cut(message)),
    fields: fields === null ? null : storableFields(fields),
  };
}

/** What PostgreSQL takes as text: U+0000 and halves of surrogate pairs become the replacement character. */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

/** Never through the middle of a pair of surrogates. */
function cut(message: string): string {
  if (message.length <= LOG_MESSAGE_MAX) return message;
  return `${message.slice(0, LOG_MESSAGE_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Years that JavaScript writes and PostgreSQL reads differently are nobody's present. */
function storableMoment(at: string | undefined): string | null {
  const moment = at === undefined ? Number.NaN : Date.parse(at);
  return moment >= 0 && moment < Date.UTC(10_000, 0) ? new Date(moment).toISOString() : null;
}

function storableFields(fields: object): string {
  const { json, problem } = storableJson(fields);
  return json ?? JSON.stringify({ fieldsDropped: problem });
}

/** A small value as JSON with its texts mended, or why it cannot be kept. */
export function storableJson(value: unknown): { json: string; problem: null } | { json: null; problem: string } {
  const refused = (problem: string) => ({ json: null, problem: storableText(problem) });
  try {
    const json = JSON.stringify(value, (_, inner) => (typeof inner === "string" ? storableText(inner) : inner));
    if (json === undefined) return refused("is not JSON");
    if (json.length > LOG_FIELDS_MAX)
      return refused(`had ${json.length} characters as JSON, at most ${LOG_FIELDS_MAX} are kept`);
    // The texts are mended by now; what can be wrong still are keys and the depth.
    const unstorable = findUnstorable(JSON.parse(json));
    return unstorable === null ? { json, problem: null } : refused(unstorable.message);
  } catch (error) {
    return refused(error instanceof Error ? error.message.split("\n")[0]! : "is not JSON");
  }
}
