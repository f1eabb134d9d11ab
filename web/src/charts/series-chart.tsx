import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import { Button } from "../ui/button.tsx";
import type { Tone } from "../ui/state-badge.tsx";
import { clockText, dayText, shortText, useZone } from "../ui/zone.ts";

export interface Line {
  label: string;
  tone: Tone;
  values: readonly (number | null)[];
  /** Filled down to the axis, as amounts are. */
  filled?: boolean;
  dashed?: boolean;
}

export interface SeriesChartProps {
  /** What it shows; the name of the picture and of the table behind it. */
  label: string;
  /** Milliseconds since 1970, rising. */
  times: readonly number[];
  lines: readonly Line[];
  /** How a value is written, on the axis and in the table. */
  format: (value: number) => string;
  height?: number;
  /** Steps of ten, for values that differ by much. */
  logarithmic?: boolean;
}

const DAY_MS = 86_400_000;

/** Values over time, as lines. The same numbers stand behind it as a table. */
export function SeriesChart(props: SeriesChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Legend lines={props.lines} />
        <Button look="quiet" size="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "As a picture" : "As a table"}
        </Button>
      </div>
      {asTable ? <ValueTable {...props} /> : <Plot {...props} />}
    </figure>
  );
}

function Legend({ lines }: { lines: readonly Line[] }) {
  return (
    <ul className="text-muted flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {lines.map(({ label, tone, dashed }) => (
        <li key={label} className="flex items-center gap-1.5">
          <svg aria-hidden width="16" height="4">
            <line
              x1="0"
              x2="16"
              y1="2"
              y2="2"
              stroke={`var(--color-${tone})`}
              strokeWidth="3"
              strokeDasharray={dashed ? "4 3" : undefined}
            />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

function Plot({ label, times, lines, format, height = 180, logarithmic = false }: SeriesChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const zone = useZone();
  const dark = useIsDark();
  const data = useMemo(
    () => [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])] as unknown as uPlot.AlignedData,
    [times, lines],
  );
  const latest = useRef(data);
  latest.current = data;
  const long = times.length > 1 && times.at(-1)! - times[0]! > 2 * DAY_MS;
  const shape = lines.map(({ label: name, tone, filled, dashed }) => `${name}|${tone}|${filled}|${dashed}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the lines' looks, `dark` for the colours that are read
  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    void import("uplot").then(({ default: UPlot }) => {
      if (gone || place.current === null) return;
      const write = (seconds: number) => (long ? dayText : clockText)(new Date(seconds * 1_000), zone);
      const options = optionsOf({ lines, format, height, logarithmic, write, width: place.current.clientWidth });
      plot.current = new UPlot(options, latest.current, place.current);
      observer = new ResizeObserver(([entry]) => plot.current?.setSize({ width: entry!.contentRect.width, height }));
      observer.observe(place.current);
    });
    return () => {
      gone = true;
      observer?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, format, height, logarithmic, zone, dark, long]);
  useLayoutEffect(() => {
    plot.current?.setData(data);
  }, [data]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`${label}, as a chart`}
      className="min-w-0 overflow-hidden"
      style={{ height }}
    />
  );
}

interface Look extends Pick<SeriesChartProps, "lines" | "format"> {
  height: number;
  width: number;
  logarithmic: boolean;
  write: (seconds: number) => string;
}

function optionsOf({ lines, format, height, width, logarithmic, write }: Look): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => resolved(style.getPropertyValue(`--color-${name}`));
  const axis = {
    stroke: colour("muted"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      y: logarithmic ? { distr: 3, log: 10 } : { range: (_plot, _min, max) => [0, Math.max(max ?? 0, 1) * 1.1] },
    },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map(write) },
      { ...axis, size: 60, values: (_plot, splits) => splits.map((value) => (value === null ? "" : format(value))) },
    ],
    series: [
      {},
      ...lines.map(({ label, tone, filled, dashed }) => ({
        label,
        stroke: colour(tone),
        width: 1.5,
        points: { show: false },
        ...(filled ? { fill: `color-mix(in oklab, ${colour(tone)} 18%, transparent)` } : {}),
        ...(dashed ? { dash: [4, 3] } : {}),
      })),
    ],
  };
}

/** A canvas does not know of light-dark(): the browser is asked what it comes to. */
function resolved(value: string): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function useIsDark(): boolean {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const look = () => setDark(isDark());
    const media = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(look);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    media.addEventListener("change", look);
    return () => {
      observer.disconnect();
      media.removeEventListener("change", look);
    };
  }, []);
  return dark;
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
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
