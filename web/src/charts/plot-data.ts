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

/** Whole powers of ten around the values, so that there is always more than one line to read them off. */
export function decades(min: number | null, max: number | null): [number, number] {
  const low = 10 ** Math.floor(Math.log10(Math.max(LOGARITHMIC_MIN, min ?? LOGARITHMIC_MIN)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(LOGARITHMIC_MIN, max ?? LOGARITHMIC_MIN)));
  return [low, Math.max(high, low * 10)];
}
