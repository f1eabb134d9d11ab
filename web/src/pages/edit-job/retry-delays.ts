// The waits between attempts in words, before anything has failed.

import type { Json } from "punctual/client";
import { durationText } from "../../ui/duration.ts";
import { valueAt } from "./job-draft.ts";

const SHOWN_MAX = 6;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Of a duration as it is written, such as "90s"; null if it is none. */
export function durationMs(text: Json | undefined): number | null {
  const [, digits, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(typeof text === "string" ? text : "") ?? [];
  return digits === undefined || unit === undefined ? null : Number(digits) * UNIT_MS[unit]!;
}

/** The waits before attempts 2, 3 and so on, as far as they are shown; null while what is written says nothing. */
export function retryDelays(retry: Json): number[] | null {
  const [attempts, multiplier] = [valueAt(retry, "maxAttempts"), valueAt(retry, "multiplier")];
  const [initial, max] = [durationMs(valueAt(retry, "initialDelay")), durationMs(valueAt(retry, "maxDelay"))];
  if (typeof attempts !== "number" || typeof multiplier !== "number" || initial === null || max === null) return null;
  const growth = GROWTH[String(valueAt(retry, "backoff"))];
  if (growth === undefined) return null;
  return Array.from({ length: Math.max(0, Math.min(attempts - 1, SHOWN_MAX)) }, (_, index) =>
    Math.min(max, Math.round(initial * growth(index, multiplier))),
  );
}

const GROWTH: Readonly<Record<string, (index: number, multiplier: number) => number>> = {
  fixed: () => 1,
  linear: (index) => index + 1,
  exponential: (index, multiplier) => multiplier ** index,
};

/** "Tried again after 1 s, 2 s, 4 s, then given up." */
export function retryText(retry: Json): string | null {
  const delays = retryDelays(retry);
  const attempts = valueAt(retry, "maxAttempts");
  if (delays === null || typeof attempts !== "number") return null;
  if (delays.length === 0) return "It is tried once, and not again.";
  const more = attempts - 1 - delays.length;
  const waits = delays.map(durationText).join(", ");
  const rest = more > 0 ? `, and ${more} more ${more === 1 ? "time" : "times"}` : "";
  const spread =
    valueAt(retry, "jitter") === true
      ? " Each wait is shortened by chance, to half of it at most, so that many do not come back at once."
      : "";
  return `If it fails it is tried again after ${waits}${rest}; then it is given up.${spread}`;
}
