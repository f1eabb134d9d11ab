/** How long what is replaced stays valid beside what replaces it. */
export const OVERLAPS = [
  ["0s", "none: the old one ends now"],
  ["1h", "an hour"],
  ["24h", "a day"],
  ["7d", "a week"],
  ["30d", "30 days"],
] as const satisfies readonly (readonly [duration: string, label: string])[];

export type Overlap = (typeof OVERLAPS)[number][0];
