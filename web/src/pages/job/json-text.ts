import type { Json } from "punctual/client";

/** What somebody wrote as JSON, or null if it is none; the editor says why. In an object, because null is JSON too. */
export function readJson(text: string): { value: Json } | null {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

/** What is to be said of a field that is empty: the editor itself takes it for not yet written. */
export function emptyText(text: string): string | null {
  return text.trim() === "" ? "Write some JSON, such as {} or null." : null;
}

export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
