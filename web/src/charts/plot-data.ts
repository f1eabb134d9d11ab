type Values = readonly (number | null)[];

/** A logarithm knows no zero: what is less is drawn at the foot of the scale, while the readout and the table have it as it is. */
const LOGARITHMIC_MIN = 1;

/** Each line on top of those before it. */
export function stacked(lines: readonly Values[]): number[][] {
  const sums: number[][] = [];
  for (const values of lines) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return sums;
}

export function aboveZero(values: Values): (number | null)[] {
  return values.map((value) => (value === null ? null : Math.max(LOGARITHMIC_MIN, value)));
}

/** Lengths of time that have a short name, in milliseconds: the lines of a logarithmic scale. */
const MARKS = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 864_000_000];

/** Those around the values, two at least: one line alone is nothing to read a value off. */
export function logarithmicMarks(min: number | null, max: number | null): number[] {
  const low = MARKS.findLastIndex((mark) => mark <= (min ?? LOGARITHMIC_MIN));
  const high = MARKS.findIndex((mark) => mark >= (max ?? LOGARITHMIC_MIN));
  const first = Math.max(0, low);
  const last = high === -1 ? MARKS.length - 1 : Math.max(high, first + 1);
  return MARKS.slice(first, last + 1);
}
