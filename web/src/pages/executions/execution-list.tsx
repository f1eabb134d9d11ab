import { ArrowUp } from "lucide-react";
import type { Execution } from "punctual/client";
import { useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { numberText } from "../../ui/counted.ts";
import type { CountedAction } from "../../ui/counted-action.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { ActionIcon } from "./action-icon.tsx";
import { withChosen } from "./bulk-actions.ts";
import { EXECUTION_COLUMNS } from "./columns.tsx";
import type { Filter } from "./filter.ts";
import { useHeldExecutions } from "./use-held-executions.ts";

interface ExecutionListProps {
  filter: Filter;
  order: "asc" | "desc";
  act: (action: CountedAction | null) => void;
}

/** The list itself: it holds still, and says what is new. */
export function ExecutionList({ filter, order, act }: ExecutionListProps) {
  const client = useClient();
  const mayOperate = useMay("operate");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const held = useHeldExecutions(filter, { order, enabled: true });
  const { rows, waiting, hasNextPage, isFetchingNextPage, fetchNextPage } = held;
  const doWith = (action: "retry" | "cancel") => (row: Execution) => act(withChosen(client, action, [row]));
  const takeIn = () => {
    held.takeIn(chosen);
    window.scrollTo({ top: 0 });
  };
  if (held.isPending)
    return (
      <Card>
        <Loading rows={8} />
      </Card>
    );
  if (held.isError && rows.length === 0)
    return (
      <Card>
        <Failure error={held.error} retry={() => void held.refetch()} />
      </Card>
    );
  if (rows.length === 0) return <NoExecutions filter={filter} />;
  return (
    <div className="flex flex-col gap-2">
      <NewcomersButton count={waiting.rows.length} more={waiting.more} onPress={takeIn} />
      <Card flush>
        <DataTable
          label="Executions"
          columns={EXECUTION_COLUMNS}
          rows={rows}
          idOf={({ id }) => id}
          nameOf={({ jobName, scheduledAt }) => `${jobName} at ${scheduledAt}`}
          selection={mayOperate ? { chosen, change: setChosen } : undefined}
          onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
          shortcuts={
            mayOperate
              ? [
                  { key: "r", about: "Run the row's execution again", act: doWith("retry") },
                  { key: "c", about: "Cancel the row's execution", act: doWith("cancel") },
                ]
              : []
          }
        />
        {isFetchingNextPage && <Loading rows={2} />}
      </Card>
      {held.isFetchNextPageError && (
        <Notice tone="bad" role="alert">
          The rows further down could not be read.{" "}
          <Button size="small" onClick={() => void fetchNextPage()}>
            Try again
          </Button>
        </Notice>
      )}
      {chosen.size > 0 && (
        <ChosenBar
          rows={rows.filter(({ id }) => chosen.has(id))}
          clear={() => setChosen(new Set())}
          act={(action) => act(action)}
        />
      )}
    </div>
  );
}

/** What is new waits here: the rows below do not move by themselves. */
function NewcomersButton({ count, more, onPress }: { count: number; more: boolean; onPress: () => void }) {
  return (
    <div
      role="status"
      className="pointer-events-none sticky top-14 z-20 -mb-2 flex h-0 justify-center lg:justify-end lg:pr-3"
    >
      {count > 0 && (
        <Button
          look="primary"
          size="small"
          className="pointer-events-auto translate-y-0.5 !rounded-full shadow-md"
          icon={<ArrowUp aria-hidden className="size-3.5" />}
          onClick={onPress}
        >
          {numberText(count)}
          {more && "+"} new
        </Button>
      )}
    </div>
  );
}

function ChosenBar({
  rows,
  clear,
  act,
}: {
  rows: readonly Execution[];
  clear: () => void;
  act: (action: CountedAction) => void;
}) {
  const client = useClient();
  const [retry, cancel] = [withChosen(client, "retry", rows), withChosen(client, "cancel", rows)];
  return (
    <section
      aria-label="Chosen executions"
      className="bg-surface border-line sticky bottom-3 z-20 mx-auto flex flex-wrap items-center gap-2 rounded-lg border px-3 py-2 shadow-lg"
    >
      <span className="px-1 font-medium">{numberText(rows.length)} chosen</span>
      {retry && (
        <Button size="small" icon={<ActionIcon action="retry" />} onClick={() => act(retry)}>
          Retry
        </Button>
      )}
      {cancel && (
        <Button size="small" icon={<ActionIcon action="cancel" />} onClick={() => act(cancel)}>
          Cancel
        </Button>
      )}
      <Button look="quiet" size="small" onClick={clear}>
        Choose none
      </Button>
    </section>
  );
}

function NoExecutions({ filter }: { filter: Filter }) {
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Card>
      {isFiltered ? (
        <Empty title="No execution matches.">
          <p>New ones appear here as soon as they match.</p>
        </Empty>
      ) : (
        <Empty title="Nothing has run yet.">
          <p>Every run of a job, by its schedule or by hand, appears here at the moment it is planned.</p>
        </Empty>
      )}
    </Card>
  );
}
