import { parseDuration } from "../contract/duration.ts";
import type { Attempt, AttemptError } from "../contract/execution.ts";
import type { JobSpec, RetryPolicy } from "../contract/job.ts";
import type { Json } from "../contract/json.ts";

/** How an attempt ended, as the target, or the recovery of a lost holder, saw it. */
export interface AttemptResult {
  outcome: "succeeded" | "failed" | "timed_out" | "lost" | "cancelled";
  error: AttemptError | null;
  /** What a retry policy's `on` is matched against; null: never retried (a template without its value, a bad secret…). */
  cause: { kind: "timeout" | "network" | "lost" | "handler" } | { kind: "status"; status: number } | null;
  /**
   * The target may have acted on the call, and nobody knows: a byte of it may have left, and no answer came. Decides
   * `unknown` in at_most_once. An answer with a failing status is no doubt, but an end that is known.
   */
  doubtful: boolean;
  /** What the target asked for with Retry-After: at least this long. A handler asks for exactly this. */
  retryAfterMs: number | null;
  request: Attempt["request"];
  response: Attempt["response"];
  timings: Attempt["timings"];
  result: Json;
}

export type Verdict =
  | { kind: "succeed" }
  | { kind: "retry"; delayMs: number }
  | { kind: "fail"; code: "attempts_exhausted" | "not_retryable" | "elapsed"; message: string }
  | { kind: "unknown"; message: string }
  | { kind: "cancel" };

/** Longest wait a target may ask for; beyond it the job's own maxDelay would lose its meaning. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

/** What follows from an attempt. `random` is in [0, 1). */
export function judge(
  result: AttemptResult,
  job: Pick<JobSpec, "retry" | "delivery">,
  made: { attempt: number; sinceFirstStartMs: number },
  random: number,
): Verdict {
  if (result.outcome === "succeeded") return { kind: "succeed" };
  if (result.outcome === "cancelled") return { kind: "cancel" };
  const said = result.error?.message ?? result.outcome;
  if (job.delivery === "at_most_once" && result.doubtful)
    return { kind: "unknown", message: `the call may have had its effect and is not repeated (at_most_once): ${said}` };
  // An answer is the end of the matter, but it also says that the call has arrived: there must be no second one.
  if (job.delivery === "at_most_once" && (result.cause?.kind === "status" || result.cause?.kind === "handler"))
    return {
      kind: "fail",
      code: "not_retryable",
      message: `${said}; the call was made and is not repeated (at_most_once)`,
    };
  if (!isRetryable(result, job.retry)) return { kind: "fail", code: "not_retryable", message: said };
  if (made.attempt >= job.retry.maxAttempts)
    return {
      kind: "fail",
      code: "attempts_exhausted",
      message: `attempt ${made.attempt} of ${job.retry.maxAttempts} failed: ${said}`,
    };
  const askedMs = Math.min(result.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
  const ownMs = retryDelayMs(job.retry, made.attempt, random);
  const exact = result.cause?.kind === "handler" && result.retryAfterMs !== null;
  const delayMs = exact ? askedMs : Math.max(ownMs, askedMs);
  if (job.retry.maxElapsed !== null && made.sinceFirstStartMs + delayMs > parseDuration(job.retry.maxElapsed))
    return {
      kind: "fail",
      code: "elapsed",
      message: `the next attempt would come after retry.maxElapsed (${job.retry.maxElapsed}): ${said}`,
    };
  return { kind: "retry", delayMs };
}

function isRetryable(result: AttemptResult, retry: RetryPolicy): boolean {
  const cause = result.cause;
  if (cause === null) return false;
  // A handler that failed says itself whether another try is worth it; nothing in `on` is about handlers.
  if (cause.kind === "lost" || cause.kind === "handler") return true;
  if (cause.kind !== "status") return retry.on.includes(cause.kind);
  return retry.on.some((pattern) => matchesStatus(pattern, cause.status));
}

/** Does "204" or "2xx" cover the status? */
export function matchesStatus(pattern: string, status: number): boolean {
  return pattern.endsWith("xx") ? pattern[0] === String(Math.floor(status / 100)) : pattern === String(status);
}

/** The wait after the given attempt. With jitter: evenly between half of it and the whole, so that a crowd spreads out. */
export function retryDelayMs(retry: RetryPolicy, attempt: number, random: number): number {
  const initial = parseDuration(retry.initialDelay);
  const grown = {
    fixed: initial,
    linear: initial * attempt,
    exponential: initial * retry.multiplier ** (attempt - 1),
  }[retry.backoff];
  const capped = Math.min(grown, parseDuration(retry.maxDelay));
  return Math.round(retry.jitter ? capped * (0.5 + random / 2) : capped);
}
