// Rows of names and values, as a person fills them in, and the record that they stand for.

import type { Json } from "punctual/client";

/** A value of null says that something is to be left out: only the JSON can write it, and the form keeps it. */
export type Pair = readonly [name: string, value: string | null];

export function pairsOf(record: Json | undefined): Pair[] {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return [];
  return Object.entries(record).map(([name, value]) => [name, value === null ? null : textOf(value)]);
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Rows without a name are not finished. Of two with the same name the later one holds. */
export function recordOf(pairs: readonly Pair[]): { [name: string]: string | null } {
  return Object.fromEntries(pairs.filter(([name]) => name.trim() !== "").map(([name, value]) => [name.trim(), value]));
}

export function pairsText(pairs: readonly Pair[]): string {
  return JSON.stringify(pairs);
}

export function readPairs(text: string): Pair[] {
  return JSON.parse(text) as Pair[];
}
