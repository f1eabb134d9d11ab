import type { UseQueryResult } from "@tanstack/react-query";
import { Check, CircleDashed, CircleHelp, X } from "lucide-react";
import type { HandlerView } from "punctual/client";
import { counted, numberText } from "../../ui/counted.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { TableCard } from "./table-card.tsx";

type Status = HandlerView["status"];

/** Those that need somebody come first. */
const ORDER: readonly Status[] = ["unserved", "unknown", "served", "unused"];

const LOOKS = {
  served: { icon: Check, tone: "ok" },
  unserved: { icon: X, tone: "bad" },
  unknown: { icon: CircleHelp, tone: "bad" },
  unused: { icon: CircleDashed, tone: "idle" },
} as const satisfies Record<Status, object>;

const COLUMNS: readonly Column<HandlerView>[] = [
  {
    key: "name",
    header: "Handler",
    cell: (handler) => <TwoLines first={handler.name} second={<WhatToDo handler={handler} />} />,
  },
  { key: "status", header: "Status", className: "w-28", cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: "offered",
    header: "Offered by",
    className: "hidden w-40 md:table-cell",
    cell: ({ workers, slots }) => `${counted(workers, "worker")}, ${counted(slots, "slot")}`,
  },
  {
    key: "jobs",
    header: "Wanted by",
    className: "hidden w-24 sm:table-cell",
    cell: ({ jobs }) => counted(jobs, "job"),
  },
  {
    key: "waiting",
    header: "Waiting",
    className: "w-28 text-right",
    cell: ({ waiting, oldestDueAt }) => (
      <>
        {numberText(waiting)}
        {waiting >= COUNTED_MAX && " or more"}
        {oldestDueAt !== null && (
          <div className="text-muted text-xs">
            oldest <Time at={oldestDueAt} />
          </div>
        )}
      </>
    ),
  },
];

/** Counting ends there. */
const COUNTED_MAX = 10_000;

/** What jobs want done by workers, and who offers it. */
export function HandlersCard({ handlers }: { handlers: UseQueryResult<HandlerView[]> }) {
  const { data, error, refetch } = handlers;
  const sorted = data?.toSorted(
    (a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || (a.name < b.name ? -1 : 1),
  );
  return (
    <TableCard
      title="Handlers"
      reading={{ data: sorted, error, refetch } as typeof handlers}
      columns={COLUMNS}
      idOf={({ name }) => name}
      empty={
        <Empty title="No job wants a worker, and none offers anything.">
          <p>
            A job whose target is a worker names a handler, and any worker that offers it does the work. Jobs that call
            an address need none.
          </p>
        </Empty>
      }
    />
  );
}

function StatusBadge({ status }: { status: Status }) {
  return <Badge {...(LOOKS[status] ?? { icon: CircleDashed, tone: "idle" })} text={status} />;
}

function WhatToDo({ handler: { status, lastSeenAt } }: { handler: HandlerView }) {
  if (status === "unserved")
    return (
      <>
        Start a worker that offers it
        {lastSeenAt !== null && (
          <>
            ; last seen <Time at={lastSeenAt} />
          </>
        )}
        .
      </>
    );
  if (status === "unknown") return "No worker has ever offered it: is it spelt as in the worker?";
  if (status === "unused") return "Offered, but no job wants it.";
  return undefined;
}
