/** Sets of small numbers as the bits of a 32-bit integer, and sets of 0 to 59 as two halves of 30 bits. */

export function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

export function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}

/** Adds neighbouring bits, then pairs, then nibbles; the product sums the bytes into the highest one. */
export function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function has(low: number, high: number, value: number): boolean {
  return ((value < 30 ? low >>> value : high >>> (value - 30)) & 1) === 1;
}

/** The least member that is not less; -1 if there is none. */
export function atOrAfter(low: number, high: number, value: number): number {
  const inLow = value < 30 ? low & (-1 << value) : 0;
  if (inLow !== 0) return lowestBit(inLow);
  const inHigh = value < 30 ? high : value < 60 ? high & (-1 << (value - 30)) : 0;
  return inHigh === 0 ? -1 : lowestBit(inHigh) + 30;
}

/** The greatest member that is not greater; -1 if there is none. */
export function atOrBefore(low: number, high: number, value: number): number {
  const inHigh = value < 30 ? 0 : high & (-1 >>> (61 - value));
  if (inHigh !== 0) return highestBit(inHigh) + 30;
  const inLow = value < 0 ? 0 : value >= 30 ? low : low & (-1 >>> (31 - value));
  return inLow === 0 ? -1 : highestBit(inLow);
}

/** How many members are less. */
export function countBelow(low: number, high: number, value: number): number {
  if (value < 30) return bitCount(low & ~(-1 << value));
  return bitCount(low) + bitCount(high & ~(-1 << (value - 30)));
}
