// How something changes with size: a line per series over a logarithmic (or plain) axis of sizes.

import { at, COLOURS, line, svg, text, ticks } from "./svg.ts";
import { inDigits } from "./table.ts";

export interface Series {
  label: string;
  points: readonly { x: number; y: number }[];
}

export interface LineChart {
  title: string;
  /** What the lines mean: "ms per claim". */
  subtitle: string;
  xLabel: string;
  series: readonly Series[];
  /** The sizes grow by factors. */
  logarithmicX?: boolean;
}

const WIDTH = 760;
const HEIGHT = 340;
const LEFT = 70;
const RIGHT = 30;
const TOP = 84;
const BOTTOM = 56;
/** More numbers than these would run into each other below. */
const LABELS_MAX = 10;

export function lineChart({ title, subtitle, xLabel, series, logarithmicX = false }: LineChart): string {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const marks = ticks(Math.max(...series.flatMap(({ points }) => points.map(({ y }) => y))));
  const x = horizontal(sizes, logarithmicX);
  const y = (value: number) => HEIGHT - BOTTOM - (value / marks.at(-1)!) * (HEIGHT - TOP - BOTTOM);
  const parts = [
    text(title, { x: 16, y: 24, style: "title" }),
    text(subtitle, { x: 16, y: 44, style: "quiet" }),
    text(xLabel, { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 12, anchor: "middle", style: "quiet" }),
  ];
  for (const mark of marks) {
    parts.push(line([LEFT, y(mark)], [WIDTH - RIGHT, y(mark)], "rule"));
    parts.push(text(inDigits(mark), { x: LEFT - 8, y: y(mark) + 4, anchor: "end", style: "quiet" }));
  }
  // Counted from the last, so that the end has its number.
  const apart = Math.ceil(sizes.length / LABELS_MAX);
  for (const size of sizes.filter((_, nth) => (sizes.length - 1 - nth) % apart === 0))
    parts.push(text(inDigits(size), { x: x(size), y: HEIGHT - BOTTOM + 18, anchor: "middle", style: "quiet" }));
  let legend = 16;
  series.forEach(({ label, points }, index) => {
    const colour = index % COLOURS;
    const path = points.map((point) => `${at(x(point.x))},${at(y(point.y))}`).join(" ");
    parts.push(`<polyline points="${path}" class="line c${colour}"/>`);
    for (const point of points)
      parts.push(`<circle cx="${at(x(point.x))}" cy="${at(y(point.y))}" r="3.5" class="d${colour}"/>`);
    parts.push(`<rect x="${legend}" y="55" width="12" height="12" rx="2" class="d${colour}"/>`);
    parts.push(text(label, { x: legend + 17, y: 66 }));
    // Letters are about seven pixels wide.
    legend += 40 + label.length * 7;
  });
  return svg({ width: WIDTH, height: HEIGHT }, title, parts);
}

function horizontal(sizes: readonly number[], logarithmic: boolean): (size: number) => number {
  const of = (size: number) => (logarithmic ? Math.log10(size) : size);
  const from = of(sizes[0]!);
  const span = of(sizes.at(-1)!) - from || 1;
  const inner = WIDTH - LEFT - RIGHT - 40;
  return (size) => LEFT + 20 + ((of(size) - from) / span) * inner;
}
