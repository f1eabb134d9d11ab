// Contestants as bars, one below the other: the median, and a thin line from the least to the most of all rounds.

import { at, line, svg, text, ticks } from "./svg.ts";
import { inDigits } from "./table.ts";

export interface Bar {
  label: string;
  value: number;
  min: number;
  max: number;
  ours: boolean;
}

export interface BarChart {
  title: string;
  /** "executions/s, more is better". */
  subtitle: string;
  bars: readonly Bar[];
  /** Values that differ by orders of magnitude. */
  logarithmic?: boolean;
}

const WIDTH = 820;
const LABELS = 290;
const VALUES = 84;
const ROW = 30;
const TOP = 62;
const THICK = 18;

export function barChart({ title, subtitle, bars, logarithmic = false }: BarChart): string {
  const most = Math.max(...bars.map(({ max }) => max));
  const scale = logarithmic ? logarithmicScale(bars) : linearScale(most);
  const height = TOP + bars.length * ROW + 28;
  const bottom = TOP + bars.length * ROW;
  const parts = [
    text(title, { x: 16, y: 24, style: "title" }),
    text(`${subtitle}; line: least to most of all rounds`, { x: 16, y: 44, style: "quiet" }),
  ];
  for (const mark of scale.marks) {
    parts.push(line([scale.x(mark), TOP - 6], [scale.x(mark), bottom], "rule"));
    parts.push(text(inDigits(mark), { x: scale.x(mark), y: bottom + 18, anchor: "middle", style: "quiet" }));
  }
  bars.forEach((bar, index) => {
    const y = TOP + index * ROW;
    const middle = y + THICK / 2;
    const kind = bar.ours ? "ours" : "other";
    const width = Math.max(1, scale.x(bar.value) - LABELS);
    parts.push(text(bar.label, { x: LABELS - 10, y: middle + 4.5, anchor: "end" }));
    parts.push(`<rect x="${LABELS}" y="${y}" width="${at(width)}" height="${THICK}" rx="3" class="${kind}"/>`);
    if (bar.max > bar.min) parts.push(line([scale.x(bar.min), middle], [scale.x(bar.max), middle], "spread"));
    parts.push(text(inDigits(bar.value), { x: scale.x(bar.max) + 8, y: middle + 4.5 }));
  });
  return svg({ width: WIDTH, height }, title, parts);
}

interface Scale {
  marks: number[];
  x(value: number): number;
}

function linearScale(most: number): Scale {
  const marks = ticks(most);
  const end = marks.at(-1)!;
  return { marks, x: (value) => LABELS + (value / end) * (WIDTH - LABELS - VALUES) };
}

function logarithmicScale(bars: readonly Bar[]): Scale {
  const positive = bars.flatMap(({ value, min, max }) => [value, min, max]).filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(1, ...positive)));
  const high = Math.ceil(Math.log10(Math.max(...positive, 10)));
  const marks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  const x = (value: number) => {
    const share = (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low);
    return LABELS + share * (WIDTH - LABELS - VALUES);
  };
  return { marks, x };
}
