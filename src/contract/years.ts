/** Instants are in the years 1970 to 9999: what is written as ISO 8601 has four digits for the year. This is the first after them. */
export const YEARS_END_MS = Date.UTC(10_000, 0, 1);

export function isWithinYears(ms: number): boolean {
  return ms >= 0 && ms < YEARS_END_MS;
}
