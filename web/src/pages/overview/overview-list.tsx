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
            <li key={idOf(row)} className="px-4 py-2">
              {children(row)}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** What leads on, at the right of the heading. */
export const LIST_LINK = "text-accent text-xs underline-offset-2 hover:underline";

/** Two things on a line: the first gives way, the second does not. */
export function Row({ children, aside }: { children: ReactNode; aside: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline justify-between gap-3">
      <div className="min-w-0 truncate">{children}</div>
      <div className="shrink-0 whitespace-nowrap">{aside}</div>
    </div>
  );
}
