import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import type { TimelineSearch } from "./search.ts";
import { windowOf } from "./timeline-window.ts";

const REFRESH_MS = 30_000;
const PAGE = 50;

/** The lanes that were read so far, and the stretch of time that all of them show. */
export function useTimeline({ span = "24h", at, q, tag }: TimelineSearch) {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ["timeline", { span, at, q, tag }],
    queryFn: ({ pageParam, signal }) => {
      const { from, to } = windowOf(span, at, Date.now());
      const page = { cursor: pageParam, limit: PAGE };
      return client.timeline({ from: new Date(from), to: new Date(to), q, tag, ...page }, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: useRefresh(REFRESH_MS),
  });
  const lanes = useMemo(() => query.data?.pages.flatMap(({ items }) => items), [query.data]);
  const first = query.data?.pages[0];
  const times = first && { from: Date.parse(first.from), to: Date.parse(first.to), now: Date.parse(first.now) };
  const more = () => {
    if (query.hasNextPage && !query.isFetching && !query.isFetchNextPageError) void query.fetchNextPage();
  };
  return { query, lanes, times, more };
}
