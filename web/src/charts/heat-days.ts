import type { JobDay } from "punctual/client";
import { numberText } from "../ui/counted.ts";
import type { Tone } from "../ui/state-badge.tsx";

/** The days as weeks from Monday to Sunday; null where a week has days outside of them. */
export function weeksOf(days: readonly JobDay[]): (JobDay | null)[][] {
  const [first] = days;
  if (first === undefined) return [];
  const cells = [...new Array<null>(weekdayOf(first.date)).fill(null), ...days];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** 0 for a Monday. */
function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
}

export interface Heat {
  tone: Extract<Tone, "ok" | "bad" | "idle">;
  /** 0 for a day on which nothing ran, to 4. */
  strength: 0 | 1 | 2 | 3 | 4;
}

/** Red by the share that failed; green, where none did, by how much ran beside the busiest day. */
export function heatOf(day: JobDay, most: number): Heat {
  const ran = ranOn(day);
  const failed = failedOn(day);
  if (ran === 0) return { tone: "idle", strength: 0 };
  if (failed > 0) return { tone: "bad", strength: failed * 2 >= ran ? 4 : failed * 10 >= ran ? 3 : 2 };
  // Amounts differ by powers of ten: one step for each quarter of the way, counted in digits.
  const share = most <= 1 ? 1 : Math.log(1 + ran) / Math.log(1 + most);
  return { tone: day.succeeded > 0 ? "ok" : "idle", strength: Math.max(1, Math.ceil(share * 4)) as Heat["strength"] };
}

/** How many came to an end, whichever. */
export function ranOn({ succeeded, failed, cancelled, unknown }: JobDay): number {
  return succeeded + failed + cancelled + unknown;
}

/** Whoever is called at night wants to see what is in doubt beside what failed. */
export function failedOn({ failed, unknown }: JobDay): number {
  return failed + unknown;
}

/** "12 succeeded, 1 failed", or "nothing". */
export function dayInWords(day: JobDay): string {
  const parts = (["succeeded", "failed", "unknown", "cancelled", "skipped"] as const)
    .filter((state) => day[state] > 0)
    .map((state) => `${numberText(day[state])} ${state}`);
  if (parts.length === 0) return "nothing ran";
  return day.complete ? parts.join(", ") : `at least ${parts.join(", ")}`;
}

const DATE = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});

/** The date stands for itself, in whichever zone it was counted. */
export function dateInWords(date: string): string {
  return DATE.format(new Date(`${date}T00:00:00Z`));
}
