import { DURATION_MAX_MS, formatDuration, parseDuration } from "../../contract/duration.ts";

/**
 * Thrown by a handler: this attempt failed, and the next is to come after exactly so long, whatever the job's backoff
 * says. It counts as an attempt, and nothing follows the last one.
 */
export class RetryAfter extends Error {
  override readonly name = "RetryAfter";
  readonly afterMs: number;

  /** A duration (`"5m"`), milliseconds, or the moment itself. */
  constructor(delay: string | number | Date, options: { message?: string; cause?: unknown } = {}) {
    const afterMs = toMs(delay);
    super(options.message ?? `the handler asked to be tried again in ${formatDuration(afterMs)}`, causeOf(options));
    this.afterMs = afterMs;
  }
}

/** Thrown by a handler: this attempt failed, and no other would do better. */
export class NoRetry extends Error {
  override readonly name = "NoRetry";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, causeOf(options));
  }
}

function toMs(delay: string | number | Date): number {
  if (typeof delay === "string") return parseDuration(delay);
  const ms = delay instanceof Date ? Math.max(0, delay.getTime() - Date.now()) : delay;
  if (!(ms >= 0 && ms <= DURATION_MAX_MS))
    throw new RangeError(
      `${String(delay)} cannot be waited for: give a duration ("5m"), milliseconds from 0 to ten years, or a Date`,
    );
  return Math.round(ms);
}

function causeOf(options: { cause?: unknown }): ErrorOptions | undefined {
  return options.cause === undefined ? undefined : { cause: options.cause };
}
