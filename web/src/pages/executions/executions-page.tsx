import { getRouteApi } from "@tanstack/react-router";
import { ArrowUp, Ban, ChevronDown, RotateCcw } from "lucide-react";
import type { Execution } from "punctual/client";
import { useMemo, useRef, useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { type CountedAction, CountedActionDialog } from "../../ui/counted-action.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Empty, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { present } from "../../ui/search-values.ts";
import { possibleActions, withChosen, withMatching } from "./bulk-actions.ts";
import { EXECUTION_COLUMNS } from "./columns.tsx";
import { ExecutionFilters } from "./execution-filters.tsx";
import { type Filter, filterOf } from "./filter.ts";
import { StateTabs } from "./state-tabs.tsx";
import { useHeldExecutions } from "./use-held-executions.ts";
import { useNamedJob } from "./use-named-job.ts";

const route = getRouteApi("/executions");

/** What ran, what did not, and why: newest first, and live. */
export function ExecutionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { job, isUnknown, filter } = useFilter();
  const first = useRef<HTMLInputElement>(null);
  const mayOperate = useMay("operate");
  const [action, setAction] = useState<CountedAction | null>(null);
  useShortcuts([{ key: "/", about: "Filter", act: () => first.current?.focus() }]);
  return (
    <Page
      title="Executions"
      actions={mayOperate && filter !== null && <MatchingMenu filter={filter} act={setAction} />}
    >
      <StateTabs search={search} filter={filter ?? {}} enabled={filter !== null} />
      <ExecutionFilters
        search={search}
        jobName={job?.name}
        first={first}
        change={(changes) =>
          void navigate({ search: (before) => present({ ...before, ...changes }), replace: true, resetScroll: false })
        }
      />
      {isUnknown ? (
        <Card>
          <Empty title={`There is no job "${search.job}".`}>
            <p>It may have been deleted. Its executions are found by its id, or without the filter.</p>
          </Empty>
        </Card>
      ) : filter === null ? (
        <Card>
          <Loading />
        </Card>
      ) : (
        <List filter={filter} order={search.order ?? "desc"} act={setAction} />
      )}
      {action && <CountedActionDialog action={action} onClose={() => setAction(null)} />}
    </Page>
  );
}

/** null: the job that the address names is not known yet. */
function useFilter() {
  const search = route.useSearch();
  const { job, isUnknown, isKnown } = useNamedJob(search.job);
  const jobId = job?.id;
  const filter = useMemo(() => (isKnown ? filterOf(search, jobId, Date.now()) : null), [search, jobId, isKnown]);
  return { job, isUnknown, filter };
}

function MatchingMenu({ filter, act }: { filter: Filter; act: (action: CountedAction) => void }) {
  const client = useClient();
  return (
    <Menu trigger={<Button icon={<ChevronDown aria-hidden className="size-4" />}>All that match</Button>}>
      {possibleActions(filter).map((action) => (
        <MenuItem
          key={action}
          danger={action === "cancel"}
          icon={action === "retry" ? <RetryIcon /> : <CancelIcon />}
          onSelect={() => act(withMatching(client, action, filter))}
        >
          {action === "retry" ? "Run all again…" : "Cancel all…"}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface ListProps {
  filter: Filter;
  order: "asc" | "desc";
  act: (action: CountedAction | null) => void;
}

function List({ filter, order, act }: ListProps) {
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
    <div role="status" className="pointer-events-none sticky top-14 z-20 -mb-2 flex h-0 justify-center">
      {count > 0 && (
        <Button
          look="primary"
          size="small"
          className="pointer-events-auto -translate-y-1/2 !rounded-full shadow-md"
          icon={<ArrowUp aria-hidden className="size-3.5" />}
          onClick={onPress}
        >
          {count.toLocaleString("en-GB")}
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
      <span className="px-1 font-medium">{rows.length.toLocaleString("en-GB")} chosen</span>
      {retry && (
        <Button size="small" icon={<RetryIcon />} onClick={() => act(retry)}>
          Retry
        </Button>
      )}
      {cancel && (
        <Button size="small" icon={<CancelIcon />} onClick={() => act(cancel)}>
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

function RetryIcon() {
  return <RotateCcw aria-hidden className="size-3.5" />;
}

function CancelIcon() {
  return <Ban aria-hidden className="size-3.5" />;
}
