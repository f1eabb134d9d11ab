import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Execution, Page, PunctualClient } from "punctual/client";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useClient } from "../../api/session.tsx";
import { useLive } from "../../app/live-status.tsx";
import { asOnePage, NO_ROWS, newcomers, withNewcomers, withNews } from "../../ui/held-rows.ts";
import { type Filter, isFinal } from "./filter.ts";

const PAGE_ROWS = 100;
/** Rows further down that are read again one by one, in one go. */
const REREAD_MAX = 20;
/** Whoever has not scrolled has nothing under the pointer yet when the page opens. */
const AT_TOP_PX = 100;

type Held = InfiniteData<Page<Execution>, unknown>;

/** Executions that match, newest or oldest first: they hold still, and what is new is counted until it is asked for. */
export function useHeldExecutions(filter: Filter, { order, enabled }: { order: "asc" | "desc"; enabled: boolean }) {
  const client = useClient();
  const queries = useQueryClient();
  // Not one of the kinds that events read again: that would move the rows.
  const key = useMemo(() => ["held executions", filter, order], [filter, order]);
  const held = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      client.executions.list({ ...filter, order, limit: PAGE_ROWS, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    enabled,
  });
  const list = useMemo(() => asOnePage(held.data?.pages ?? []), [held.data]);
  const change = useCallback(
    (next: (list: Page<Execution>) => Page<Execution>) =>
      queries.setQueryData<Held>(key, (data) => {
        if (data === undefined) return data;
        const before = asOnePage(data.pages);
        const after = next(before);
        return after === before ? data : { pages: [after], pageParams: [undefined] };
      }),
    [queries, key],
  );

  const latest = useRef(list);
  latest.current = list;
  const touched = useTouched();
  const news = useQuery({
    queryKey: ["executions", "news", filter, order],
    queryFn: async ({ signal }) => {
      // Oldest first, what is new comes at the end, where nobody is moved by it.
      const newest =
        order === "desc" ? await client.executions.list({ ...filter, limit: PAGE_ROWS }, { signal }) : NO_ROWS;
      return { newest, again: await reread(client, touched.take(latest.current.items, newest), signal) };
    },
    enabled: enabled && held.isSuccess && !held.isPlaceholderData,
    // What was too much for one go follows.
    refetchInterval: () => (touched.isEmpty() ? false : 1_000),
  });
  // What was found under other filters says nothing about these rows.
  const found = news.isPlaceholderData || held.isPlaceholderData ? undefined : news.data;
  const isFirst = useRef(true);
  useEffect(() => {
    if (found === undefined) return;
    const { newest, again } = found;
    const takesAll = latest.current.items.length === 0 || (isFirst.current && window.scrollY < AT_TOP_PX);
    isFirst.current = false;
    change((before) => {
      const rows = withNews(before.items, [...newest.items, ...again]);
      const after = rows === before.items ? before : { ...before, items: [...rows] };
      return takesAll && newcomers(after, newest).rows.length > 0 ? withNewcomers(after, newest, () => true) : after;
    });
  }, [found, change]);

  const newest = found?.newest ?? NO_ROWS;
  return {
    ...held,
    rows: list.items,
    waiting: useMemo(() => newcomers(list, newest), [list, newest]),
    /** Puts in what is new; of what fits no more only those in `chosen` stay. */
    takeIn: (chosen: ReadonlySet<string>) =>
      change((before) =>
        withNewcomers(before, newest, ({ id, state }) => {
          return filter.state === undefined || state === filter.state || chosen.has(id);
        }),
      ),
  };
}

/** Which executions events spoke of since they were last read. What is final does not change any more. */
function useTouched() {
  const live = useLive();
  const store = useRef({ all: true, ids: new Set<string>() });
  useEffect(
    () =>
      live.onBatch(({ reset, events }) => {
        if (reset) store.current.all = true;
        for (const { data } of events) if (data.executionId !== undefined) store.current.ids.add(data.executionId);
      }),
    [live],
  );
  return useMemo(
    () => ({
      isEmpty: () => store.current.ids.size === 0,
      /** Ids of rows to be read again, apart from those that were read just now. */
      take(rows: readonly Execution[], newest: Page<Execution>): string[] {
        const { all, ids } = store.current;
        const read = new Set(newest.items.map(({ id }) => id));
        const wanted = rows
          .filter(({ id, state }) => !isFinal(state) && !read.has(id) && (all || ids.has(id)))
          .map(({ id }) => id);
        store.current = { all: false, ids: new Set(wanted.slice(REREAD_MAX)) };
        return wanted.slice(0, REREAD_MAX);
      },
    }),
    [],
  );
}

async function reread(client: PunctualClient, ids: readonly string[], signal: AbortSignal): Promise<Execution[]> {
  const found = await Promise.allSettled(ids.map((id) => client.executions.get(id, { signal })));
  // One that is gone stays as it was last seen.
  return found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}
