// What the plots have in common: text and colours for light and dark pages. A plot is a picture of its own (an <img>), so it
// carries its style with it.

const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 12px; }
  .rule { stroke: #d1d9e0; stroke-width: 1; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  .goal { stroke: #9a6700; stroke-width: 1.5; stroke-dasharray: 4 3; }
  .goal-text { fill: #9a6700; font-size: 12px; }
  .ours { fill: #0969da; }
  .other { fill: #afb8c1; }
  .line { fill: none; stroke-width: 2; }
  .c0 { stroke: #0969da; } .d0 { fill: #0969da; }
  .c1 { stroke: #bc4c00; } .d1 { fill: #bc4c00; }
  .c2 { stroke: #1a7f37; } .d2 { fill: #1a7f37; }
  .c3 { stroke: #8250df; } .d3 { fill: #8250df; }
  .c4 { stroke: #cf222e; } .d4 { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .rule { stroke: #3d444d; }
    .spread { stroke: #f0f6fc; }
    .goal { stroke: #d29922; }
    .goal-text { fill: #d29922; }
    .ours { fill: #4493f8; }
    .other { fill: #656c76; }
    .c0 { stroke: #4493f8; } .d0 { fill: #4493f8; }
    .c1 { stroke: #db6d28; } .d1 { fill: #db6d28; }
    .c2 { stroke: #3fb950; } .d2 { fill: #3fb950; }
    .c3 { stroke: #ab7df8; } .d3 { fill: #ab7df8; }
    .c4 { stroke: #f85149; } .d4 { fill: #f85149; }
  }`;

/** How many lines can be told apart. */
export const COLOURS = 5;

export function svg(size: { width: number; height: number }, title: string, parts: readonly string[]): string {
  const { width, height } = size;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

export interface TextPlace {
  x: number;
  y: number;
  anchor?: "start" | "middle" | "end";
  style?: "title" | "quiet" | "goal-text";
}

export function text(words: string, { x, y, anchor = "start", style }: TextPlace): string {
  const kind = style === undefined ? "" : ` class="${style}"`;
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"${kind}>${escaped(words)}</text>`;
}

export function line(from: [number, number], to: [number, number], style: string): string {
  return `<line x1="${at(from[0])}" y1="${at(from[1])}" x2="${at(to[0])}" y2="${at(to[1])}" class="${style}"/>`;
}

/** A tenth of a pixel is enough. */
export function at(pixels: number): string {
  return String(Math.round(pixels * 10) / 10);
}

/** Round numbers from 0 to at least `max`: 1, 2 or 5 times a power of ten apart. */
export function ticks(max: number, about = 5): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!;
  const marks: number[] = [];
  for (let mark = 0; mark < max + step * 0.999; mark += step) marks.push(Number(mark.toPrecision(6)));
  return marks;
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
