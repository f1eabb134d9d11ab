import { Link } from "@tanstack/react-router";
import type { Execution } from "punctual/client";
import type { Column } from "../../ui/data-table.tsx";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { Duration, Time } from "../../ui/time.tsx";

/** How executions of one job are listed: what became of each, when, and why. */
export const EXECUTION_COLUMNS: readonly Column<Execution>[] = [
  {
    key: "state",
    header: "State",
    className: "w-32",
    cell: ({ state, count }) => (
      <span className="flex items-center gap-1">
        <ExecutionStateBadge state={state} />
        {count > 1 && <span className="text-muted text-xs">× {count}</span>}
      </span>
    ),
  },
  {
    key: "when",
    header: "When",
    className: "sm:w-28",
    cell: (execution) => (
      <>
        <Link to="/executions/$id" params={{ id: execution.id }} className="font-medium hover:underline">
          <Time at={execution.runAt} />
        </Link>
        {/* A narrow screen has no room for columns of these. */}
        <div className="text-muted text-xs sm:hidden">
          {execution.durationMs !== null && <Duration ms={execution.durationMs} />}
          <Why execution={execution} />
        </div>
      </>
    ),
  },
  {
    key: "why",
    header: "Why",
    className: "hidden sm:table-cell",
    cell: (execution) => <Why execution={execution} />,
  },
  { key: "trigger", header: "Trigger", className: "hidden w-24 md:table-cell", cell: ({ trigger }) => trigger },
  {
    key: "attempt",
    header: "Attempts",
    className: "hidden w-20 text-right lg:table-cell",
    cell: ({ attempt }) => attempt,
  },
  {
    key: "lateness",
    header: "Late by",
    className: "hidden w-24 text-right lg:table-cell",
    cell: ({ latenessMs }) => <Duration ms={latenessMs} />,
  },
  {
    key: "duration",
    header: "Duration",
    className: "hidden w-24 text-right sm:table-cell",
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
];

/** The same where there is less room. */
export const FEW_EXECUTION_COLUMNS = EXECUTION_COLUMNS.filter(({ key }) => key !== "trigger" && key !== "attempt");

export function executionId({ id }: Execution): string {
  return id;
}

export function executionName({ state, runAt }: Execution): string {
  return `the execution of ${runAt}, ${state}`;
}

function Why({ execution: { error, reason, key, retryOf, triggeredBy } }: { execution: Execution }) {
  const why = error?.message ?? reason?.message;
  if (why !== undefined)
    return (
      <span className="line-clamp-2 text-xs [overflow-wrap:anywhere]" title={why}>
        {why}
      </span>
    );
  const notes = [
    retryOf === null ? null : "run again",
    triggeredBy === null ? null : `by ${triggeredBy}`,
    key === null ? null : `key ${key}`,
  ].filter((note) => note !== null);
  return <span className="text-muted line-clamp-2 text-xs [overflow-wrap:anywhere]">{notes.join(", ")}</span>;
}
