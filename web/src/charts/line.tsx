import { cx } from "../ui/class-names.ts";
import { TONE_TEXT, type Tone } from "../ui/state-badge.tsx";

/** One of the lines, or one layer of the stack, of a chart. */
export interface Line {
  label: string;
  tone: Tone;
  values: readonly (number | null)[];
  /** Filled down to the axis, as amounts are. */
  filled?: boolean;
  dashed?: boolean;
  /** Few and far between: every value is marked, and joined with the next over the steps that have none. */
  sparse?: boolean;
  /** Of a stack: wider than the others, so that it can be told without its colour. */
  wide?: boolean;
}

/** How a line or a layer looks, beside its name. */
export function LineMark({ line: { tone, dashed, wide }, layer }: { line: Line; layer: boolean }) {
  if (layer)
    return (
      <span
        aria-hidden
        className={cx("h-2.5 shrink-0 rounded-[1px] bg-current", wide ? "w-3" : "mx-0.5 w-2", TONE_TEXT[tone])}
      />
    );
  return (
    <svg aria-hidden width="14" height="4" className={cx("shrink-0", TONE_TEXT[tone])}>
      <line
        x1="0"
        x2="14"
        y1="2"
        y2="2"
        stroke="currentColor"
        strokeWidth="3"
        strokeDasharray={dashed ? "4 3" : undefined}
      />
    </svg>
  );
}
