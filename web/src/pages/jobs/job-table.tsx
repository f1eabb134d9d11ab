import { Link, useNavigate } from "@tanstack/react-router";
import type { Job, JobCounts, JobQuery } from "punctual/client";
import { useMemo, useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { numberText } from "../../ui/counted.ts";
import { type CountedAction, CountedActionDialog } from "../../ui/counted-action.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { useIsNarrow } from "../../ui/narrow.ts";
import { Empty, errorText, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { clockText, useZone } from "../../ui/zone.ts";
import { bulkAction } from "./bulk-actions.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { jobColumns } from "./job-columns.tsx";
import { countOf, countText } from "./job-tabs.tsx";
import { type JobsSearch, ORDER_PRESET } from "./search.ts";
import { useChosenJobs } from "./use-chosen-jobs.ts";
import { canPauseOrResume, canRun, type JobActions, useJobActions } from "./use-job-actions.ts";
import { useJobList } from "./use-job-list.ts";

export function JobTable({
  search,
  counts,
  isCounting,
}: {
  search: JobsSearch;
  counts: JobCounts | undefined;
  /** Whether there are any jobs at all is about to be known. */
  isCounting: boolean;
}) {
  const mayOperate = useMay("operate");
  const isNarrow = useIsNarrow();
  const actions = useJobActions();
  const filter = useFilter(search);
  const { jobs, list, more, next, onEnd, onSight } = useJobList(filter);
  const { rows, matching, choice, selection, chooseMatching, clear } = useChosenJobs(search, jobs ?? []);
  const client = useClient();
  const [plan, setPlan] = useState<CountedAction | null>(null);
  const columns = useMemo(() => {
    const onDelete = (job: Job) => setPlan(bulkAction(client, "delete", { kind: "rows", jobs: [job] }));
    return jobColumns({ sort: search.sort, isNarrow, menu: mayOperate ? { actions, onDelete } : null });
  }, [search.sort, isNarrow, actions, mayOperate, client]);
  const shortcuts = useRowKeys(actions);
  if (jobs === undefined || (jobs.length === 0 && isCounting))
    return (
      <Card flush>
        {list.isError ? <Failure error={list.error} retry={() => void list.refetch()} /> : <Loading rows={12} />}
      </Card>
    );
  const mayChoose = mayOperate && search.state !== "deleted";
  return (
    <>
      {list.isError && <OldList error={list.error} at={list.dataUpdatedAt} />}
      {mayChoose && rows.length > 0 && (
        <BulkBar
          said={
            matching
              ? `All ${counts ? countText(counts, search.state) : ""} that match are chosen`
              : `${numberText(rows.length)} chosen`
          }
          chooseAll={
            !matching && counts && rows.length === jobs.length && countOf(counts, search.state) > rows.length
              ? { text: `Choose all ${countText(counts, search.state)} that match`, act: chooseMatching }
              : null
          }
          onAct={(action) => setPlan(bulkAction(client, action, choice))}
          onClear={clear}
        />
      )}
      <p role="status" className="sr-only">
        {counts &&
          `${countText(counts, search.state)} ${countOf(counts, search.state) === 1 ? "job matches" : "jobs match"}`}
      </p>
      <Card flush className={list.isPlaceholderData ? "opacity-60" : undefined}>
        {jobs.length === 0 ? (
          <NothingMatches search={search} />
        ) : (
          <DataTable
            label="Jobs"
            columns={columns}
            rows={jobs}
            idOf={idOf}
            nameOf={nameOf}
            selection={mayChoose ? selection : undefined}
            onEnd={onEnd}
            onSight={onSight}
            shortcuts={shortcuts}
          />
        )}
        {next !== null && <MoreToCome error={more.error} retry={() => more.mutate(next)} />}
      </Card>
      {plan && <CountedActionDialog action={plan} onClose={() => setPlan(null)} onDone={clear} />}
    </>
  );
}

const idOf = ({ id }: Job) => id;
const nameOf = ({ name }: Job) => name;

function useFilter({ q, state, tag, source, sort = ORDER_PRESET }: JobsSearch): JobQuery {
  return useMemo(
    () => ({
      sort,
      ...(q === undefined ? {} : { q }),
      ...(state === undefined ? {} : { state: [state] }),
      ...(tag === undefined ? {} : { tag: [tag] }),
      ...(source === undefined ? {} : { source }),
    }),
    [q, state, tag, source, sort],
  );
}

function useRowKeys(actions: JobActions) {
  const mayOperate = useMay("operate");
  const mayWrite = useMay("write");
  const navigate = useNavigate();
  const run = { key: "r", about: "Run the job now", act: (job: Job) => canRun(job) && actions.run(job) };
  const pause = {
    key: "p",
    about: "Pause or resume the job",
    act: (job: Job) => canPauseOrResume(job) && actions.pauseOrResume(job),
  };
  const edit = {
    key: "e",
    about: "Edit the job",
    act: (job: Job) => job.state !== "deleted" && void navigate({ to: "/jobs/$job/edit", params: { job: job.id } }),
  };
  return [...(mayOperate ? [run, pause] : []), ...(mayWrite ? [edit] : [])];
}

function NothingMatches({ search }: { search: JobsSearch }) {
  const { state, q, tag, source } = search;
  const by = [q && `“${q}”`, tag && `the tag ${tag}`, source && `the source ${source}`].filter(Boolean).join(", ");
  if (by === "") return <Empty title={state === undefined ? "There are no jobs." : `No job is ${state}.`} />;
  return (
    <Empty title={`No ${state ?? ""} job matches ${by}.`.replace("  ", " ")}>
      <Link to="/jobs" search={state === undefined ? {} : { state }} className="text-accent underline">
        Show all
      </Link>
    </Empty>
  );
}

function OldList({ error, at }: { error: unknown; at: number }) {
  const zone = useZone();
  return (
    <Notice tone="warn" role="status">
      The list could not be read again: {errorText(error)} What is shown is from {clockText(new Date(at), zone)}.
    </Notice>
  );
}

function MoreToCome({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <div className="text-muted flex items-center justify-center gap-3 p-3">
      {error === null ? (
        <span role="status">Loading more…</span>
      ) : (
        <>
          <span role="alert">The rest could not be read: {errorText(error)}</span>
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        </>
      )}
    </div>
  );
}
