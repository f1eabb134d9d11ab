const HOUR_MS = 3_600_000;

export const SPANS = ["6h", "24h", "3d", "7d"] as const;
export type Span = (typeof SPANS)[number];

export const SPAN_MS: Record<Span, number> = {
  "6h": 6 * HOUR_MS,
  "24h": 24 * HOUR_MS,
  "3d": 72 * HOUR_MS,
  "7d": 168 * HOUR_MS,
};

/** How much of what is shown lies before now, if nothing else was asked for: more is to be asked of the past. */
const PAST = 0.75;
/** The window moves on in steps, so that what was read for it can be kept for a moment. */
const STEPS = 288;

export interface TimelineWindow {
  from: number;
  to: number;
}

/** The stretch around `at`; without it, the one that ends a little after now. */
export function windowOf(span: Span, at: string | undefined, now: number): TimelineWindow {
  const length = SPAN_MS[span];
  const middle = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isFinite(middle)) {
    const from = Math.max(0, middle - length / 2);
    return { from, to: from + length };
  }
  const step = length / STEPS;
  const from = Math.floor(now / step) * step - PAST * length;
  return { from, to: from + length };
}

/** The middle of the stretch half a length earlier or later, as the address has it. */
export function shifted({ from, to }: TimelineWindow, halves: 1 | -1): string {
  const middle = (from + to) / 2 + (halves * (to - from)) / 2;
  return new Date(Math.max((to - from) / 2, middle)).toISOString();
}
