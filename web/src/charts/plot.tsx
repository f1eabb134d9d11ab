import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import { clockText, dayText, shortText, useZone } from "../ui/zone.ts";
import { type Line, LineMark } from "./line.tsx";
import { aboveZero, stacked } from "./plot-data.ts";
import { type PlotForm, plotOptions } from "./plot-options.ts";
import type { SeriesChartProps } from "./series-chart.tsx";
import { useIsDark } from "./use-is-dark.ts";

/** Which of the times is pointed at, and where it stands. */
interface Pointed {
  index: number;
  left: number;
  width: number;
}

const DAY_MS = 86_400_000;

/** The picture itself. What stands under the pointer is written beside it. */
export function Plot({ onFailure, ...props }: SeriesChartProps & { onFailure: () => void }) {
  const { label, times, lines, height = 180 } = props;
  const form: PlotForm = props.stacked ? "stacked" : props.logarithmic ? "logarithmic" : "lines";
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const zone = useZone();
  const dark = useIsDark();
  const data = useMemo(() => dataOf(times, lines, form), [times, lines, form]);
  const latest = useRef({ data, format: props.format });
  latest.current = { data, format: props.format };
  const long = times.length > 1 && times.at(-1)! - times[0]! > 2 * DAY_MS;
  const step = times.length > 1 ? times[1]! - times[0]! : 0;
  const looks = JSON.stringify(lines.map(({ values: _, ...look }) => look));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `looks` stands for the lines, `dark` for the colours that are read
  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    const draw = (UPlot: typeof uPlot) => {
      if (gone || place.current === null) return;
      const options = plotOptions(UPlot, {
        lines,
        width: place.current.clientWidth,
        height,
        form,
        step: step / 1_000,
        zone,
        long,
        write: {
          time: (seconds) => (long ? dayText : clockText)(new Date(seconds * 1_000), zone),
          value: (value) => latest.current.format(value),
        },
        onPoint: (drawn) => setPointed((before) => pointedAt(drawn, before)),
      });
      plot.current = new UPlot(options, latest.current.data, place.current);
      observer = new ResizeObserver(([entry]) => plot.current?.setSize({ width: entry!.contentRect.width, height }));
      observer.observe(place.current);
    };
    import("uplot").then((module) => draw(module.default)).catch(onFailure);
    return () => {
      gone = true;
      observer?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [looks, height, form, zone, dark, long, step]);
  useLayoutEffect(() => {
    plot.current?.setData(data);
  }, [data]);
  return (
    <div className="relative min-w-0">
      <div
        ref={place}
        role="img"
        aria-label={`${label}, as a chart`}
        className="min-w-0 overflow-hidden"
        style={{ height }}
      />
      {pointed !== null && pointed.index < times.length && <Readout {...props} pointed={pointed} zone={zone} />}
    </div>
  );
}

function dataOf(times: readonly number[], lines: readonly Line[], form: PlotForm): uPlot.AlignedData {
  const values = lines.map((line) => line.values);
  const seconds = times.map((at) => at / 1_000);
  if (form === "stacked") return [seconds, ...stacked(values)];
  return [seconds, ...(form === "logarithmic" ? values.map(aboveZero) : values.map((each) => [...each]))];
}

/** The same object while it is the same point: then nothing is drawn again. */
function pointedAt(plot: uPlot, before: Pointed | null): Pointed | null {
  const { idx, left } = plot.cursor;
  if (idx === null || idx === undefined || left === undefined || left < 0) return null;
  if (before?.index === idx && before.width === plot.width) return before;
  const at = plot.data[0][idx]!;
  return { index: idx, left: plot.over.offsetLeft + plot.valToPos(at, "x"), width: plot.width };
}

const BESIDE_PX = 10;

function Readout({
  times,
  lines,
  format,
  stacked: layer = false,
  pointed: { index, left, width },
  zone,
}: SeriesChartProps & { pointed: Pointed; zone: string }) {
  const onLeft = left > width / 2;
  return (
    <div
      aria-hidden
      className="bg-surface border-line pointer-events-none absolute top-2 z-10 rounded-md border px-2 py-1.5 text-xs shadow-lg"
      style={onLeft ? { right: width - left + BESIDE_PX } : { left: left + BESIDE_PX }}
    >
      <div className="mb-1 font-medium whitespace-nowrap">{shortText(new Date(times[index]!), zone)}</div>
      <dl className="grid grid-cols-[auto_auto] gap-x-3">
        {lines.map((line) => {
          const value = line.values[index] ?? null;
          return (
            <div key={line.label} className="contents">
              <dt className="text-muted flex items-center gap-1.5 whitespace-nowrap">
                <LineMark line={line} layer={layer} />
                {line.label}
              </dt>
              <dd className="text-right whitespace-nowrap">{value === null ? "–" : format(value)}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
