import { Link } from "@tanstack/react-router";
import type { TimelineLane } from "punctual/client";
import { useMemo } from "react";
import { type Mark, type MarkLook, marksOf, type TimelineView } from "../../charts/timeline-marks.ts";
import { numberText } from "../../ui/counted.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, FullTime } from "../../ui/time.tsx";
import { MarkIcon } from "./mark-looks.tsx";
import { markKey, reasonText } from "./mark-text.ts";

interface Row {
  lane: TimelineLane;
  mark: Mark;
}

const LINK = "font-medium underline-offset-2 hover:underline";

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "job",
    header: "Job",
    cell: ({ lane, mark }) => (
      <>
        <div className="truncate">{lane.jobName}</div>
        {/* Where there is no room for a column of its own. */}
        <div className="sm:hidden">
          <Look look={mark.look} />
        </div>
      </>
    ),
  },
  {
    key: "what",
    header: "What",
    className: "hidden w-32 sm:table-cell",
    cell: ({ mark }) => <Look look={mark.look} />,
  },
  { key: "when", header: "When", className: "w-36 md:w-72", cell: (row) => <When {...row} /> },
  {
    key: "length",
    header: "From first to last",
    className: "hidden w-36 text-right lg:table-cell",
    cell: ({ mark: { from, to } }) => <Duration ms={to === null || to === from ? null : to - from} />,
  },
  {
    key: "count",
    header: "How many",
    className: "hidden w-24 text-right sm:table-cell",
    cell: ({ mark: { count } }) => numberText(count),
  },
  {
    key: "why",
    header: "Why",
    className: "hidden lg:table-cell",
    cell: ({ mark: { reason } }) => reasonText(reason) ?? <span className="text-muted">–</span>,
  },
];

function Look({ look }: { look: MarkLook }) {
  return (
    <span className="flex items-center gap-1">
      <MarkIcon look={look} />
      {look}
    </span>
  );
}

function When({ lane, mark: { from, executionId } }: Row) {
  const time = <FullTime at={new Date(from)} />;
  return executionId === null ? (
    <Link to="/jobs/$job" params={{ job: lane.jobId }} className={LINK}>
      {time}
    </Link>
  ) : (
    <Link to="/executions/$id" params={{ id: executionId }} className={LINK}>
      {time}
    </Link>
  );
}

/** The same as the picture, to be read. */
export function TimelineTable({
  lanes,
  times,
  onEnd,
}: {
  lanes: readonly TimelineLane[];
  times: Omit<TimelineView, "width">;
  onEnd: () => void;
}) {
  const { from, to, now } = times;
  const rows = useMemo(
    () => lanes.flatMap((lane) => marksOf(lane, { from, to, now, width: 1 }).map((mark) => ({ lane, mark }))),
    [lanes, from, to, now],
  );
  return (
    <DataTable
      label="Timeline"
      columns={COLUMNS}
      rows={rows}
      idOf={({ lane, mark }) => `${lane.jobId} ${markKey(mark)}`}
      nameOf={({ lane, mark }) => `${mark.look}, ${lane.jobName}`}
      onEnd={onEnd}
    />
  );
}
