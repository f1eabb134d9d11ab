// Tables that fit. A row is never broken: where there is little room, columns of lesser rank are left out and long
// cells are cut; where there is much, everything is shown whole.

import type { Paint, Tone } from "./colour.ts";
import { cut, oneLine, widthOf } from "./text.ts";

const GAP = 2;

export type Cell = string | { text: string; tone: Tone | null };

export interface Column<Row> {
  title: string;
  of: (row: Row) => Cell;
  /** Columns without a rank are always there; the others come as far as there is room, 1 first. */
  rank?: number;
  /** Down to how many characters its cells may be cut; not at all unless it is said. */
  min?: number;
  align?: "right";
}

interface Fitted<Row> extends Column<Row> {
  cells: { text: string; tone: Tone | null }[];
  width: number;
  least: number;
}

/** Lines with a heading, each ending in a line break; no rows are no lines. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, paint }: { width: number; paint: Paint },
): string {
  if (rows.length === 0) return "";
  const fitted = shrink(
    choose(
      columns.map((column) => measured(column, rows)),
      width,
    ),
    width,
  );
  const heading = line(fitted, (column) => ({ text: column.title, tone: "strong" }), width, paint);
  return heading + rows.map((_, i) => line(fitted, (column) => column.cells[i]!, width, paint)).join("");
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Fitted<Row> {
  const cells = rows.map((row) => {
    const cell = column.of(row);
    return typeof cell === "string"
      ? { text: oneLine(cell), tone: null }
      : { text: oneLine(cell.text), tone: cell.tone };
  });
  const width = Math.max(column.title.length, ...cells.map(({ text }) => widthOf(text)));
  return { ...column, cells, width, least: Math.min(width, Math.max(column.title.length, column.min ?? width)) };
}

function choose<Row>(columns: Fitted<Row>[], width: number): Fitted<Row>[] {
  const chosen = new Set(columns.filter(({ rank }) => rank === undefined));
  // A column of lesser rank in which nobody has anything to say is not shown at all.
  const optional = columns
    .filter(({ rank, cells }) => rank !== undefined && cells.some(({ text }) => text !== "" && text !== "-"))
    .sort((a, b) => a.rank! - b.rank!);
  for (const column of optional) {
    const least = [...chosen, column].reduce((sum, { least }) => sum + least + GAP, -GAP);
    if (least > width) break;
    chosen.add(column);
  }
  return columns.filter((column) => chosen.has(column));
}

/** Takes from the widest first, so that short cells stay whole. */
function shrink<Row>(columns: Fitted<Row>[], width: number): Fitted<Row>[] {
  let excess = columns.reduce((sum, column) => sum + column.width + GAP, -GAP) - width;
  while (excess > 0) {
    const cuttable = columns.filter((column) => column.width > column.least);
    if (cuttable.length === 0) break;
    const widest = cuttable.reduce((a, b) => (b.width > a.width ? b : a));
    widest.width -= 1;
    excess -= 1;
  }
  return columns;
}

function line<Row>(
  columns: Fitted<Row>[],
  cellOf: (column: Fitted<Row>) => { text: string; tone: Tone | null },
  width: number,
  paint: Paint,
): string {
  let used = 0;
  const parts: string[] = [];
  columns.forEach((column, i) => {
    const room = Math.min(column.width, width - used);
    if (room <= 0) return;
    const { text, tone } = cellOf(column);
    const shown = cut(text, room);
    const space = " ".repeat(Math.max(0, room - widthOf(shown)));
    const painted = tone === null ? shown : paint(tone, shown);
    const last = i === columns.length - 1;
    parts.push(column.align === "right" ? space + painted : last ? painted : painted + space);
    used += column.width + GAP;
  });
  return `${parts.join(" ".repeat(GAP)).trimEnd()}\n`;
}
