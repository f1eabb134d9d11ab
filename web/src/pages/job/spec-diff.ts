// What changed between two versions of a job, as lines of a path and its value. Objects are compared field by field and lists
// item by item, so that a tag that was added is one line and not two whole lists.

import type { Json } from "punctual/client";

export interface DiffLine {
  sign: "+" | "-";
  path: string;
  /** As JSON. */
  value: string;
}

/** Lists whose differing middles are larger than this are compared as a whole: the table of the comparison grows with both. */
const CELLS_MAX = 250_000;

export function specDiff(before: Json, after: Json, path = ""): DiffLine[] {
  if (sameJson(before, after)) return [];
  if (isRecord(before) && isRecord(after)) return fieldDiff(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return itemDiff(before, after, path);
  return [removed(path, before), added(path, after)];
}

type JsonRecord = { [key: string]: Json };

function fieldDiff(before: JsonRecord, after: JsonRecord, path: string): DiffLine[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const at = fieldPath(path, name);
    const old = before[name];
    const now = after[name];
    if (old === undefined) return now === undefined ? [] : [added(at, now)];
    return now === undefined ? [removed(at, old)] : specDiff(old, now, at);
  });
}

function itemDiff(before: readonly Json[], after: readonly Json[], path: string): DiffLine[] {
  const olds = before.map(canonical);
  const news = after.map(canonical);
  let start = 0;
  while (start < olds.length && start < news.length && olds[start] === news[start]) start += 1;
  let end = 0;
  while (end < olds.length - start && end < news.length - start && olds.at(-1 - end) === news.at(-1 - end)) end += 1;
  const kept = commonItems(olds.slice(start, olds.length - end), news.slice(start, news.length - end));
  const gone = before
    .map((value, index) => ({ value, index }))
    .filter(({ index }) => index >= start && index < before.length - end && !kept.old.has(index - start));
  const come = after
    .map((value, index) => ({ value, index }))
    .filter(({ index }) => index >= start && index < after.length - end && !kept.new.has(index - start));
  return [
    ...gone.map(({ value, index }) => removed(`${path}[${index}]`, value)),
    ...come.map(({ value, index }) => added(`${path}[${index}]`, value)),
  ];
}

/** Which items belong to the longest sequence that both lists have, by their index in each. */
function commonItems(olds: readonly string[], news: readonly string[]): { old: Set<number>; new: Set<number> } {
  const common = { old: new Set<number>(), new: new Set<number>() };
  if (olds.length * news.length > CELLS_MAX) return common;
  const longest = Array.from({ length: olds.length + 1 }, () => new Array<number>(news.length + 1).fill(0));
  for (let i = olds.length - 1; i >= 0; i -= 1)
    for (let j = news.length - 1; j >= 0; j -= 1)
      longest[i]![j] =
        olds[i] === news[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  for (let i = 0, j = 0; i < olds.length && j < news.length; ) {
    if (olds[i] === news[j]) {
      common.old.add(i++);
      common.new.add(j++);
    } else if (longest[i + 1]![j]! >= longest[i]![j + 1]!) i += 1;
    else j += 1;
  }
  return common;
}

function added(path: string, value: Json): DiffLine {
  return { sign: "+", path, value: JSON.stringify(value) };
}

function removed(path: string, value: Json): DiffLine {
  return { sign: "-", path, value: JSON.stringify(value) };
}

function fieldPath(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}

/** The same text for the same value: the order of an object's fields means nothing. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_name, part: Json) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
