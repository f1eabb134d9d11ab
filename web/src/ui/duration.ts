const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A length of time in the two units that matter: 320 ms, 4.2 s, 3 min 5 s, 2 h, 9 d 4 h. */
export function durationText(ms: number): string {
  const length = Math.abs(ms);
  if (length < 1_000) return `${length < 10 && length % 1 !== 0 ? length.toFixed(1) : Math.round(length)} ms`;
  if (length < 60_000) return `${trimmed(length / 1_000)} s`;
  const index = UNITS.findIndex(([, size]) => length >= size);
  const [unit, size] = UNITS[index]!;
  const whole = Math.floor(length / size);
  const finer = UNITS[index + 1];
  const rest = finer === undefined ? 0 : Math.floor((length - whole * size) / finer[1]);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${finer![0]}`;
}

/** The same to whole seconds, in one unit where it is far away: for what changes while one looks. */
export function roughDurationText(ms: number): string {
  const length = Math.abs(ms);
  const [unit, size] = UNITS.find(([, each]) => length >= each * (each === 1_000 ? 1 : 2)) ?? UNITS[3];
  return `${Math.floor(length / size)} ${unit}`;
}

function trimmed(seconds: number): string {
  return seconds < 10 ? String(Math.round(seconds * 100) / 100) : String(Math.round(seconds * 10) / 10);
}
