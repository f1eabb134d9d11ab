import type { Job } from "punctual/client";
import type { Window } from "./search.ts";

const HOUR_MS = 3_600_000;

/** A time that a few runs of the job fall into: an hour says nothing about a job that runs every night. */
export function presetWindow(
  { lastExecution, nextFireAt }: Pick<Job, "lastExecution" | "nextFireAt">,
  now: number,
): Window {
  if (lastExecution === null) return "24h";
  const last = Date.parse(lastExecution.runAt);
  const apart = Math.max(now, nextFireAt === null ? now : Date.parse(nextFireAt)) - last;
  if (apart > 60 * HOUR_MS) return "30d";
  return apart > 6 * HOUR_MS ? "7d" : "24h";
}
