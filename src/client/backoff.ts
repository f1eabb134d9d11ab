const FIRST_MS = 200;
const DELAY_MS_MAX = 10_000;
/** Who asks for more is asked again sooner: the header may be wrong, and timers beyond some weeks fire at once. */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * How long to wait before the next try, after `failures` in a row. With full jitter: clients that failed together do not
 * come back together. A time that the server asks for is kept, up to a minute, and a little is added for the same
 * reason.
 */
export function backoffMs(failures: number, retryAfterMs: number | null = null): number {
  const ceiling = Math.min(DELAY_MS_MAX, FIRST_MS * 2 ** (failures - 1));
  return Math.min(RETRY_AFTER_MS_MAX, retryAfterMs ?? 0) + Math.random() * ceiling;
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
