/** A share as a percentage that never flatters: 100% is said only of what never failed. */
export function rateText(rate: number): string {
  if (rate === 1) return "100%";
  const percent = rate * 100;
  return percent >= 99 ? `${Math.floor(percent * 10) / 10}%` : `${Math.floor(percent)}%`;
}
