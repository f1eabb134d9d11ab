// From crond's way of saying when to ours. The two agree nearly everywhere; where they do not, the job would run at other
// times than before, so it is left to whoever reviews it.

import { parseCron } from "../../core/cron/parse.ts";

export type TranslatedSchedule =
  | { kind: "schedule"; schedule: Record<string, unknown>; notes: string[]; decisions: string[] }
  | { kind: "none"; why: string };

const MACROS: Readonly<Record<string, string>> = { "@every_minute": "* * * * *" };
const EVERY_SECONDS = /^@(\d{1,6})$/;

export function translateSchedule(written: string, dialect: "crond" | "kubernetes"): TranslatedSchedule {
  const notes: string[] = [];
  let text = written.trim();
  if (text.startsWith("-")) {
    text = text.slice(1);
    notes.push("the leading minus kept crond from logging; it means nothing here");
  }
  const macro = text.toLowerCase();
  if (macro === "@reboot")
    return {
      kind: "none",
      why: "@reboot means: when crond starts. There is nothing like it here; start it with the machine (systemd)",
    };
  const interval = EVERY_SECONDS.exec(text)?.[1] ?? (macro === "@every_second" ? "1" : undefined);
  if (interval !== undefined)
    return {
      kind: "schedule",
      schedule: { every: `${interval}s` },
      notes: [...notes, "runs that many seconds after the last start; crond counted from the end of the run before"],
      decisions: [],
    };
  const goEvery = dialect === "kubernetes" ? /^@every\s+(\S+)$/.exec(text)?.[1] : undefined;
  if (goEvery !== undefined) return everyOf(goEvery, notes);
  const cron = MACROS[macro] ?? text;
  const parsed = parseCron(cron);
  if (!parsed.ok)
    return { kind: "none", why: `this expression cannot be taken over: ${parsed.problem.message}${hint(cron)}` };
  return { kind: "schedule", schedule: { cron }, notes, decisions: dialect === "crond" ? starDecisions(cron) : [] };
}

/**
 * If both day fields say something, either may match; but crond takes a field for saying nothing as soon as it begins
 * with a star, and then both must match. Here only a star alone says nothing.
 */
function starDecisions(cron: string): string[] {
  const fields = cron.split(/\s+/);
  if (fields.length !== 5) return [];
  const [day, weekday] = [fields[2]!, fields[4]!];
  const isAny = (field: string) => field === "*" || field === "*/1" || field === "?";
  if (isAny(day) || isAny(weekday)) return [];
  if (!day.startsWith("*") && !weekday.startsWith("*")) return [];
  return [
    `crond runs this on days that match both "${day}" (day of month) and "${weekday}" (day of week), because one begins with a star; here either is enough`,
  ];
}

/** Go's durations: 1h30m. */
function everyOf(text: string, notes: string[]): TranslatedSchedule {
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  const [hours, minutes, seconds] = (parts ?? []).slice(1).map((part) => Number(part ?? 0));
  const total = parts === null ? 0 : hours! * 3_600 + minutes! * 60 + seconds!;
  if (total === 0)
    return { kind: "none", why: `@every ${text} cannot be taken over: write it as an interval such as 90s` };
  return { kind: "schedule", schedule: { every: `${total}s` }, notes, decisions: [] };
}

function hint(cron: string): string {
  if (cron.includes("~")) return ". A random time within a range has no like: choose one";
  if (/^@apple/i.test(cron)) return ". It is Apple's own";
  return "";
}
