import { harmless, widthOf, wrap } from "./text.ts";

const LABEL_MIN = 12;

export type Fact = readonly [label: string, value: string | number | null | undefined];

/** Labels and values below each other, long values broken within their column; what is null is left out. */
export function facts(rows: readonly Fact[], { width }: { width: number }): string {
  const told = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const label = Math.max(LABEL_MIN, ...told.map(([name]) => widthOf(name) + 2));
  return told
    .map(([name, value]) => {
      const lines = wrap(harmless(String(value)), width - label).split("\n");
      return lines.map((line, i) => `${(i === 0 ? name : "").padEnd(label)}${line}`.trimEnd()).join("\n");
    })
    .map((text) => `${text}\n`)
    .join("");
}
