import { useQuery } from "@tanstack/react-query";
import type { SeriesPoint, StatsSeries } from "punctual/client";
import { type ReactNode, useMemo } from "react";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { type Line, SeriesChart } from "../../charts/series-chart.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";
import { Failure, Loading } from "../../ui/notice.tsx";
import type { Window } from "./search.ts";

/** Steps that are easy to name: a minute, a quarter of an hour, two hours. */
const POINTS: Record<Window, number> = { "1h": 60, "24h": 96, "7d": 84 };
const REFRESH_MS = 15_000;
const HEIGHT_PX = 176;

/** How much ran, how it ended and how late it began, over time. */
export function FigureCharts({ window }: { window: Window }) {
  const client = useClient();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ["stats", "series", window],
    queryFn: ({ signal }) => client.statsSeries({ window, points: POINTS[window] }, { signal }),
    refetchInterval: useRefresh(REFRESH_MS),
  });
  const chart = (draw: (series: StatsSeries) => ReactNode) => {
    if (data !== undefined) return <div className={cx(isPlaceholderData && "opacity-50")}>{draw(data)}</div>;
    return error === null ? <Loading rows={6} /> : <Failure error={error} retry={() => void refetch()} />;
  };
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Throughput" aside={data && <StepText ms={data.stepMs} />}>
        {chart((series) => (
          <Throughput series={series} />
        ))}
      </Card>
      <Card title="Lateness" aside={<span className="text-muted text-xs">start after the instant</span>}>
        {chart((series) => (
          <Lateness series={series} />
        ))}
      </Card>
    </div>
  );
}

function StepText({ ms }: { ms: number }) {
  return <span className="text-muted text-xs">executions per {durationText(ms)}</span>;
}

function Throughput({ series: { points } }: { series: StatsSeries }) {
  const times = useTimes(points);
  const lines = useMemo((): Line[] => {
    const rare: Line[] = [
      { label: "unknown", tone: "odd", values: points.map(({ unknown }) => unknown) },
      { label: "cancelled", tone: "idle", values: points.map(({ cancelled }) => cancelled) },
    ];
    // What was skipped never ran. It is not in here: a pause that ends is a thousand instants at once, beside which all that ran
    // would be a line on the floor.
    return [
      { label: "failed", tone: "bad", wide: true, values: points.map(({ failed }) => failed) },
      ...rare.filter(({ values }) => values.some((value) => value !== 0)),
      { label: "succeeded", tone: "ok", values: points.map(({ succeeded }) => succeeded) },
    ];
  }, [points]);
  return <SeriesChart label="Throughput" times={times} lines={lines} format={numberText} height={HEIGHT_PX} stacked />;
}

function Lateness({ series: { points } }: { series: StatsSeries }) {
  const times = useTimes(points);
  const lines = useMemo(
    (): Line[] => [
      { label: "p99", tone: "warn", dashed: true, values: points.map(({ latenessMs }) => latenessMs.p99) },
      { label: "p50", tone: "run", values: points.map(({ latenessMs }) => latenessMs.p50) },
    ],
    [points],
  );
  return (
    <SeriesChart label="Lateness" times={times} lines={lines} format={durationText} height={HEIGHT_PX} logarithmic />
  );
}

function useTimes(points: readonly SeriesPoint[]): number[] {
  return useMemo(() => points.map(({ at }) => Date.parse(at)), [points]);
}
