import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { JobQuery } from "punctual/client";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useClient } from "../../api/session.tsx";
import { type JobPage, pagesOf, readAgain } from "./job-pages.ts";

const PAGE_SIZE = 100;
/** What is scrolled to and older than this is read again, once the scrolling has come to rest. */
const OLD_MS = 5_000;
const REST_MS = 300;

/** The jobs that match, as far as they were scrolled to; those in sight are up to date. */
export function useJobList(filter: JobQuery) {
  const client = useClient();
  const queries = useQueryClient();
  const sight = useRef({ first: 0, last: 0 });
  const key = useMemo(() => ["jobs", "list", filter] as const, [filter]);
  const read = async (cursor: string | null, signal?: AbortSignal): Promise<JobPage> => {
    const query: JobQuery = {
      ...filter,
      limit: PAGE_SIZE,
      include: ["recent"],
      ...(cursor === null ? {} : { cursor }),
    };
    return { ...(await client.jobs.list(query, signal ? { signal } : {})), readAt: Date.now() };
  };
  const known = () => queries.getQueryData<JobPage[]>(key) ?? [];
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readAgain({ known, sight: sight.current, read: (cursor) => read(cursor, signal) }),
  });
  const more = useMutation({
    mutationFn: (cursor: string) => read(cursor),
    onSuccess: (page, cursor) =>
      queries.setQueryData<JobPage[]>(key, (pages) =>
        pages?.at(-1)?.nextCursor === cursor ? [...pages, page] : pages,
      ),
  });

  const pages = list.data;
  const next = list.isPlaceholderData ? null : (pages?.at(-1)?.nextCursor ?? null);
  const { mutate, isPending, isError } = more;
  const onEnd = useCallback(() => {
    if (next !== null && !isPending && !isError) mutate(next);
  }, [next, isPending, isError, mutate]);

  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const onSight = useCallback(
    (first: number, last: number) => {
      const seen = pagesOf(queries.getQueryData<JobPage[]>(key) ?? [], first, last);
      sight.current = seen;
      clearTimeout(rest.current);
      rest.current = setTimeout(() => {
        const shown = (queries.getQueryData<JobPage[]>(key) ?? []).slice(seen.first, seen.last + 1);
        if (shown.some(({ readAt }) => Date.now() - readAt > OLD_MS))
          void queries.invalidateQueries({ queryKey: key, exact: true });
      }, REST_MS);
    },
    [queries, key],
  );
  const jobs = useMemo(() => pages?.flatMap(({ items }) => items), [pages]);
  return { jobs, list, more, next, onEnd, onSight };
}
