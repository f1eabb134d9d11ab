import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { AuditEntry } from "punctual/client";
import { useCallback, useMemo, useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty, Failure, Loading, OldRows } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Time } from "../../ui/time.tsx";
import { useZone } from "../../ui/zone.ts";
import { AuditEntryDialog } from "./audit-entry.tsx";
import { AuditExport } from "./audit-export.tsx";
import { auditFilter } from "./audit-filter.ts";
import { AuditFilters } from "./audit-filters.tsx";

const PAGE = 100;
const route = getRouteApi("/settings/$section");

/** Who did what, newest first. */
export function AuditSection() {
  const search = route.useSearch();
  const zone = useZone();
  const filter = useMemo(() => auditFilter(search, zone), [search, zone]);
  return (
    <Card title="Audit" flush aside={<AuditExport filter={filter} />}>
      <AuditFilters />
      <AuditList filter={filter} />
    </Card>
  );
}

function AuditList({ filter }: { filter: ReturnType<typeof auditFilter> }) {
  const client = useClient();
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const { data, error, refetch, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = useInfiniteQuery({
    queryKey: ["settings", "audit", filter],
    queryFn: ({ signal, pageParam }) =>
      client.audit.list({ ...filter, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const columns = useMemo(() => columnsOf(setOpen), []);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading rows={8} />;
  if (rows.length === 0)
    return (
      <Empty title="Nothing is written that fits.">
        <p>Every change is: who made it, to what, from where, and what was before and after.</p>
      </Empty>
    );
  return (
    <>
      {error !== null && <OldRows error={error} />}
      {/* What was there before, until what was asked for is. */}
      <div aria-busy={isPlaceholderData} className={isPlaceholderData ? "opacity-60" : undefined}>
        <DataTable
          label="Audit"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          nameOf={({ action }) => action}
          onEnd={onEnd}
        />
      </div>
      {open !== null && <AuditEntryDialog entry={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function columnsOf(show: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    {
      key: "action",
      header: "Action",
      cell: (entry) => (
        <TwoLines
          first={
            <button type="button" className="text-left underline-offset-2 hover:underline" onClick={() => show(entry)}>
              {entry.action}
            </button>
          }
          second={
            <>
              {entry.object?.name ?? entry.object?.id}
              <span className="block sm:hidden">by {entry.actor.name || "nobody"}</span>
            </>
          }
        />
      ),
    },
    {
      key: "who",
      header: "Who",
      className: "hidden sm:table-cell",
      cell: ({ actor }) => (
        <TwoLines
          first={<span className="font-normal">{actor.name || "nobody"}</span>}
          second={actor.kind === "session" || actor.kind === "nobody" ? undefined : actor.kind}
        />
      ),
    },
    {
      key: "from",
      header: "Address",
      className: "hidden w-40 truncate md:table-cell",
      cell: ({ address }) => <span className="text-muted">{address ?? "–"}</span>,
    },
    { key: "at", header: "When", className: "w-28 text-right", cell: ({ at }) => <Time at={at} /> },
  ];
}
