// A table of any length. Only the rows in sight are in the document; the page itself scrolls. It is a real table, each row has
// one link, and that link is what j and k move the focus along: what a person sees as the current row is what the keyboard and a
// screen reader have as the focus.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Shortcut, useShortcuts } from "../app/shortcuts.tsx";
import { cx } from "./class-names.ts";

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Such as "w-40 text-right", or "hidden md:table-cell" for what a narrow screen leaves out. */
  className?: string | undefined;
}

export interface Selection {
  chosen: ReadonlySet<string>;
  change: (next: ReadonlySet<string>) => void;
}

const ROW_PX = 44;
const OVERSCAN = 12;

export function DataTable<Row>({
  label,
  columns,
  rows,
  idOf,
  nameOf,
  selection,
  onEnd,
  shortcuts = [],
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** What a row is called, for the name of its checkbox. */
  nameOf: (row: Row) => string;
  selection?: Selection | undefined;
  /** The last row is near: there may be more. */
  onEnd?: (() => void) | undefined;
  /** Keys that do something with the current row. */
  shortcuts?: readonly (Omit<Shortcut, "act"> & { act: (row: Row) => void })[];
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const place = body.current?.getBoundingClientRect().top ?? 0;
    setTop(place + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => idOf(rows[index]!),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - OVERSCAN) onEnd?.();
  }, [last, rows.length, onEnd]);

  const current = () => {
    const row = document.activeElement?.closest<HTMLElement>("[data-index]");
    return row && body.current?.contains(row) ? Number(row.dataset.index) : -1;
  };
  const focus = (index: number) => {
    const within = Math.max(0, Math.min(rows.length - 1, index));
    virtual.scrollToIndex(within, { align: "auto" });
    // The row may have to be drawn first.
    requestAnimationFrame(() =>
      body.current
        ?.querySelector<HTMLElement>(`[data-index="${within}"] :is(a, button):not([tabindex="-1"])`)
        ?.focus({ preventScroll: true }),
    );
  };
  const toggle = (id: string) => {
    if (selection === undefined) return;
    const next = new Set(selection.chosen);
    if (!next.delete(id)) next.add(id);
    selection.change(next);
  };
  const withCurrent = (act: (row: Row) => void) => () => {
    const row = rows[current()];
    if (row !== undefined) act(row);
  };
  useShortcuts([
    { key: "j", about: "Next row", act: () => focus(current() + 1) },
    { key: "k", about: "Row before", act: () => focus(current() === -1 ? 0 : current() - 1) },
    ...(selection ? [{ key: "x", about: "Choose the row", act: withCurrent((row) => toggle(idOf(row))) }] : []),
    ...shortcuts.map(({ act, ...shortcut }) => ({ ...shortcut, act: withCurrent(act) })),
  ]);

  const before = items[0] ? items[0].start - top : 0;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  const all = rows.length > 0 && rows.every((row) => selection?.chosen.has(idOf(row)));
  return (
    <table aria-label={label} aria-rowcount={rows.length + 1} className="w-full table-fixed border-collapse text-left">
      <thead>
        <tr className="text-muted border-line border-b text-xs">
          {selection && (
            <th scope="col" className="w-10 py-2 pl-4">
              <input
                type="checkbox"
                aria-label="Choose all rows that are loaded"
                checked={all}
                className="accent-accent size-4 align-middle"
                onChange={() => selection.change(all ? new Set() : new Set(rows.map(idOf)))}
              />
            </th>
          )}
          {columns.map(({ key, header, className }) => (
            <th key={key} scope="col" className={cx("px-2 py-2 font-medium first:pl-4 last:pr-4", className)}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <Gap height={before} />
        {items.map(({ index, key }) => {
          const row = rows[index]!;
          const id = idOf(row);
          return (
            <tr
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              aria-rowindex={index + 2}
              aria-selected={selection ? selection.chosen.has(id) : undefined}
              className="border-line hover:bg-raised/60 focus-within:bg-raised/60 aria-selected:bg-accent/8 border-b last:border-b-0"
            >
              {selection && (
                <td className="py-2 pl-4">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${nameOf(row)}`}
                    checked={selection.chosen.has(id)}
                    className="accent-accent size-4 align-middle"
                    onChange={() => toggle(id)}
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
        })}
        <Gap height={after} />
      </tbody>
    </table>
  );
}

/** In place of the rows that are not in sight. */
function Gap({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }} />
    </tr>
  ) : null;
}
