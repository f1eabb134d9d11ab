import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import type { Column } from "./data-table.tsx";

/** A real table of a few rows, none of which is a place to go to. For many, or for rows with a page of their own: DataTable. */
export function PlainTable<Row>({
  label,
  columns,
  rows,
  idOf,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
}) {
  return (
    <table aria-label={label} className="w-full border-collapse text-left">
      <thead>
        <tr className="text-muted border-line border-b text-xs">
          {columns.map(({ key, header, className }) => (
            <th key={key} scope="col" className={cx("px-2 py-2 font-medium first:pl-4 last:pr-4", className)}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} className="border-line hover:bg-raised/60 border-b last:border-b-0">
            {columns.map((column) => (
              <td key={column.key} className={cx("h-11 px-2 py-2 first:pl-4 last:pr-4", column.className)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The main word of a row, with what belongs to it below. */
export function TwoLines({ first, second }: { first: ReactNode; second?: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="font-medium [overflow-wrap:anywhere]">{first}</div>
      {second !== undefined && <div className="text-muted text-xs [overflow-wrap:anywhere]">{second}</div>}
    </div>
  );
}
