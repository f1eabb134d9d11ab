import type { Schedule } from "../../contract/schedule.ts";
import type { Target } from "../../contract/target.ts";

/** A schedule as short as it can be said: `0 2 * * * Europe/Berlin`, `every 10s`. */
export function scheduleText(schedule: Schedule): string {
  if (schedule === null) return "when triggered";
  if ("every" in schedule) return `every ${schedule.every}`;
  if ("at" in schedule) return `at ${schedule.at.replace(/:00\.000Z$/, "Z")}`;
  return schedule.timezone === "UTC" ? schedule.cron : `${schedule.cron} ${schedule.timezone}`;
}

export function targetText(target: Target): string {
  if (target.type === "http") return `${target.method} ${target.url}`;
  if (target.type === "worker") return `handler ${target.handler}`;
  return `$ ${[target.command, ...target.args].join(" ")}`;
}
