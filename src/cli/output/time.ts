const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;
/** Further away than this, the date says more than a number of days. */
const RELATIVE_MS_MAX = 60 * 86_400_000;

/** "in 3 m", "2 h ago", "now", or the date when it is far away. */
export function relative(instant: string, now: Date): string {
  const ms = new Date(instant).getTime() - now.getTime();
  const size = Math.abs(ms);
  if (size >= RELATIVE_MS_MAX) return instant.slice(0, 10);
  const unit = UNITS.find(([, unitMs]) => size >= unitMs);
  if (unit === undefined) return "now";
  const text = `${Math.floor(size / unit[1])} ${unit[0]}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

/** How long something took: "12 ms", "1.4 s", "3 m 20 s", "2 h 5 m", "4 d 3 h". */
export function lasting(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const at = UNITS.findIndex(([, unitMs]) => ms >= unitMs);
  const [unit, unitMs] = UNITS[at]!;
  const [nextUnit, nextMs] = UNITS[at + 1]!;
  const rest = Math.floor((ms % unitMs) / nextMs);
  const whole = `${Math.floor(ms / unitMs)} ${unit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${nextUnit}`;
}
