import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { Failure, Loading } from "../../ui/notice.tsx";

/** A short list on the overview, with the way to the whole of it. */
export function OverviewList<Row>({
  title,
  aside,
  rows,
  error,
  retry,
  idOf,
  children,
  empty,
  note,
}: {
  title: string;
  aside?: ReactNode;
  /** Undefined until they are read. */
  rows: readonly Row[] | undefined;
  error: unknown;
  retry: () => void;
  idOf: (row: Row) => string;
  children: (row: Row) => ReactNode;
  empty: string;
  /** What is to be known about the list as a whole. */
  note?: string | undefined;
}) {
  return (
    <Card title={title} aside={aside} flush>
      {rows === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <Failure error={error} retry={retry} />
        )
      ) : rows.length === 0 ? (
        <p className="text-muted px-4 py-6 text-center">{empty}</p>
      ) : (
        <ul className="divide-line divide-y">
          {rows.map((row) => (
            <li key={idOf(row)} className="px-4 py-1.5">
              {children(row)}
            </li>
          ))}
        </ul>
      )}
      {note !== undefined && <p className="text-muted border-line border-t px-4 py-2 text-xs">{note}</p>}
    </Card>
  );
}

/** What leads on, at the right of the heading. */
export const LIST_LINK = "text-accent text-xs underline-offset-2 hover:underline";

/** Two things on a line: the first gives way, the second does not. */
export function Row({ children, aside }: { children: ReactNode; aside: ReactNode }) {
  return (
    <div className="flex min-w-0 items-center justify-between gap-3 leading-6">
      <div className="min-w-0 truncate">{children}</div>
      <div className="flex shrink-0 items-center whitespace-nowrap">{aside}</div>
    </div>
  );
}
