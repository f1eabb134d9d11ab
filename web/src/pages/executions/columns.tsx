import { Link } from "@tanstack/react-router";
import type { Execution } from "punctual/client";
import { useNow } from "../../ui/clock.ts";
import type { Column } from "../../ui/data-table.tsx";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { Duration, relativeText, Time } from "../../ui/time.tsx";
import { whyText } from "./why.ts";

export const EXECUTION_COLUMNS: readonly Column<Execution>[] = [
  {
    key: "state",
    header: "State",
    className: "hidden w-28 sm:table-cell",
    cell: ({ state }) => <ExecutionStateBadge state={state} />,
  },
  { key: "job", header: "Job", className: "lg:w-52", cell: (execution) => <JobCell execution={execution} /> },
  {
    key: "instant",
    header: "Instant",
    className: "w-24",
    cell: ({ scheduledAt }) => <Time at={scheduledAt} />,
  },
  {
    key: "late",
    header: "Late by",
    className: "hidden w-20 text-right md:table-cell",
    cell: ({ latenessMs }) => <Duration ms={latenessMs} />,
  },
  {
    key: "took",
    header: "Took",
    className: "hidden w-24 text-right sm:table-cell",
    cell: (execution) => <Took execution={execution} />,
  },
  {
    key: "attempt",
    header: "Attempt",
    className: "hidden w-20 text-right lg:table-cell",
    cell: ({ attempt }) => (attempt === 0 ? <span className="text-muted">–</span> : attempt),
  },
  {
    key: "trigger",
    header: "Trigger",
    className: "hidden w-24 lg:table-cell",
    cell: ({ trigger }) => <span className="text-muted">{trigger}</span>,
  },
  {
    key: "why",
    header: "Why",
    className: "hidden lg:table-cell",
    cell: (execution) => <Why execution={execution} />,
  },
];

/** The row's link. Where there is no room for a column, the reason stands below the name. */
function JobCell({ execution }: { execution: Execution }) {
  return (
    <div className="min-w-0">
      <Link
        to="/executions/$id"
        params={{ id: execution.id }}
        className="block truncate font-medium underline-offset-2 hover:underline"
      >
        {execution.jobName}
      </Link>
      <div className="mt-0.5 flex items-center gap-2 lg:hidden">
        <span className="sm:hidden">
          <ExecutionStateBadge state={execution.state} />
        </span>
        <Why execution={execution} />
      </div>
    </div>
  );
}

function Why({ execution }: { execution: Execution }) {
  const text = whyText(execution);
  if (execution.state === "retrying") return <NextAttempt at={execution.runAt} />;
  return text === "" ? null : (
    <span className="text-muted block truncate text-xs" title={text}>
      {text}
    </span>
  );
}

function NextAttempt({ at }: { at: string }) {
  const now = useNow();
  const ms = Date.parse(at) - now;
  return (
    <span className="text-muted block truncate text-xs">
      {ms > 0 ? `next attempt ${relativeText(ms)}` : "next attempt is due"}
    </span>
  );
}

/** Of one that runs: how long by now. */
function Took({ execution: { state, startedAt, durationMs } }: { execution: Execution }) {
  return state === "running" && startedAt !== null ? <SoFar since={startedAt} /> : <Duration ms={durationMs} />;
}

function SoFar({ since }: { since: string }) {
  const ms = useNow() - Date.parse(since);
  return <Duration ms={Math.max(0, Math.floor(ms / 1_000) * 1_000)} />;
}
