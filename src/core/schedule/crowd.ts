import type { Schedule } from "../../contract/schedule.ts";
import { parseCron } from "../cron/parse.ts";

/** Fewer at one instant are no crowd. */
const CROWD_MIN = 10;
/** Nobody needs to know how many more there are. */
export const CROWD_MAX = 1_000;

/** What to say of a schedule whose coming instant so many other jobs have chosen too; null if they are few. */
export function crowdNote(schedule: Schedule, instantMs: number, others: number): string | null {
  if (schedule === null || others < CROWD_MIN) return null;
  const count = others < CROWD_MAX ? String(others) : "1,000 or more";
  return `${count} other jobs fire at the same instant, ${inUtc(instantMs)}; ${advice(schedule)} spreads the load`;
}

function advice(schedule: NonNullable<Schedule>): string {
  if ("every" in schedule) return "a startsAt of its own";
  if ("cron" in schedule && onTheHour(schedule.cron)) return "a minute other than :00";
  return "another minute or second";
}

function onTheHour(cron: string): boolean {
  const parsed = parseCron(cron);
  return parsed.ok && parsed.expression.minutesLow === 1 && parsed.expression.minutesHigh === 0;
}

/** `2026-11-16 00:00 UTC`, with seconds if there are any. */
function inUtc(ms: number): string {
  const [day, time] = new Date(ms).toISOString().replace(/Z$/, "").split("T");
  return `${day} ${time!.replace(/(:00)?\.000$/, "")} UTC`;
}
