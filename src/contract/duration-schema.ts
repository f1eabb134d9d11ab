import { z } from "zod";
import { DURATION, DURATION_MAX_MS, durationMs, formatDuration, notADuration, parseDuration } from "./duration.ts";

/** A duration as written in requests, settings and answers: `"250ms"`, `"90s"`, `"5m"`, `"2h"`, `"1d"`. */
export const duration = durationWithin({});

/** A duration with limits of its own, both of them allowed values and written as durations themselves. */
export function durationWithin({ min = "0s", max = formatDuration(DURATION_MAX_MS) }: { min?: string; max?: string }) {
  const minMs = parseDuration(min);
  const maxMs = parseDuration(max);
  return z
    .string({ error: (issue) => (issue.input === undefined ? undefined : notADuration(issue.input)) })
    .regex(DURATION, { error: (issue) => notADuration(issue.input), abort: true })
    .refine((text) => durationMs(text) >= minMs, {
      error: (issue) => `"${issue.input}" is shorter than the least, ${min}`,
    })
    .refine((text) => durationMs(text) <= maxMs, {
      error: (issue) => `"${issue.input}" is longer than the most, ${max}`,
    })
    .meta({ examples: ["250ms", "90s", "5m", "2h", "1d"] });
}
