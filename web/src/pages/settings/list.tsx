import { useInfiniteQuery } from "@tanstack/react-query";
import type { CallOptions, Page, PageQuery } from "punctual/client";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Failure, Loading, OldRows } from "../../ui/notice.tsx";
import { PlainTable } from "../../ui/plain-table.tsx";

const PAGE = 100;

/** Things of the project, page by page. They are re-read when something of the settings changed. */
export function useList<Row>(
  what: string,
  read: (query: PageQuery, options: CallOptions) => Promise<Page<Row>>,
): ListState<Row> {
  const query = useInfiniteQuery({
    queryKey: ["settings", what],
    queryFn: ({ signal, pageParam }) =>
      read({ limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const { error, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, data } = query;
  return {
    rows: data?.pages.flatMap((page) => page.items) ?? null,
    error,
    more: hasNextPage ? () => void fetchNextPage() : null,
    busy: isFetchingNextPage,
    retry: () => void refetch(),
  };
}

interface ListState<Row> {
  rows: readonly Row[] | null;
  error: unknown;
  more: (() => void) | null;
  busy: boolean;
  retry: () => void;
}

/** The table of such a list, in whatever state it is. */
export function ListTable<Row>({
  list,
  label,
  columns,
  idOf,
  empty,
}: {
  list: ListState<Row>;
  label: string;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  empty: ReactNode;
}) {
  const { rows, error, more, busy, retry } = list;
  if (rows === null) return error ? <Failure error={error} retry={retry} /> : <Loading />;
  if (rows.length === 0) return empty;
  return (
    <>
      {error !== null && error !== undefined && <OldRows error={error} />}
      <PlainTable label={label} columns={columns} rows={rows} idOf={idOf} />
      {more !== null && (
        <div className="border-line border-t p-3 text-center">
          <Button size="small" busy={busy} onClick={more}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
