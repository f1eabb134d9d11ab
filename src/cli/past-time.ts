import { parseDuration } from "../contract/duration.ts";
import { UsageError } from "./usage-error.ts";

/** A time, or how long ago. */
export function pastTime(flag: string, text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(ms|s|m|h|d)$/.test(text)) return new Date(now.getTime() - parseDuration(text)).toISOString();
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${flag} "${text}" is not a time: write 2026-12-01T09:00:00Z, or 2h for two hours ago`);
}
