// The job's executions, newest first. The list follows what happens only while nobody is in it: rows do not move under the pointer
// or the focus, and somebody who went further down is not thrown back. What became of the rows is shown all the same, and how many
// newer ones there are is said beside the heading.

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useCallback, useMemo, useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { asOnePage, type Newcomers, NO_ROWS, newcomers, withNews } from "../../ui/held-rows.ts";
import { Empty, errorText, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { EXECUTION_COLUMNS, executionId, executionName } from "./execution-columns.tsx";
import { type ExecutionsFilter, SpanNote, StateLinks } from "./executions-filter.tsx";

const route = getRouteApi("/jobs/$job");

/** More than the highest screen shows: what is at the top follows what happens only while it is the only page. */
const PAGE = 100;

export function ExecutionsTab({ job }: { job: Job }) {
  const { state, from, to } = route.useSearch();
  const filter = { ...(state ? { state } : {}), ...(from ? { from } : {}), ...(to ? { to } : {}) };
  return (
    <div className="flex flex-col gap-3">
      <StateLinks job={job} filter={filter} />
      <SpanNote filter={filter} />
      {/* Anew for another filter: the list begins at its top. */}
      <List key={JSON.stringify(filter)} job={job} filter={filter} />
    </div>
  );
}

function List({ job, filter }: { job: Job; filter: ExecutionsFilter }) {
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
  const read = useMemo(() => asOnePage(list.data?.pages ?? []), [list.data]);
  // What was read while the list rested before says nothing about now.
  const news = (rests && newest.dataUpdatedAt > list.dataUpdatedAt && newest.data) || NO_ROWS;
  const rows = useMemo(() => withNews(read.items, news.items), [read, news]);
  const waiting = useMemo(() => newcomers(read, news), [read, news]);
  if (list.data === undefined)
    return list.error === null ? <Loading /> : <Failure error={list.error} retry={() => void list.refetch()} />;
  return (
    <Card
      flush
      title="Executions"
      aside={
        waiting.rows.length > 0 && (
          <Button size="small" onClick={showNewest}>
            {newText(waiting)}
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

function newText({ rows: { length }, more }: Newcomers): string {
  return `${length}${more ? "+" : ""} new: show ${length === 1 ? "it" : "them"}`;
}

function Nothing({ filter }: { filter: ExecutionsFilter }) {
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
