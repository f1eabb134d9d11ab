import { Link } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, FileDiff, TriangleAlert } from "lucide-react";
import type { Job } from "punctual/client";
import type { ReactNode } from "react";
import { RunStrip } from "../../charts/run-strip.tsx";
import { cx } from "../../ui/class-names.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Duration } from "../../ui/time.tsx";
import { JobMenu } from "./job-menu.tsx";
import { JobSchedule } from "./job-schedule.tsx";
import { JobTarget } from "./job-target.tsx";
import { NextRun } from "./next-run.tsx";
import { type JOB_ORDERS, ORDER_PRESET } from "./search.ts";
import { rateText } from "./success-rate.ts";
import type { JobActions } from "./use-job-actions.ts";

type JobOrder = (typeof JOB_ORDERS)[number];

export function jobColumns({
  sort = ORDER_PRESET,
  isNarrow,
  menu,
}: {
  sort: JobOrder | undefined;
  /** There is room for the name, the next run below it, and the strip. */
  isNarrow: boolean;
  /** What can be done with a job; null for whoever may only look. */
  menu: { actions: JobActions; onDelete: (job: Job) => void } | null;
}): readonly Column<Job>[] {
  return [
    {
      key: "name",
      header: <OrderLink sort={sort} by="name" text="Name" />,
      sorted: directionOf(sort, "name"),
      cell: (job) => <NameCell job={job} below={isNarrow ? <NextRun job={job} /> : <Tags tags={job.tags} />} />,
    },
    {
      key: "schedule",
      header: "Schedule",
      className: "hidden md:table-cell w-56 2xl:w-64",
      cell: (job) => <JobSchedule job={job} />,
    },
    {
      key: "next",
      header: <OrderLink sort={sort} by="nextFireAt" text="Next run" />,
      sorted: directionOf(sort, "nextFireAt"),
      className: "hidden sm:table-cell w-28",
      cell: (job) => <NextRun job={job} />,
    },
    {
      key: "strip",
      header: "Last runs",
      className: "w-24 sm:w-36",
      cell: (job) => <RunStrip runs={job.recent?.runs ?? []} />,
    },
    {
      key: "rate",
      header: "Success",
      className: "hidden xl:table-cell w-20 text-right",
      cell: (job) => <SuccessRate recent={job.recent} />,
    },
    {
      key: "p95",
      header: <abbr title="19 of 20 runs took at most this long">p95</abbr>,
      className: "hidden xl:table-cell w-24 text-right",
      cell: (job) => <Duration ms={job.recent?.p95DurationMs ?? null} />,
    },
    {
      key: "target",
      header: "Target",
      className: "hidden min-[1440px]:table-cell w-48 2xl:w-56",
      cell: (job) => <JobTarget target={job.target} />,
    },
    ...(menu === null
      ? []
      : [
          {
            key: "menu",
            header: <span className="sr-only">Actions</span>,
            className: "w-12 text-right",
            cell: (job: Job) => <JobMenu job={job} {...menu} />,
          },
        ]),
  ];
}

function directionOf(sort: JobOrder, by: string): Column<Job>["sorted"] {
  return sort === by ? "ascending" : sort === `-${by}` ? "descending" : undefined;
}

function OrderLink({ sort, by, text }: { sort: JobOrder; by: "name" | "nextFireAt"; text: string }) {
  const direction = directionOf(sort, by);
  const next = direction === "ascending" ? (`-${by}` as const) : by;
  const Arrow = direction === "descending" ? ArrowDown : ArrowUp;
  return (
    <Link
      from="/jobs"
      search={(before) => ({ ...before, sort: next })}
      replace
      className={cx("hover:text-ink inline-flex items-center gap-1", direction && "text-ink")}
    >
      {text}
      {direction && <Arrow aria-hidden className="size-3" />}
    </Link>
  );
}

function NameCell({ job, below }: { job: Job; below: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-1.5">
        <Link
          to="/jobs/$job"
          params={{ job: job.id }}
          title={job.description === "" ? job.name : job.description}
          className="truncate font-medium underline-offset-2 hover:underline"
        >
          {job.name}
        </Link>
        <Marks job={job} />
      </div>
      <div className="text-muted flex gap-2 overflow-hidden text-xs">{below}</div>
    </div>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    // A way for the mouse: the same tags stand above the list, where the keyboard reaches them.
    <Link
      key={tag}
      from="/jobs"
      search={(before) => ({ ...before, tag })}
      tabIndex={-1}
      className="hover:text-ink text-2xs whitespace-nowrap"
    >
      {tag}
    </Link>
  ));
}

/** What somebody should look at. */
function Marks({ job: { drifted, source, warnings } }: { job: Job }) {
  return (
    <>
      {drifted && (
        <Mark
          text={`Changed since ${source} declared it: the next time it is applied, the change is lost.`}
          icon={<FileDiff aria-hidden className="size-3.5" />}
        />
      )}
      {warnings.length > 0 && (
        <Mark
          text={warnings.map(({ message }) => message).join(" ")}
          icon={<TriangleAlert aria-hidden className="size-3.5" />}
        />
      )}
    </>
  );
}

function Mark({ text, icon }: { text: string; icon: ReactNode }) {
  return (
    <Hint text={text}>
      <span role="img" aria-label={text} className="text-warn shrink-0">
        {icon}
      </span>
    </Hint>
  );
}

/** Below this a job needs somebody. */
const RATE_MIN = 0.9;

function SuccessRate({ recent }: { recent: Job["recent"] }) {
  if (recent === undefined || recent.successRate === null) return <span className="text-muted">–</span>;
  return (
    <Hint text={`Of the last ${recent.counted} that ended in success, failure or doubt`}>
      <span className={recent.successRate < RATE_MIN ? "text-bad font-medium" : ""}>
        {rateText(recent.successRate)}
      </span>
    </Hint>
  );
}
