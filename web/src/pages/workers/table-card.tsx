import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Failure, Loading, OldRows } from "../../ui/notice.tsx";
import { PlainTable } from "../../ui/plain-table.tsx";

/** A card with a table, in whatever state its reading is. */
export function TableCard<Row>({
  title,
  reading: { data, error, refetch },
  columns,
  idOf,
  empty,
}: {
  title: string;
  reading: Pick<UseQueryResult<Row[]>, "data" | "error" | "refetch">;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  empty: ReactNode;
}) {
  return (
    <Card title={title} flush>
      {data === undefined ? (
        error ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : (
          <Loading rows={3} />
        )
      ) : (
        <>
          {error !== null && <OldRows error={error} />}
          {data.length === 0 ? empty : <PlainTable label={title} columns={columns} rows={data} idOf={idOf} />}
        </>
      )}
    </Card>
  );
}
