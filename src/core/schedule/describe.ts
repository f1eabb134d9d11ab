import { parseDuration } from "../../contract/duration.ts";
import type { Schedule, ScheduleBounds } from "../../contract/schedule.ts";
import { describeCron } from "../cron/words.ts";

/** A checked schedule in a sentence. */
export function describe(schedule: Schedule): string {
  if (schedule === null) return "Only when triggered";
  return `${what(schedule)}${bounds(schedule)}`;
}

function what(schedule: NonNullable<Schedule>): string {
  if ("at" in schedule) return `Once, at ${schedule.at}`;
  if ("every" in schedule) return `Every ${words(parseDuration(schedule.every))}`;
  return `${describeCron(schedule.cron)}, ${schedule.timezone} time`;
}

function bounds({ startsAt, endsAt, maxRuns }: ScheduleBounds): string {
  const parts = [
    startsAt === undefined ? "" : `, from ${startsAt}`,
    endsAt === undefined ? "" : `, until ${endsAt}`,
    maxRuns === undefined ? "" : `, at most ${maxRuns === 1 ? "once" : `${maxRuns} times`}`,
  ];
  return parts.join("");
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  ["millisecond", 1],
] as const;

/** 5400000 is "1 hour 30 minutes". */
function words(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.length === 1 && parts[0]!.startsWith("1 ") ? parts[0]!.slice(2) : parts.join(" ");
}
