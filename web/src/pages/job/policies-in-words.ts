// What a job's settings mean, in sentences: for whoever asks at night why it ran again, or why it did not.

import type { JobSpec, OverlapPolicy, Target } from "punctual/client";

export function retryInWords({
  maxAttempts,
  backoff,
  initialDelay,
  multiplier,
  maxDelay,
  jitter,
  maxElapsed,
  on,
}: JobSpec["retry"]): string {
  if (maxAttempts === 1) return "One attempt, none after it.";
  const growth = {
    fixed: `${initialDelay} apart`,
    linear: `${initialDelay} apart and each time ${initialDelay} more, at most ${maxDelay}`,
    exponential: `${initialDelay} apart and each time ${multiplier} times that, at most ${maxDelay}`,
  }[backoff];
  const spread = jitter ? ", spread at random" : "";
  const limit = maxElapsed === null ? "" : `, all within ${maxElapsed}`;
  const reasons = on.length === 0 ? "Nothing is retried" : `Again after: ${on.join(", ")}`;
  return `Up to ${maxAttempts} attempts, ${growth}${spread}${limit}. ${reasons}.`;
}

const OVERLAP: Record<OverlapPolicy, string> = {
  allow: "The next one runs beside one that still runs.",
  skip: "The next one is skipped while one still runs.",
  queue_one: "The next one waits until the one before is done; only one waits.",
  queue_all: "Those that come meanwhile wait their turn, at most 100.",
  cancel_previous: "The one that still runs is cancelled, and the next one runs.",
};

export function overlapInWords(overlap: OverlapPolicy): string {
  return OVERLAP[overlap] ?? overlap;
}

export function misfireInWords({ policy, grace, limit, window }: JobSpec["misfire"]): string {
  const late = grace === null ? "a minute, or until the next instant" : grace;
  const then = {
    fire_once: "the latest missed instant runs, earlier ones are recorded as skipped",
    fire_all: `those of the last ${window} run, oldest first, at most ${limit}`,
    skip: "missed instants are recorded as skipped, none runs",
  }[policy];
  return `Late by less than ${late} it just runs. Beyond that ${then}.`;
}

export function deliveryInWords(delivery: JobSpec["delivery"]): string {
  return delivery === "at_least_once"
    ? "At least once: if it is not known whether a call arrived, it is made again."
    : "At most once: if it is not known whether a call arrived, it is left as unknown.";
}

export function targetInWords(target: Target): string {
  if (target.type === "http") return `${target.method} ${target.url}`;
  if (target.type === "worker") return `Worker: ${target.handler}`;
  return `Command: ${[target.command, ...target.args].join(" ")}`;
}

export function timeoutInWords({ timeout, target }: JobSpec): string {
  if (target.type !== "http") return `${timeout} for an attempt.`;
  const wait = target.completion === "callback" ? " It is done when it calls back." : "";
  return `${timeout} for an attempt; ${target.connectTimeout} to connect, ${target.timeout} for the answer.${wait}`;
}
