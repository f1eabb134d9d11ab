import { parse } from "yaml";
import { UsageError } from "../usage-error.ts";
import type { WrittenJob } from "./job-file.ts";

/** `schedule.cron=0 3 * * *`: the value is read as YAML, so that numbers, lists and null are what they look like. */
export function setField(fields: WrittenJob, change: string): void {
  const equals = change.indexOf("=");
  const path = change.slice(0, equals).trim().split(".");
  if (equals < 1 || path.some((part) => part === ""))
    throw new UsageError(`--set "${change}" is no change: write it as field=value, such as schedule.cron="0 3 * * *"`);
  let inner: Record<string, unknown> = fields;
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(inner, part) ? inner[part] : undefined;
    if (typeof next !== "object" || next === null || Array.isArray(next)) inner[part] = {};
    inner = inner[part] as Record<string, unknown>;
  }
  inner[path.at(-1)!] = readValue(change.slice(equals + 1));
}

function readValue(text: string): unknown {
  try {
    // A star begins a reference in YAML, and most cron expressions.
    return text.startsWith("*") || text.startsWith("@") ? text : parse(text);
  } catch {
    return text;
  }
}
