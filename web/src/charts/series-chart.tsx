import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { shortText, useZone } from "../ui/zone.ts";
import { type Line, LineMark } from "./line.tsx";
import { Plot } from "./plot.tsx";

export type { Line } from "./line.tsx";

export interface SeriesChartProps {
  /** What it shows; the name of the picture and of the table behind it. */
  label: string;
  /** Milliseconds since 1970, rising. */
  times: readonly number[];
  lines: readonly Line[];
  /** How a value is written, on the axis and in the table. */
  format: (value: number) => string;
  height?: number;
  /** For lengths of time in milliseconds that differ by much: from one line to the next it is about ten times as long. */
  logarithmic?: boolean;
  /** Amounts that add up, as columns: the first line stands on the axis, the next on top of it. */
  stacked?: boolean;
}

/** Values over time. The same numbers stand behind it as a table. */
export function SeriesChart(props: SeriesChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Legend lines={props.lines} stacked={props.stacked ?? false} />
        <Button look="quiet" size="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "As a picture" : "As a table"}
        </Button>
      </div>
      {/* The picture is loaded when it is first needed. Where that fails, the numbers are still there. */}
      {asTable ? <ValueTable {...props} /> : <Plot {...props} onFailure={() => setAsTable(true)} />}
    </figure>
  );
}

function Legend({ lines, stacked }: { lines: readonly Line[]; stacked: boolean }) {
  return (
    <ul className="text-muted flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {lines.map((line) => (
        <li key={line.label} className="flex items-center gap-1.5">
          <LineMark line={line} layer={stacked} />
          {line.label}
        </li>
      ))}
    </ul>
  );
}

function ValueTable({ label, times, lines, format }: SeriesChartProps) {
  const zone = useZone();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys
    <section className="max-h-64 overflow-auto" tabIndex={0} aria-label={`${label}, as a table`}>
      <table className="w-full text-left text-xs">
        <caption className="sr-only">{label}</caption>
        <thead className="bg-surface sticky top-0">
          <tr>
            <th scope="col" className="py-1 pr-3">
              At
            </th>
            {lines.map(({ label: name }) => (
              <th key={name} scope="col" className="py-1 pr-3 text-right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, index) => (
            <tr key={at} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 font-normal whitespace-nowrap">
                {shortText(new Date(at), zone)}
              </th>
              {lines.map(({ label: name, values }) => {
                const value = values[index] ?? null;
                return (
                  <td key={name} className="py-1 pr-3 text-right whitespace-nowrap">
                    {value === null ? "–" : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
