import { Link, useSearch } from "@tanstack/react-router";
import { useMay } from "../../api/session.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { Empty, errorText, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { clockText, dayText, useZone } from "../../ui/zone.ts";
import { HatchPattern, Legend } from "./mark-looks.tsx";
import type { TimelineSearch } from "./search.ts";
import { TimelineChart } from "./timeline-chart.tsx";
import { JobControls, TimeControls } from "./timeline-controls.tsx";
import { TimelineTable } from "./timeline-table.tsx";
import { windowOf } from "./timeline-window.ts";
import { useTimeline } from "./use-timeline.ts";

/** All jobs side by side: what they did, what they did not, and what they will do. */
export function TimelinePage() {
  const search = useSearch({ from: "/timeline" });
  const zone = useZone();
  const { times } = useTimeline(search);
  const { from, to } = times ?? windowOf(search.span ?? "24h", search.at, Date.now());
  return (
    <Page
      title="Timeline"
      about={`${momentText(from, zone)} to ${momentText(to, zone)}, ${zone}`}
      actions={<TimeControls search={search} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <JobControls search={search} />
      </div>
      <section className="bg-surface border-line flex min-w-0 flex-col gap-2 rounded-lg border p-3 md:p-4">
        <HatchPattern />
        <div className="flex items-start justify-between gap-3">
          <Legend />
          <FormLink search={search} />
        </div>
        <Lanes search={search} />
      </section>
    </Page>
  );
}

function momentText(at: number, zone: string): string {
  return `${dayText(new Date(at), zone)}, ${clockText(new Date(at), zone)}`;
}

function FormLink({ search }: { search: TimelineSearch }) {
  const { as, ...rest } = search;
  return (
    <Link
      to="/timeline"
      search={as === "table" ? rest : { ...rest, as: "table" }}
      replace
      resetScroll={false}
      className={buttonClass({ look: "quiet", size: "small" }, "-my-1")}
    >
      {as === "table" ? "As a picture" : "As a table"}
    </Link>
  );
}

function Lanes({ search }: { search: TimelineSearch }) {
  const { query, lanes, times, more } = useTimeline(search);
  const { error, isPlaceholderData, isFetchNextPageError, isFetchingNextPage, refetch, fetchNextPage } = query;
  if (lanes === undefined || times === undefined)
    return error === null ? <Loading rows={8} /> : <Failure error={error} retry={() => void refetch()} />;
  if (lanes.length === 0) return <NoLanes search={search} />;
  const Form = search.as === "table" ? TimelineTable : TimelineChart;
  return (
    <>
      {error !== null && !isFetchNextPageError && (
        <Notice tone="warn" role="status">
          What is shown could not be read again: {errorText(error)}
        </Notice>
      )}
      <div className={cx("min-w-0", isPlaceholderData && "opacity-50")}>
        <Form lanes={lanes} times={times} onEnd={more} />
      </div>
      {isFetchingNextPage && <Loading rows={3} />}
      {isFetchNextPageError && <Failure error={error} retry={() => void fetchNextPage()} />}
    </>
  );
}

function NoLanes({ search: { q, tag, ...rest } }: { search: TimelineSearch }) {
  const mayWrite = useMay("write");
  if (q !== undefined || tag !== undefined)
    return (
      <Empty title="No job matches the filter.">
        <Link to="/timeline" search={rest} className={buttonClass()}>
          Show all jobs
        </Link>
      </Empty>
    );
  return (
    <Empty title="No job yet.">
      <p>Each job has a lane here: what it did, what it missed, and what it will do.</p>
      {mayWrite && (
        <Link to="/jobs/new" className={buttonClass({ look: "primary" })}>
          Create a job
        </Link>
      )}
    </Empty>
  );
}
