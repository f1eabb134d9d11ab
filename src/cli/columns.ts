/** Rows as aligned text; the last column is not padded, so that nothing trails. */
export function columns(rows: readonly (readonly string[])[], { indent = "", gap = 2 } = {}): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]! + gap))).join("");
  return rows.map((row) => `${indent}${line(row).trimEnd()}\n`).join("");
}
