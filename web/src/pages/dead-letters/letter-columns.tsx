import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronRight, RotateCcw, Trash2 } from "lucide-react";
import type { DeadLetter, DeadLetterGroup } from "punctual/client";
import { Button, IconButton } from "../../ui/button.tsx";
import { numberText } from "../../ui/counted.ts";
import type { Column } from "../../ui/data-table.tsx";
import { FullTime, Time } from "../../ui/time.tsx";
import type { Action } from "./letter-actions.ts";
import type { Row } from "./use-letters.ts";

interface RowControls {
  toggle: (group: string) => void;
  /** null: the person may only look, or there is nothing left to be done with these. */
  act: ((action: Action, row: Row) => void) | null;
}

export function letterColumns({ toggle, act }: RowControls): Column<Row>[] {
  return [
    {
      key: "error",
      header: "Error",
      cell: (row) => {
        if (row.kind === "group") return <GroupCell group={row.group} isOpen={row.isOpen} toggle={toggle} />;
        return row.kind === "letter" ? <LetterCell letter={row.letter} /> : <MoreCell row={row} />;
      },
    },
    {
      key: "job",
      header: "Job",
      className: "hidden w-44 md:table-cell",
      cell: (row) => row.kind === "group" && <JobLink {...row.group} />,
    },
    {
      key: "count",
      header: "Count",
      className: "w-16 text-right",
      cell: (row) => row.kind === "group" && numberText(row.group.count),
    },
    {
      key: "first",
      header: "First",
      className: "hidden w-24 lg:table-cell",
      cell: (row) => row.kind === "group" && <Time at={row.group.firstAt} />,
    },
    {
      key: "last",
      header: "Last",
      className: "hidden w-24 sm:table-cell",
      cell: (row) => row.kind === "group" && <Time at={row.group.lastAt} />,
    },
    ...(act === null
      ? []
      : [
          {
            key: "actions",
            header: <span className="sr-only">Actions</span>,
            className: "w-22 text-right",
            cell: (row: Row) => row.kind !== "more" && <RowActions row={row} act={act} />,
          },
        ]),
  ];
}

function GroupCell({
  group: { group, error, jobId, jobName },
  isOpen,
  toggle,
}: {
  group: DeadLetterGroup;
  isOpen: boolean;
  toggle: (group: string) => void;
}) {
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => toggle(group)}
        className="flex w-full min-w-0 items-start gap-1.5 text-left"
      >
        <Chevron aria-hidden className="text-muted mt-0.5 size-4 shrink-0" />
        <span className="min-w-0">
          <span className="line-clamp-2 font-medium [overflow-wrap:anywhere]">
            {error?.message ?? "No error was told."}
          </span>
          <span className="text-muted font-mono text-xs">{error?.code ?? "none"}</span>
        </span>
      </button>
      <div className="pl-5.5 text-xs md:hidden">
        <JobLink jobId={jobId} jobName={jobName} />
      </div>
    </div>
  );
}

function JobLink({ jobId, jobName }: Pick<DeadLetterGroup, "jobId" | "jobName">) {
  return (
    <Link
      to="/jobs/$job"
      params={{ job: jobId }}
      className="text-accent block truncate leading-6 underline-offset-2 hover:underline"
    >
      {jobName}
    </Link>
  );
}

function LetterCell({ letter: { id, error, reason, execution, createdAt, ...letter } }: { letter: DeadLetter }) {
  return (
    <div className="min-w-0 gap-x-4 pl-5.5 md:flex md:flex-wrap md:items-baseline">
      <Link to="/executions/$id" params={{ id }} className="text-accent shrink-0 underline-offset-2 hover:underline">
        <span className="sr-only">Execution that failed </span>
        <FullTime at={createdAt} />
      </Link>
      <span className="text-muted block min-w-0 grow basis-60 truncate text-xs">
        {reason?.message ?? error?.message ?? `attempt ${execution.attempt}`}
      </span>
      <Handled {...letter} />
    </div>
  );
}

/** What became of it: by whom, when, and as which execution it ran again. */
function Handled({
  status,
  handledAt,
  handledBy,
  retriedAs,
}: Omit<DeadLetter, "id" | "error" | "reason" | "execution" | "createdAt">) {
  if (status === "open" || handledAt === null) return null;
  return (
    <span className="text-muted block basis-full text-xs [overflow-wrap:anywhere]">
      {status === "retried" ? "Run again" : "Discarded"}
      {handledBy !== null && ` by ${handledBy}`}, <Time at={handledAt} />
      {retriedAs !== null && (
        <>
          {" as "}
          <Link
            to="/executions/$id"
            params={{ id: retriedAs }}
            className="text-accent font-mono underline-offset-2 hover:underline"
          >
            {retriedAs}
          </Link>
        </>
      )}
    </span>
  );
}

function MoreCell({ row: { text, act } }: { row: Extract<Row, { kind: "more" }> }) {
  if (act === null) return <p className="text-muted pl-5.5">{text}</p>;
  return (
    <div className="pl-5.5">
      <Button size="small" onClick={act}>
        {text}
      </Button>
    </div>
  );
}

function RowActions({ row, act }: { row: Row; act: (action: Action, row: Row) => void }) {
  const what = row.kind === "group" ? "all of this group" : "this one";
  return (
    <div className="flex justify-end gap-1">
      <IconButton
        size="small"
        label={`Retry ${what}`}
        icon={<RotateCcw aria-hidden className="size-4" />}
        onClick={() => act("retry", row)}
      />
      <IconButton
        size="small"
        label={`Discard ${what}`}
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={() => act("discard", row)}
      />
    </div>
  );
}
