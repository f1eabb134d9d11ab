// Durations as text, without schemas: clients in browsers have them, and no zod.

/** The longest duration anything takes: ten years of 365 days. Longer ones are always slips of the keyboard. */
export const DURATION_MAX_MS = 10 * 365 * 86_400_000;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

// Twelve digits hold ten years of milliseconds and keep the product exact; more could only be too long anyway.
export const DURATION = /^(\d{1,12})(ms|s|m|h|d)$/;

/** Milliseconds of a duration that was checked before; one that was not is a mistake of the caller and throws. */
export function parseDuration(text: string): number {
  const ms = durationMs(text);
  if (!(ms <= DURATION_MAX_MS)) throw new RangeError(notADuration(text));
  return ms;
}

/** The shortest exact way to write it: in the largest unit that leaves a whole number. */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${ms} is not a whole number of milliseconds`);
  if (ms === 0) return "0s";
  if (ms % UNITS.d === 0) return `${ms / UNITS.d}d`;
  if (ms % UNITS.h === 0) return `${ms / UNITS.h}h`;
  if (ms % UNITS.m === 0) return `${ms / UNITS.m}m`;
  if (ms % UNITS.s === 0) return `${ms / UNITS.s}s`;
  return `${ms}ms`;
}

/** Not a number if it is none; it may be longer than anything takes. */
export function durationMs(text: string): number {
  const match = DURATION.exec(text);
  return match === null ? Number.NaN : Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

/** What to say of a value that is none. */
export function notADuration(value: unknown): string {
  const seen = JSON.stringify(value)?.slice(0, 60);
  return `${seen} is not a duration: write a whole number and a unit, such as "250ms", "90s", "5m", "2h" or "1d"`;
}
