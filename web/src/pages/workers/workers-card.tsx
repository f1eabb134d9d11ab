import { type UseQueryResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, CirclePause, X } from "lucide-react";
import type { WorkerView } from "punctual/client";
import { useMemo, useState } from "react";
import { readAgain } from "../../api/queries.ts";
import { useClient, useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";
import { FirstWorker } from "./first-worker.tsx";
import { TableCard } from "./table-card.tsx";

const KINDS: Record<WorkerView["kind"], string> = { remote: "over HTTP", library: "in your program" };

/** The processes that offer handlers. */
export function WorkersCard({ workers }: { workers: UseQueryResult<WorkerView[]> }) {
  const mayDrain = useMay("operate");
  const [draining, setDraining] = useState<WorkerView | null>(null);
  const columns = useMemo(() => [...COLUMNS, ...(mayDrain ? [drainColumn(setDraining)] : [])], [mayDrain]);
  return (
    <>
      <TableCard title="Workers" reading={workers} columns={columns} idOf={({ id }) => id} empty={<FirstWorker />} />
      {draining !== null && <Drain worker={draining} onClose={() => setDraining(null)} />}
    </>
  );
}

const COLUMNS: readonly Column<WorkerView>[] = [
  {
    key: "name",
    header: "Worker",
    cell: ({ name, id, kind, handlers }) => (
      <TwoLines
        first={name}
        second={
          <>
            {KINDS[kind] ?? kind}
            {id !== name && <span className="hidden sm:inline">, {id}</span>}
            <span className="block md:hidden">{handlers.map((each) => `${each.name} × ${each.slots}`).join(", ")}</span>
          </>
        }
      />
    ),
  },
  { key: "state", header: "State", className: "w-24 sm:w-28", cell: (worker) => <WorkerState worker={worker} /> },
  {
    key: "handlers",
    header: "Offers",
    className: "hidden md:table-cell",
    cell: ({ handlers }) => (
      <ul className="flex flex-wrap gap-x-3">
        {handlers.map(({ name, slots }) => (
          <li key={name} className="[overflow-wrap:anywhere]">
            {name} <span className="text-muted">× {slots}</span>
          </li>
        ))}
      </ul>
    ),
  },
  { key: "running", header: "Running", className: "w-16 sm:w-20 text-right", cell: ({ running }) => running },
  {
    key: "heard",
    header: "Heartbeat",
    className: "hidden w-28 text-right sm:table-cell",
    cell: ({ renewedAt }) => <Time at={renewedAt} />,
  },
  {
    key: "started",
    header: "Started",
    className: "hidden w-28 text-right lg:table-cell",
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
];

function drainColumn(choose: (worker: WorkerView) => void): Column<WorkerView> {
  return {
    key: "actions",
    header: <span className="sr-only">Actions</span>,
    className: "w-20 text-right",
    cell: (worker) =>
      worker.alive &&
      !worker.draining && (
        <Button size="small" aria-label={`Drain ${worker.name}`} onClick={() => choose(worker)}>
          Drain
        </Button>
      ),
  };
}

function WorkerState({ worker: { alive, draining } }: { worker: WorkerView }) {
  if (!alive) return <Badge icon={X} tone="bad" text="lost" />;
  if (draining) return <Badge icon={CirclePause} tone="warn" text="draining" />;
  return <Badge icon={Check} tone="ok" text="ready" />;
}

function Drain({ worker, onClose }: { worker: WorkerView; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const drain = useMutation({
    mutationFn: () => client.workers.drain(worker.id),
    onSuccess: () => {
      readAgain(queries, "workers");
      tell(`${worker.name} takes nothing more.`);
      onClose();
    },
    onError: (error) => tellFailure(`${worker.name} was not asked to drain`, error),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Drain ${worker.name}?`}
      about="It takes nothing more, finishes what runs, and leaves. To have it back, start it again."
    >
      <p>{worker.running === 0 ? "Nothing runs in it now." : `${worker.running} running now are finished first.`}</p>
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={drain.isPending} onClick={() => drain.mutate()}>
          Drain
        </Button>
      </Actions>
    </Dialog>
  );
}
