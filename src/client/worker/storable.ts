// What handlers say, made fit for the database: text without U+0000 and broken surrogate pairs, values that are JSON.

import type { Json } from "../../contract/json.ts";
import { findUnstorable } from "../../contract/storable.ts";

export function storableText(value: string, max: number): string {
  // The cut comes first: it may break a pair itself.
  return value.slice(0, max).replaceAll("\u0000", "\uFFFD").toWellFormed();
}

/**
 * A handler's result as JSON, or the reason why it is none. Nothing returned is null. What only looks odd (a Date, a NaN)
 * becomes what `JSON.stringify` makes of it.
 */
export function asResult(value: unknown, bytesMax: number): { json: Json; bytes: number } | { problem: string } {
  if (value === undefined || value === null) return { json: null, bytes: 4 };
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return { problem: `the result is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (text === undefined) return { problem: `the result is not JSON: it is a ${typeof value}` };
  const bytes = bytesOf(text);
  if (bytes > bytesMax) return { problem: `the result has ${bytes} bytes as JSON; at most ${bytesMax} are kept` };
  const json = JSON.parse(text) as Json;
  const unstorable = findUnstorable(json);
  if (unstorable === null) return { json, bytes };
  return { problem: `${["result", unstorable.path].filter(Boolean).join(".")} ${unstorable.message}` };
}

/** The fields of a log line: whatever is no JSON is written as text, for a line must never fail its run. */
export function asFields(fields: Record<string, unknown> | undefined, bytesMax: number): Record<string, Json> | null {
  if (fields === undefined || fields === null) return null;
  try {
    const text = JSON.stringify(fields, spellOut);
    if (bytesOf(text) > bytesMax) return { dropped: `the fields had more than ${bytesMax} bytes` };
    const json = JSON.parse(text, (_, value) =>
      typeof value === "string" ? storableText(value, value.length) : value,
    ) as Json;
    if (findUnstorable(json) !== null) return { dropped: "the fields cannot be stored" };
    return typeof json === "object" && json !== null && !Array.isArray(json) ? json : { value: json };
  } catch (error) {
    return { dropped: storableText(`the fields are not JSON: ${String(error)}`, 500) };
  }
}

function spellOut(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}

const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).byteLength;
}
