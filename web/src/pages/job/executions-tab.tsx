// The job's executions, newest first. The list follows what happens only while nobody is in it: rows do not move under the pointer
// or the focus, and somebody who went further down is not thrown back. What became of the rows is shown all the same, and how many
// newer ones there are is said beside the heading.

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { Job } from "punctual/client";
import { useCallback, useMemo, useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty, errorText, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { shortText, useZone } from "../../ui/zone.ts";
import { EXECUTION_TABS } from "../executions/search.ts";
import { EXECUTION_COLUMNS, executionId, executionName } from "./execution-columns.tsx";
import { held } from "./held-rows.ts";
import type { JobSearch } from "./search.ts";

const route = getRouteApi("/jobs/$job");

/** More than the highest screen shows: what is at the top follows what happens only while it is the only page. */
const PAGE = 100;

type Filter = Pick<JobSearch, "state" | "from" | "to">;

export function ExecutionsTab({ job }: { job: Job }) {
  const { state, from, to } = route.useSearch();
  const filter = { ...(state ? { state } : {}), ...(from ? { from } : {}), ...(to ? { to } : {}) };
  return (
    <div className="flex flex-col gap-3">
      <StateLinks job={job} filter={filter} />
      <Span filter={filter} />
      {/* Anew for another filter: the list begins at its top. */}
      <List key={JSON.stringify(filter)} job={job} filter={filter} />
    </div>
  );
}

function List({ job, filter }: { job: Job; filter: Filter }) {
  const client = useClient();
  const queries = useQueryClient();
  const [isInside, setInside] = useState(false);
  const [pages, setPages] = useState(1);
  const rests = isInside || pages > 1;
  const queryKey = ["executions", "of", job.id, filter];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      client.jobs.executions(
        job.id,
        { ...filter, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: !rests,
  });
  const newest = useQuery({
    queryKey: ["executions", "newest of", job.id, filter],
    queryFn: ({ signal }) => client.jobs.executions(job.id, { ...filter, limit: PAGE }, { signal }),
    enabled: rests,
  });
  const { fetchNextPage, hasNextPage, isFetching } = list;
  const more = useCallback(() => {
    if (!hasNextPage || isFetching) return;
    setPages((before) => before + 1);
    void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching]);
  const showNewest = () => {
    setPages(1);
    scrollTo({ top: 0 });
    void queries.resetQueries({ queryKey, exact: true });
  };
  const read = useMemo(() => list.data?.pages.flatMap(({ items }) => items), [list.data]);
  // What was read while the list rested before says nothing about now.
  const news = rests && newest.dataUpdatedAt > list.dataUpdatedAt ? newest.data?.items : undefined;
  const { rows, unseen } = useMemo(() => held(read ?? [], news ?? []), [read, news]);
  if (read === undefined)
    return list.error === null ? <Loading /> : <Failure error={list.error} retry={() => void list.refetch()} />;
  return (
    <Card
      flush
      title="Executions"
      aside={
        unseen > 0 && (
          <Button size="small" onClick={showNewest}>
            {newText(unseen)}
          </Button>
        )
      }
    >
      {list.error !== null && <Notice tone="bad">{errorText(list.error)}</Notice>}
      {rows.length === 0 ? (
        <Nothing filter={filter} />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: it does nothing but notice that somebody is in it
        <div
          onPointerEnter={() => setInside(true)}
          onPointerLeave={() => setInside(false)}
          onFocus={() => setInside(true)}
          onBlur={() => setInside(false)}
        >
          <DataTable
            label={`Executions of ${job.name}`}
            columns={EXECUTION_COLUMNS}
            rows={rows}
            idOf={executionId}
            nameOf={executionName}
            onEnd={more}
          />
        </div>
      )}
    </Card>
  );
}

/** Of a whole page that is new, it is not known how much more there is. */
function newText(unseen: number): string {
  return `${unseen}${unseen >= PAGE ? "+" : ""} new: show ${unseen === 1 ? "it" : "them"}`;
}

function Nothing({ filter }: { filter: Filter }) {
  if (Object.keys(filter).length === 0)
    return (
      <Empty title="It has not run yet.">
        <p>When its time comes or somebody runs it, what became of it is here.</p>
      </Empty>
    );
  return (
    <Empty title="None are like that.">
      <Link from="/jobs/$job" to="." search={{ tab: "executions" }} className="text-accent underline">
        Show all of them
      </Link>
    </Empty>
  );
}

function StateLinks({ job, filter }: { job: Job; filter: Filter }) {
  const client = useClient();
  const { state: current, ...span } = filter;
  const { data } = useQuery({
    queryKey: ["executions", "counts of", job.id, span],
    queryFn: ({ signal }) => client.executions.counts({ jobId: job.id, ...span }, { signal }),
  });
  const total = data && EXECUTION_TABS.reduce((sum, state) => sum + data[state], 0);
  const countText = (count: number | undefined) => (count === undefined ? "" : count.toLocaleString("en-GB"));
  return (
    <nav aria-label="States" className="flex flex-wrap gap-1.5">
      {([undefined, ...EXECUTION_TABS] as const).map((state) => (
        <Link
          key={state ?? "all"}
          from="/jobs/$job"
          to="."
          search={(before) => {
            const { state: _left, ...rest } = before;
            return { ...rest, ...(state ? { state } : {}) };
          }}
          replace
          resetScroll={false}
          aria-current={state === current ? "true" : undefined}
          className={cx(
            "border-line rounded-full border px-2.5 py-0.5 text-xs",
            state === current ? "bg-ink text-canvas border-transparent font-medium" : "bg-surface hover:bg-raised",
          )}
        >
          {state ?? "all"}{" "}
          <span className={state === current ? "" : "text-muted"}>
            {countText(state === undefined ? total : data?.[state])}
            {data?.complete === false && state === undefined ? "+" : ""}
          </span>
        </Link>
      ))}
    </nav>
  );
}

/** From when to when, where only a stretch of time is listed. */
function Span({ filter: { from, to } }: { filter: Filter }) {
  const zone = useZone();
  if (from === undefined && to === undefined) return null;
  const parts = [
    from === undefined ? "" : `from ${shortText(new Date(from), zone)}`,
    to === undefined ? "" : `until ${shortText(new Date(to), zone)}`,
  ];
  return (
    <p className="flex flex-wrap items-center gap-2">
      <span className="text-muted">Only {parts.filter(Boolean).join(" ")}</span>
      <Link
        from="/jobs/$job"
        to="."
        search={(before) => {
          const { from: _from, to: _to, ...rest } = before;
          return rest;
        }}
        replace
        resetScroll={false}
        className="text-accent inline-flex items-center gap-1 text-xs hover:underline"
      >
        <X aria-hidden className="size-3" /> Of all times
      </Link>
    </p>
  );
}
