// What happens as something grows: the same small measurement at sizes ten times apart. One file per question.

import type { Machine } from "../support/machine.ts";
import type { Progress } from "../support/measure.ts";
import type { Stage } from "../support/stage.ts";
import type { LineChart } from "../support/svg-lines.ts";

export interface Growth {
  /** As `--only` says it; results are kept under it. */
  readonly name: string;
  readonly title: string;
  /** What is done, what counts, what is left out: Markdown. */
  readonly about: string;
  measure(stage: Stage, progress: Progress): Promise<Section[]>;
}

/** A table, and plots of what is in it. */
export interface Section {
  title: string;
  /** Markdown, after the table. */
  note?: string;
  columns: string[];
  rows: (string | number)[][];
  plots: LineChart[];
}

/** As it is kept in docs/benchmarks/<name>.json. */
export interface GrowthResult {
  growth: string;
  measuredAt: string;
  machine: Machine;
  versions: Record<string, string>;
  quick: boolean;
  sections: Section[];
}

/** A line for each of some columns, over the first. */
export function plotOf(
  section: Pick<Section, "columns" | "rows">,
  columns: readonly string[],
  chart: Omit<LineChart, "series">,
): LineChart {
  const series = columns.map((label) => {
    const at = section.columns.indexOf(label);
    const points = section.rows.map((row) => ({ x: row[0], y: row[at] }));
    return { label, points: points.filter(isPoint) };
  });
  return { ...chart, series };
}

function isPoint(point: { x: unknown; y: unknown }): point is { x: number; y: number } {
  return typeof point.x === "number" && typeof point.y === "number";
}
