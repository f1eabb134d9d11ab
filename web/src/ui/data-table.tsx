// A table of any length. Only the rows in sight are in the document; the page itself scrolls. It is a real table, each row has
// one link, and that link is what j and k move the focus along: what a person sees as the current row is what the keyboard and a
// screen reader have as the focus.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Shortcut, useShortcuts } from "../app/shortcuts.tsx";
import { useChoose } from "./choose-rows.ts";
import { cx } from "./class-names.ts";
import { useCurrentRow } from "./current-row.ts";

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Such as "w-40 text-right", or "hidden md:table-cell" for what a narrow screen leaves out. */
  className?: string | undefined;
  /** If the rows are in its order. */
  sorted?: "ascending" | "descending" | undefined;
}

export interface Selection {
  chosen: ReadonlySet<string>;
  change: (next: ReadonlySet<string>) => void;
}

const ROW_PX = 44;
const OVERSCAN = 12;
/** The head of the page and that of the table stay in sight, above the rows. */
const HEAD_PX = 84;

export function DataTable<Row>({
  label,
  columns,
  rows,
  idOf,
  nameOf,
  selection,
  onEnd,
  onSight,
  shortcuts = [],
}: {
  label: string;
  /** Keep them between renderings: a row is drawn again when it, or they, are others. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** What a row is called, for the name of its checkbox. */
  nameOf: (row: Row) => string;
  selection?: Selection | undefined;
  /** The last row is near: there may be more. */
  onEnd?: (() => void) | undefined;
  /** Which rows are in sight, by their places. */
  onSight?: ((first: number, last: number) => void) | undefined;
  /** Keys that do something with the current row. */
  shortcuts?: readonly (Omit<Shortcut, "act"> & { act: (row: Row) => void })[];
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const top = useTop(body);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: HEAD_PX,
    getItemKey: (index) => idOf(rows[index]!),
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - OVERSCAN) onEnd?.();
  }, [last, rows.length, onEnd]);
  useEffect(() => onSight?.(first, last), [first, last, onSight]);

  const { current, focus, remember } = useCurrentRow(body, rows, idOf, (index) =>
    virtual.scrollToIndex(index, { align: "auto" }),
  );
  const choose = useChoose(rows, idOf, selection);
  const withCurrent = (act: (row: Row) => void) => () => {
    const row = rows[current()];
    if (row !== undefined) act(row);
  };
  useShortcuts([
    { key: "j", about: "Next row", act: () => focus(1) },
    { key: "k", about: "Row before", act: () => focus(-1) },
    ...(selection ? [{ key: "x", about: "Choose the row", act: withCurrent((row) => choose(idOf(row), false)) }] : []),
    ...shortcuts.map(({ act, ...shortcut }) => ({ ...shortcut, act: withCurrent(act) })),
  ]);

  const before = items[0] ? items[0].start - top : 0;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  return (
    <table aria-label={label} aria-rowcount={rows.length + 1} className="w-full table-fixed border-collapse text-left">
      <thead>
        <tr className="text-muted text-xs">
          {selection && (
            <HeadCell className="w-10 pl-4">
              <ChooseAll rows={rows} idOf={idOf} selection={selection} />
            </HeadCell>
          )}
          {columns.map(({ key, header, className, sorted }) => (
            <HeadCell key={key} sorted={sorted} className={cx("px-2 first:pl-4 last:pr-4", className)}>
              {header}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody ref={body} onFocus={remember}>
        <Gap height={before} />
        {items.map(({ index, key }) => {
          const row = rows[index]!;
          const id = idOf(row);
          return (
            <BodyRow
              key={key}
              row={row}
              id={id}
              name={nameOf(row)}
              index={index}
              columns={columns as readonly Column<unknown>[]}
              measure={virtual.measureElement}
              chosen={selection?.chosen.has(id)}
              choose={choose}
            />
          );
        })}
        <Gap height={after} />
      </tbody>
    </table>
  );
}

function HeadCell({
  sorted,
  className,
  children,
}: {
  sorted?: Column<unknown>["sorted"];
  className: string;
  children: ReactNode;
}) {
  return (
    <th
      scope="col"
      aria-sort={sorted}
      className={cx(
        // The border of a cell that sticks would be scrolled away: the line is a shadow.
        "bg-surface sticky top-12 z-10 h-9 font-medium shadow-[inset_0_-1px_0_var(--color-line)] first:rounded-tl-lg last:rounded-tr-lg",
        className,
      )}
    >
      {children}
    </th>
  );
}

function ChooseAll<Row>({
  rows,
  idOf,
  selection: { chosen, change },
}: {
  rows: readonly Row[];
  idOf: (row: Row) => string;
  selection: Selection;
}) {
  const all = rows.length > 0 && chosen.size >= rows.length && rows.every((row) => chosen.has(idOf(row)));
  return (
    <input
      type="checkbox"
      aria-label="Choose all rows that are loaded"
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = !all && chosen.size > 0;
      }}
      className="accent-accent size-4 align-middle"
      onChange={() => change(all ? new Set() : new Set(rows.map(idOf)))}
    />
  );
}

interface BodyRowProps {
  row: unknown;
  id: string;
  name: string;
  index: number;
  columns: readonly Column<unknown>[];
  measure: (element: HTMLTableRowElement | null) => void;
  /** Undefined: rows cannot be chosen. */
  chosen: boolean | undefined;
  choose: (id: string, through: boolean) => void;
}

/** Scrolling draws the rows that come into sight, and leaves the others alone. */
const BodyRow = memo(function BodyRow({ row, id, name, index, columns, measure, chosen, choose }: BodyRowProps) {
  return (
    <tr
      data-index={index}
      ref={measure}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      className="border-line hover:bg-raised/60 focus-within:bg-raised/60 aria-selected:bg-accent/8 border-b last:border-b-0"
    >
      {chosen !== undefined && (
        <td className="py-2 pl-4">
          <input
            type="checkbox"
            aria-label={`Choose ${name}`}
            checked={chosen}
            className="accent-accent size-4 align-middle"
            // React makes a change of a press, which tells which keys were held down.
            onChange={({ nativeEvent }) => choose(id, (nativeEvent as MouseEvent).shiftKey)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} className={cx("h-11 px-2 py-1.5 first:pl-4 last:pr-4", column.className)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
});

/** In place of the rows that are not in sight. */
function Gap({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }} />
    </tr>
  ) : null;
}

/** How far down the page the rows begin: it changes when what stands above them does. */
function useTop(body: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return top;
}
