import type { Json } from "punctual/client";

/** What somebody wrote as JSON: its value, or what is wrong with it. */
export type ReadJson = { ok: true; value: Json } | { ok: false; error: string };

export function readJson(text: string): ReadJson {
  if (text.trim() === "") return { ok: false, error: "is empty; null, {} or any other JSON will do" };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, error: `is not JSON: ${(error as Error).message}` };
  }
}

export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
