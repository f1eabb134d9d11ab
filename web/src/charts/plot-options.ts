import type uPlot from "uplot";
import type { Tone } from "../ui/state-badge.tsx";
import type { Line } from "./line.tsx";
import { logarithmicMarks } from "./plot-data.ts";

export type PlotForm = "lines" | "stacked" | "logarithmic";

export interface PlotLook {
  lines: readonly Line[];
  width: number;
  height: number;
  form: PlotForm;
  /** Of a stack: how wide a step is, in seconds. */
  step: number;
  zone: string;
  /** Days are written on the axis, not hours. */
  long: boolean;
  write: { time: (seconds: number) => string; value: (value: number) => string };
  onPoint: (plot: uPlot) => void;
}

const DAY_S = 86_400;
const DAY_STEPS = [1, 2, 5, 7, 14].map((days) => days * DAY_S);
/** Of what is counted there is no half. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const CHARACTER_PX = 6.5;

export function plotOptions(UPlot: typeof uPlot, look: PlotLook): uPlot.Options {
  const { width, height, form, step, zone, long, write, onPoint } = look;
  const colours = readColours();
  const axis = {
    stroke: colours("muted"),
    grid: { stroke: colours("line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
  };
  const stack = form === "stacked";
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !stack } },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), zone),
    padding: [8, 8, 0, 0],
    scales: {
      x: stack ? { range: (_plot, min, max) => [min - step / 2, max + step / 2] } : {},
      y:
        form === "logarithmic"
          ? { distr: 3, log: 10, range: (_plot, min, max) => endsOf(logarithmicMarks(min, max)) }
          : { range: (_plot, _min, max) => [0, Math.max(max ?? 0, 1) * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 56,
        values: (_plot, splits) => splits.map(write.time),
        ...(long ? { incrs: DAY_STEPS } : {}),
      },
      {
        ...axis,
        size: (_plot, values) => Math.max(24, ...(values ?? []).map((text) => text.length * CHARACTER_PX + 14)),
        values: (_plot, splits) => splits.map((value) => (value === null ? "" : write.value(value))),
        ...(stack ? { incrs: WHOLE_STEPS } : {}),
        ...(form === "logarithmic"
          ? { splits: (_plot, _axis, min, max) => logarithmicMarks(min, max), filter: (_plot, splits) => splits }
          : {}),
      },
    ],
    series: [{}, ...look.lines.map((line) => seriesOf(UPlot, line, stack, colours))],
    hooks: { setCursor: [onPoint] },
  };
}

function endsOf(marks: readonly number[]): [number, number] {
  return [marks[0]!, marks.at(-1)!];
}

type Colours = (name: Tone | "muted" | "line") => string;

function seriesOf(UPlot: typeof uPlot, line: Line, stack: boolean, colours: Colours): uPlot.Series {
  const { label, tone, filled, dashed, wide, sparse = false } = line;
  const colour = colours(tone);
  const points: uPlot.Series.Points = { show: sparse, size: 4, fill: colour, ...(sparse ? {} : { filter: lonely }) };
  if (stack) {
    const paths = UPlot.paths.bars!({ size: [wide ? 0.92 : 0.6, 48], disp: ON_THE_ONE_BEFORE });
    return { label, points: { show: false }, width: 0, fill: colour, paths };
  }
  return {
    label,
    points,
    stroke: colour,
    width: 1.5,
    spanGaps: sparse,
    ...(filled ? { fill: `color-mix(in oklab, ${colour} 18%, transparent)` } : {}),
    ...(dashed ? { dash: [4, 3] } : {}),
  };
}

/** A line needs two points. One without a neighbour is drawn as a dot, or the first quarter of an hour would look like nothing. */
function lonely({ data }: uPlot, index: number): number[] {
  const values = data[index]!;
  const has = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter((at) => has(at) && !has(at - 1) && !has(at + 1));
}

/** The values are sums already: a layer reaches from the sum before it up to its own. */
const ON_THE_ONE_BEFORE: uPlot.Series.BarsPathBuilderDisplay = {
  y0: {
    unit: 1,
    values: (plot, index) => Array.from(plot.data[0], (_, at) => (index === 1 ? 0 : plot.data[index - 1]![at])),
  },
  y1: { unit: 1, values: (plot, index) => [...plot.data[index]!] },
};

/** A canvas does not know of light-dark(): the browser is asked what each colour comes to. */
function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement("span");
  const known = new Map<string, string>();
  return (name) => {
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    probe.style.color = style.getPropertyValue(`--color-${name}`);
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    known.set(name, color);
    return color;
  };
}
