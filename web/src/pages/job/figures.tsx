import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Job, JobSeries, JobStats, SeriesPoint } from "punctual/client";
import { type ReactNode, useMemo, useState } from "react";
import { useClient } from "../../api/session.tsx";
import { type Line, SeriesChart } from "../../charts/series-chart.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";
import { Empty, Failure, Loading } from "../../ui/notice.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Duration } from "../../ui/time.tsx";
import { presetWindow } from "./preset-window.ts";
import { WINDOWS, type Window } from "./search.ts";

const route = getRouteApi("/jobs/$job");

/** How the job has been doing: shares, percentiles, and both over time. */
export function Figures({ job }: { job: Job }) {
  const { window: chosen } = route.useSearch();
  // What is right when the page is opened stays: it does not jump while one looks.
  const [preset] = useState(() => presetWindow(job, Date.now()));
  const window = chosen ?? preset;
  const client = useClient();
  const stats = useQuery({
    queryKey: ["stats", "of", job.id, window],
    queryFn: ({ signal }) => client.jobs.stats(job.id, { window }, { signal }),
  });
  const series = useQuery({
    queryKey: ["stats", "series of", job.id, window],
    queryFn: ({ signal }) => client.jobs.series(job.id, { window }, { signal }),
  });
  const error = stats.error ?? series.error;
  const retry = () => {
    void stats.refetch();
    void series.refetch();
  };
  return (
    <Card title="How it has been doing" aside={<WindowLinks current={window} />} className="lg:col-span-3">
      {stats.data !== undefined && series.data !== undefined ? (
        <>
          <Tiles stats={stats.data} />
          <Charts job={job} series={series.data} />
        </>
      ) : error === null ? (
        <Loading />
      ) : (
        <Failure error={error} retry={retry} />
      )}
    </Card>
  );
}

function WindowLinks({ current }: { current: Window }) {
  const search = route.useSearch();
  return (
    <Segments
      label="How far back"
      segments={WINDOWS.map((window) => ({
        label: window,
        current: window === current,
        search: { ...search, window },
      }))}
    />
  );
}

function Tiles({ stats: { states, durationMs, latenessMs, complete } }: { stats: JobStats }) {
  const { succeeded = 0, failed = 0, unknown = 0, skipped = 0 } = states;
  const judged = succeeded + failed + unknown;
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4 lg:grid-cols-8">
        <Tile name="Success" tone={judged > 0 && failed + unknown > 0 ? "text-bad" : ""}>
          {judged === 0 ? "–" : shareText(succeeded / judged)}
        </Tile>
        <Tile name="Succeeded">{numberText(succeeded)}</Tile>
        <Tile name="Failed or unknown" tone={failed + unknown > 0 ? "text-bad" : ""}>
          {numberText(failed + unknown)}
        </Tile>
        <Tile name="Skipped">{numberText(skipped)}</Tile>
        <Tile name="Duration p50">
          <Duration ms={durationMs.p50} />
        </Tile>
        <Tile name="Duration p95">
          <Duration ms={durationMs.p95} />
        </Tile>
        <Tile name="Duration p99">
          <Duration ms={durationMs.p99} />
        </Tile>
        <Tile name="Late by, p99">
          <Duration ms={latenessMs.p99} />
        </Tile>
      </dl>
      {!complete && (
        <p className="text-muted mt-3 text-xs">
          The job ran very often: only its latest executions in this time are counted.
        </p>
      )}
    </>
  );
}

function Tile({ name, tone = "", children }: { name: string; tone?: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className={cx("text-lg font-semibold", tone)}>{children}</dd>
    </div>
  );
}

function Charts({ job, series }: { job: Job; series: JobSeries }) {
  const { points } = series;
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points]);
  const durations = useMemo(() => percentileLines(points, "durationMs"), [points]);
  const lateness = useMemo(() => percentileLines(points, "latenessMs"), [points]);
  if (points.every(({ durationMs, latenessMs }) => durationMs.p50 === null && latenessMs.p50 === null))
    return <Empty title="Nothing ran in this time.">{<p>Look further back, or run it by hand.</p>}</Empty>;
  return (
    <div className="mt-5 grid grid-cols-1 gap-6 lg:grid-cols-2">
      <div className="min-w-0">
        <h3 className="mb-1 text-xs font-semibold">How long it took</h3>
        <SeriesChart label={`Duration of ${job.name}`} times={times} lines={durations} format={durationText} />
      </div>
      <div className="min-w-0">
        <h3 className="mb-1 text-xs font-semibold">How late it started</h3>
        <SeriesChart label={`Lateness of ${job.name}`} times={times} lines={lateness} format={durationText} />
      </div>
    </div>
  );
}

function percentileLines(points: readonly SeriesPoint[], of: "durationMs" | "latenessMs"): Line[] {
  // A job may run once a day: steps in which it did not are no gap in what it does.
  return [
    { label: "p50", tone: "run", sparse: true, values: points.map((point) => point[of].p50) },
    { label: "p95", tone: "odd", sparse: true, values: points.map((point) => point[of].p95) },
    { label: "p99", tone: "idle", sparse: true, dashed: true, values: points.map((point) => point[of].p99) },
  ];
}

/** Never rounded up to all: 100% means that none failed. */
function shareText(share: number): string {
  return share === 1 ? "100%" : `${(Math.floor(share * 1_000) / 10).toFixed(1)}%`;
}
